import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const types = plainTypes({
  notes: { wikilinks: true },
  posts: { permalink: '/blog/{slug}' },
})
const BODY = { 'templates/site/record.liquid': '{{ record.html | raw }}|{{ record.excerpt }}' }

function note(title: string, body = '', more = ''): string {
  return `---\ntitle: ${title}\n${more}---\n${body}\n`
}

const FILES = {
  'content/notes/ada.md': note('Ada Lovelace', '', 'aliases: [The countess]\n'),
  'content/notes/deep/er/engine.md': note('The Engine'),
  'content/notes/one/same.md': note('Same one'),
  'content/notes/two/more/same.md': note('Same two'),
  'content/notes/secret.md': note('Secret title', 'Secret text.', 'draft: true\n'),
  'content/posts/hello.md': note('Hello', '[[ada]]'),
  'content/posts/Two words.md': note('Words'),
}

/** Links in a note, and the HTML that they are. */
const LINKS: Readonly<Record<string, string>> = {
  '[[ada]]': '<a href="/notes/ada">ada</a>',
  '[[ADA|the first]]': '<a href="/notes/ada">the first</a>',
  '[[Ada Lovelace]]': '<a href="/notes/ada">Ada Lovelace</a>',
  '[[the countess]]': '<a href="/notes/ada">the countess</a>',
  '[[ada.md#Some Words]]': '<a href="/notes/ada#some-words">ada.md &gt; Some Words</a>',
  '[[ada#^block|x]]': '<a href="/notes/ada">x</a>',
  '[[#Here below]]': '<a href="#here-below">Here below</a>',
  '[[engine]] [[er/engine]] [[notes/deep/er/engine]]':
    '<a href="/notes/deep/er/engine">engine</a> <a href="/notes/deep/er/engine">er/engine</a> <a href="/notes/deep/er/engine">notes/deep/er/engine</a>',
  '[[same]] [[more/same]]': '<a href="/notes/one/same">same</a> <a href="/notes/two/more/same">more/same</a>',
  '[[hello]] [[Two words]]': '<a href="/blog/hello">hello</a> <a href="/blog/Two%20words">Two words</a>',
  'In a line ![[ada]]': 'In a line <a href="/notes/ada">ada</a>',
  '[[nothing|*there*]]': '<span class="wikilink-missing">*there*</span>',
  '[[secret]] [[Secret title]]':
    '<span class="wikilink-missing">secret</span> <span class="wikilink-missing">Secret title</span>',
  '![[my cat.png]]': '<img src="/notes/my%20cat.png" alt="">',
  '![[cat.png|300x200]]': '<img src="/notes/cat.png" width="300" height="200" alt="">',
  '![[cat.png|A cat]]': '<img src="/notes/cat.png" alt="A cat">',
  '![[plan.pdf]]': '<a href="/notes/plan.pdf">plan.pdf</a>',
  '[[javascript:alert(1)//x.pdf]] ![[data:x/y,a.png]]':
    '<span class="wikilink-missing">javascript:alert(1)//x.pdf</span> <span class="wikilink-missing">data:x/y,a.png</span>',
  '[[a"><b>.pdf|"><i>]]': '<a href="/notes/a%22%3E%3Cb%3E.pdf">&quot;&gt;&lt;i&gt;</a>',
  '[[ada#Größe]]': '<a href="/notes/ada#gr%C3%B6%C3%9Fe">ada &gt; Größe</a>',
  '`[[ada]]` [x](../posts/hello.md)': '<code>[[ada]]</code> <a href="/blog/hello">x</a>',
  '[[]] [[|x]] [[a[b]] [[a': '[[]] [[|x]] [[a[b]] [[a',
  '[[ada]] <b>raw</b> [[none]]': '<a href="/notes/ada">ada</a> <b>raw</b> <span class="wikilink-missing">none</span>',
}

/** HTML without what says how pictures are loaded. */
const withoutLoading = (html: string) => html.replace(/ (?:loading|decoding|fetchpriority)="\w+"/g, '')

t.test('links in double brackets lead to records by name, where a type says so', (t) => {
  const links = Object.keys(LINKS)
  const notes = Object.fromEntries(links.map((text, n) => [`content/notes/n${n}.md`, note(`N${n}`, text)]))
  const long = { 'content/notes/long.md': note('Long', `${'word '.repeat(5_000)}\n\n[[ada]] [[secret]]`) }
  return eachStore(t, { files: { ...FILES, ...notes, ...long }, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: BODY })
    for (const [n, text] of links.entries())
      t.equal(withoutLoading((await html(`/notes/n${n}`)).split('</p>')[0] ?? ''), `<p>${LINKS[text]}`, text)
    t.match(await html('/notes/long'), '<p><a href="/notes/ada">ada</a> <span class="wikilink-missing">secret</span></p>')
    t.match(await html('/notes/n1'), /\|the first$/, 'in excerpts')
    t.match(await html('/blog/hello'), '<p>[[ada]]</p>', 'in a type that does not say so they are text')
  })
})

t.test('a page follows the names of others', (t) =>
  eachStore(t, { files: { ...FILES, 'content/notes/a.md': note('A', '[[later]] [[ada]]') }, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: BODY })
    t.match(await html('/notes/a'), '<span class="wikilink-missing">later</span> <a href="/notes/ada">')
    await opened.store.write([{ key: keyOf('notes', 'later'), put: { set: { title: 'Later', status: 'published' } } }], author)
    await opened.store.write([{ key: keyOf('notes', 'ada'), put: { set: { status: 'draft' } } }], author)
    t.match(await html('/notes/a'), '<a href="/notes/later">later</a> <span class="wikilink-missing">ada</span>')
  }),
)

t.test('names that lead nowhere, or to several, are told with their place', (t) =>
  eachStore(
    t,
    { files: { ...FILES, 'content/notes/a.md': note('A', 'x\n\n- [[gone|y]] [[same]] [[ada]] [[secret]] ![[cat.png]]') }, types },
    async (t, opened) => {
      const { site } = publicSite(t, opened)
      const told = (await site.remarks()).map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
      t.same(
        told.filter((one) => one.startsWith('notes/a:')),
        [
          'notes/a:6:5 The link [[gone]] names no record that has a page: it is shown as text.',
          'notes/a:6:16 The link [[same]] may mean 2 records: it leads to notes/one~same.',
          'notes/a:6:33 The link [[secret]] names no record that has a page: it is shown as text.',
          'notes/a:6:45 The picture "cat.png" leads to no file.',
        ],
      )
    },
  ),
)

t.test('names follow a record that moves', (t) => {
  const text =
    'A [[hello]] [[posts/hello.md#X|y]] [[Hello]] [[hello-world]] `[[hello]]`\n\n| [[hello\\|cell]] |\n|---|\n\n![[hello.png]] [f](../posts/hello.md)'
  const files = { ...FILES, 'content/notes/a.md': note('A', text), 'content/posts/b.md': note('B', '[[hello]] [f](hello.md)') }
  return eachStore(t, { files, types }, async (t, opened) => {
    const app = new TestApp(opened)
    await app.ask('POST /api/cms/posts/hello/move', { body: { id: '2026~new' } })
    const body = async (type: string, id: string) => (await opened.store.get(keyOf(type, id)))?.body.trim()
    t.equal(
      await body('notes', 'a'),
      'A [[new]] [[posts/2026/new.md#X|y]] [[Hello]] [[hello-world]] `[[hello]]`\n\n| [[hello\\|cell]] |\n|---|\n\n![[hello.png]] [f](../posts/2026/new.md)',
    )
    t.equal(await body('posts', 'b'), '[[hello]] [f](2026/new.md)', 'where they are text they stay')
    await app.ask('POST /api/cms/notes/a/move', { body: { id: 'deep~b' } })
    t.match(await body('notes', 'deep~b'), /^A \[\[new\]\] \[\[posts\/2026\/new\.md#X\|y\]\]/, "a record's own names stay")
  })
})
