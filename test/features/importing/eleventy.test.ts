import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { exportOf, importInto, PIXEL } from '#support/importing.ts'
import { eachStore } from '#support/stores.ts'

t.test('a site of Eleventy comes whole, no program of it is run, and nothing becomes public that was not', async (t) => {
  const folder = exportOf(t, {
    'eleventy.config.js':
      'import { writeFileSync } from "node:fs"\nwriteFileSync("ran", "")\nexport default (c) => { c.ignores.add("src/away/**"); return { dir: { input: "src" } } }\n',
    '.eleventyignore': 'src/mine\n',
    '.gitignore': `${Array.from({ length: 400 }, (_, n) => `made-${n}\n`).join('')}secret.md \t\r\nlast.md`,
    'src/index.njk': '{{ content }}',
    'src/about.md': '---\ntitle: About\npermalink: "/about-{{ page.fileSlug }}/"\n---\n{{ "/x" | url }} {{ content }}\n',
    'src/first.md': '---\ntitle: First\ntags: [posts, a]\ndate: git Last Modified\n---\n',
    'src/blog/blog.json': '{ "tags": "posts", "author": "ada", "layout": "x" }',
    'src/blog/2020-03-04-hello.md': '---\ntitle: Hello\ntags: [posts, one two]\n---\n![](sea.png) ![](/blog/sea.png)\n',
    'src/blog/odd.md': '---\ntitle: Odd\npermalink: "/{{ x | y }}/"\n---\n',
    'src/blog/sea.png': PIXEL,
    'src/notes/notes.11tydata.json': '{ "draft": true }',
    'src/notes/deep/a.md': '---\ntitle: A\n---\n',
    'src/notes/deep/index.md': '---\ntitle: Deep\n---\n',
    'src/notes/deep/a.png': PIXEL,
    'src/_drafts/a.png': PIXEL,
    'src/notes/b.md': '---\ntitle: B\ndraft: false\n---\n',
    'src/parts/parts.json': '{ "permalink": false }',
    'src/parts/p.md': '---\ntitle: P\n---\n',
    'src/run/run.11tydata.js': 'require("node:fs").writeFileSync("ran", ""); module.exports = { draft: true }\n',
    'src/run/r.md': '---\ntitle: R\n---\n',
    'src/_data/eleventyComputed.js': 'export default { permalink: (data) => (data.until ? false : data.permalink) }\n',
    'src/odd/until.md': '---\ntitle: Until\nuntil: 2020\n---\n',
    'src/odd/word.md': '---\ntitle: Word\npermalink: "false"\n---\n',
    'src/odd/own.md': '---\ntitle: Own\npermalink: "{% if x %}false{% else %}/own/{% endif %}"\n---\n',
    'src/odd/computed.md': '---\ntitle: C\neleventyComputed:\n  permalink: "{{ false if x }}"\n---\n',
    'src/odd/open.md': '---\ntitle: Open\neleventyComputed:\n  permalink: "/{{ title }}/"\n---\n',
    'src/odd/made/made.11tydata.js': 'export default { permalink() { return false } }\n',
    'src/odd/made/a.md': '---\ntitle: A\n---\n',
    'src/odd/led/led.11tydata.js': 'export default { permalink: `/led/`, x: false }\n',
    'src/odd/led/a.md': '---\ntitle: A\n---\n',
    'src/away/a.md': '---\ntitle: A\n---\n',
    'src/parts/p.png': PIXEL,
    'src/js.md': '---js\n{ title: (() => { throw 1 })() }\n---\n',
    'src/mine/x.md': 'Mine.\n',
    'src/secret.md': 'Secret.\n',
    'src/last.md': 'Last.\n',
    'src/run/made.md': '---\ntitle: M\n---\n',
    'src/run/made.11tydata.js': 'export default { eleventyComputed: { permalink: shown } }\n',
    'src/run/run.png': PIXEL,
    'src/blog/near/near.json': '{ "author": "bob" }',
    'src/blog/near/a.md': '---\ntitle: N\n---\n',
    'src/_data/site.json': '{}',
    'src/_includes/x.md': 'x',
    '_site/blog/index.md': 'Made.\n',
  })
  await eachStore(t, { history: true }, async (t, opened) => {
    const { store } = opened
    const report = await importInto(opened, 'eleventy', folder)
    t.match(report.problems, [{ file: 'js.md' }])
    t.equal(report.problems.length, 1)
    const hello = await store.get(keyOf('blog', 'hello'))
    t.match(hello?.fields, { published_at: '2020-03-04T00:00:00.000Z', tags: ['one-two'], author: 'ada', status: 'published' })
    t.equal(hello?.body, '![](/media/blog/sea.png) ![](/media/blog/sea.png)\n')
    t.match((await store.head(keyOf('posts', 'first')))?.fields, { tags: ['a'], status: 'published' })
    const about = await store.get(keyOf('pages', 'about'))
    t.match(about?.fields.permalink, '/about-about/')
    t.equal(about?.body, '/x {{ content }}\n')
    t.equal((await store.head(keyOf('blog', 'odd')))?.fields.permalink, undefined)
    t.equal((await store.head(keyOf('notes', 'deep~a')))?.fields.status, 'draft', 'data of a folder above hides it')
    t.equal((await store.head(keyOf('notes', 'b')))?.fields.status, 'published', 'what a text says itself wins')
    for (const id of ['r', 'made']) t.equal((await store.head(keyOf('run', id)))?.fields.status, 'draft', 'a program may hide it')
    t.equal(await store.head(keyOf('media', 'run~run.png')), undefined, 'nor is what lies beside it shown')
    t.equal((await store.head(keyOf('blog', 'near~a')))?.fields.author, 'bob', 'the nearest data win')
    t.equal((await store.head(keyOf('parts', 'p')))?.fields.permalink, false)
    for (const [kind, id] of [
      ['mine', 'x'],
      ['away', 'a'],
      ['pages', 'secret'],
      ['pages', 'last'],
      ['blog', 'index'],
    ] as const)
      t.equal(await store.head(keyOf(kind, id)), undefined, `${kind}/${id} is left out`)
    for (const id of ['until', 'own', 'computed', 'made~a'])
      t.equal((await store.head(keyOf('odd', id)))?.fields.status, 'draft', `${id} may have had no page`)
    t.equal((await store.head(keyOf('odd', 'word')))?.fields.permalink, false)
    for (const id of ['open', 'led~a']) t.equal((await store.head(keyOf('odd', id)))?.fields.status, 'published', `${id} had one`)
    t.match(report.media, { created: 1 }, 'only what lies beside nothing hidden is shown')
    t.notOk(existsSync('ran') || existsSync(join(folder, 'ran')), 'no program is run')
    t.ok(report.notes.some((note) => note.includes('run.11tydata.js')))
    t.match(await importInto(opened, 'eleventy', folder), { records: { blog: { created: 0, updated: 0, kept: 0, same: 3 } } })
  })
})
