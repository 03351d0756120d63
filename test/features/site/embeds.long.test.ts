import { readFileSync } from 'node:fs'
import t from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { Markdown } from '#markdown/markdown.ts'
import { cpuMs } from '#support/cpu.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const types = plainTypes({
  notes: { wikilinks: true },
  posts: { wikilinks: true, permalink: '/blog/{slug}' },
  raw: { wikilinks: true, html: 'trusted' },
})
const BODY = {
  'templates/site/record.liquid': '{{ record.html | raw }}|{{ record.excerpt }}|{{ record.headings | map: "id" | join: "," }}',
}

function note(title: string, body = '', more = ''): string {
  return `---\ntitle: ${title}\n${more}---\n${body}\n`
}

const PARTS = `Before.[^1]

## One

First [up](#two) [here](#sub).[^2]

### Sub

Below [file](plan.pdf).

## Two

Last.

<template>

## Unseen

Hidden in a template.

</template>

[^1]: Of all.
[^2]: Of one.
`

const FILES = {
  'content/notes/deep/ada.md': note('Ada & co', 'The *first* [of them](other.md).\n\n![](cat.png)\n\n## Notes\n'),
  'content/notes/deep/other.md': note('Other'),
  'content/notes/parts.md': note('Parts', PARTS),
  'content/notes/secret.md': note('Secret title', 'Secret text.', 'draft: true\n'),
  'content/notes/later.md': note('Later', 'Secret text.', 'published_at: 2030-01-01\n'),
  'content/notes/over.md': note('Over', 'Secret text.', 'expires_at: 2020-01-01\n'),
  'content/notes/gone.md': note('Archived', 'Secret text.', 'status: archived\n'),
  'content/notes/unlisted.md': note('Unlisted', 'Not to be found.', 'unlisted: true\n'),
  'content/notes/noindex.md': note('Noindex', 'Not to be found.', 'noindex: true\n'),
  'content/notes/chain.md': note('Chain', '![[secret]]\n\n![[unlisted]]\n\n![[deep/ada]]'),
  'content/notes/me.md': note('Me', 'I.\n\n![[you]]'),
  'content/notes/you.md': note('You', 'You.\n\n![[me]]'),
  'content/raw/script.md': note('Script', '<script>run()</script>\n\nTrusted.'),
}

const withoutLoading = (html: string) => html.replace(/ (?:loading|decoding|fetchpriority)="\w+"/g, '')
const ADA =
  '<div class="embed">\n<p class="embed-title"><a href="/notes/deep/ada">Ada &amp; co</a></p>\n<p>The <em>first</em> <a href="/notes/deep/other">of them</a>.</p>\n<p><img src="/notes/deep/cat.png" alt=""></p>\n'

t.test('a text takes in another, with its links, pictures and ids as its own', (t) => {
  const hosts = {
    'content/posts/a.md': note(
      'A',
      '## Notes\n\n![[ada]]\n\n![[ada|Mine]]\n\nIn a line ![[ada]].\n\n> ![[other]]\n\n- ![[other]]\n',
    ),
    'content/posts/b.md': note(
      'B',
      '![[parts#One]]\n![[parts#two]]\n\n![[parts#Nothing]]\n\n![[parts#Unseen]]\n\n![[parts#^block]]\n',
    ),
    'content/posts/long.md': note('Long', `${'word '.repeat(5_000)}\n\n![[ada]]`),
    'content/posts/tag.md': note('Tag', '<div title="\n\n![[ada]]\n\n">x</div>\n'),
  }
  return eachStore(t, { files: { ...FILES, ...hosts }, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: BODY })
    const a = withoutLoading(await html('/blog/a'))
    t.match(a, `${ADA}<h2 id="embed-1:notes">Notes <a class="anchor" href="#embed-1:notes"`)
    t.match(a, '<p class="embed-title"><a href="/notes/deep/ada">Mine</a></p>')
    t.match(a, '<h2 id="embed-2:notes">')
    t.match(a, '<p>In a line <a href="/notes/deep/ada">ada</a>.</p>', 'in a line it is a link')
    t.match(a, /<blockquote>\n<div class="embed">[\s\S]*<\/blockquote>/)
    t.match(a, /<li><div class="embed">|<li>\n?<div class="embed">/)
    t.match(a, /\|In a line ada\.\|notes$/, 'excerpts and headings are its own')
    const b = await html('/blog/b')
    t.match(b, '<h2 id="embed-1:one">One')
    t.match(b, '<a href="/notes/parts#two">up</a> <a href="#embed-1:sub">here</a>')
    t.match(b, '<a href="/notes/plan.pdf">file</a>')
    t.match(b, '<h2 id="embed-2:two">Two')
    t.match(b, 'Of one.')
    t.notMatch(b, /Before|Of all|Hidden in a template/)
    t.match(b, '<p><a href="/notes/parts#nothing">parts &gt; Nothing</a></p>')
    t.match(b, '<p><a href="/notes/parts#unseen">parts &gt; Unseen</a></p>')
    t.match(b, '<p><a href="/notes/parts">parts &gt; ^block</a></p>')
    t.match(withoutLoading(await html('/blog/long')), ADA)
    t.notMatch(await html('/blog/tag'), 'The <em>first')
    for (const path of ['a', 'b', 'long', 'tag']) t.notMatch(await html(`/blog/${path}`), /x[0-9a-f]{32}/, 'no mark is left')
  })
})

t.test('only what readers of the page may find is taken in, on pages, in feeds, searches and copies', (t) => {
  const names = ['secret', 'later', 'over', 'gone', 'unlisted', 'noindex', 'chain', 'script', 'Secret title']
  const all = names.map((name) => `![[${name}]]`).join('\n\n')
  const files = {
    ...FILES,
    'content/posts/a.md': note('A', all, 'date: 2025-01-01\n'),
    'content/posts/hidden.md': note('Hidden', all, 'unlisted: true\n'),
    'content/posts/unfound.md': note('Unfound', '![[unlisted]]', 'noindex: true\ndate: 2026-01-02\n'),
    'content/index.md': note('Home', all),
    'content/raw/host.md': note('Host', '![[script]]'),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { site, html } = publicSite(t, opened, true)
    const pages = [
      '/blog/a',
      '/feed.xml',
      '/feed.json',
      '/rss.xml',
      '/blog/feed.xml',
      '/llms.txt',
      '/blog/a.md',
      '/',
      '/index.md',
    ]
    const found = await Promise.all([...pages, '/search/index.json', '/search/documents.json'].map(html))
    t.notMatch(await html('/blog/unfound'), 'Not to be found.', 'a page in lists and feeds takes in none that is in none')
    for (const [n, text] of found.entries()) {
      t.notMatch(text, /Secret text|Not to be found/, String(pages[n]))
      t.notMatch(text, /run\(\)/, String(pages[n]))
    }
    t.match(found[0], 'The <em>first</em>', 'through a chain')
    t.match(found[1], 'https://example.org/notes/deep/other', 'with whole addresses in feeds')
    t.match(found[6], 'The *first* [of them](https://example.org/notes/deep/other)')
    const hidden = await html('/blog/hidden')
    t.match(hidden, 'Not to be found.', 'a page that is not to be found either takes it in')
    t.notMatch(hidden, /Secret text|run\(\)/)
    t.match(await html('/raw/host'), '<script>run()</script>')
    await opened.store.write([{ key: keyOf('notes', 'deep~ada'), put: { set: { status: 'draft' } } }], author)
    t.notMatch(await html('/blog/a'), 'The <em>first</em>')
    t.notMatch(String((await site.page('/feed.json')).body), 'The <em>first</em>')
    await opened.store.write([{ key: keyOf('notes', 'secret'), put: { set: { status: 'published' } } }], author)
    t.match(await html('/blog/a'), 'Secret text.')
  })
})

t.test('a page that was built takes in a text as soon as it may, and no longer than that', (t) => {
  const files = {
    'content/notes/host.md': note('Host', '![[b]]', 'date: 2025-01-01\n'),
    'content/notes/b.md': note('B', 'Taken in.', 'noindex: true\n'),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const memory = opened.site && { folder: opened.site.path('.cms/cache'), basis: '' }
    const { site, folder } = publicSite(t, opened, true, { ...(memory && { memory }) })
    const takesIn = async (set: Record<string, boolean | string | null>) => {
      await opened.store.write([{ key: keyOf('notes', 'b'), put: { set } }], author)
      await site.build('public')
      const read = (file: string) => readFileSync(folder.path(`public/${file}`), 'utf8')
      const { items } = JSON.parse(read('feed.json')) as { items: { title: string; content_html: string }[] }
      const inFeed = items.find(({ title }) => title === 'Host')?.content_html ?? ''
      return [read('notes/host/index.html'), read('notes/host.md'), inFeed].map((text) => text.includes('Taken in.'))
    }
    await site.build('public')
    for (const [set, isIn] of [
      [{ noindex: null }, true],
      [{ unlisted: true }, false],
      [{ unlisted: null }, true],
      [{ status: 'draft' }, false],
      [{ status: 'published' }, true],
    ] as const)
      t.same(await takesIn(set), [isIn, isIn, isIn], JSON.stringify(set))
  })
})

t.test('circles end, and so do texts that would be too many, too deep or too long', (t) => {
  const files: Record<string, string> = { ...FILES, 'content/notes/self.md': note('Self', '![[self]]\n\n![[Self#x]]') }
  for (let n = 0; n < 12; n++) files[`content/notes/d${n}.md`] = note(`D${n}`, `Level ${n}.\n\n![[d${n + 1}]]`)
  files['content/notes/many.md'] = note('Many', '![[deep/ada]]\n\n'.repeat(200))
  files['content/notes/tree.md'] = note('Tree', '![[many]]\n\n'.repeat(40))
  files['content/notes/big.md'] = note('Big', 'A word. '.repeat(30_000))
  files['content/notes/bigs.md'] = note('Bigs', '![[big]]\n\n'.repeat(5))
  return eachStore(t, { files, types }, async (t, opened) => {
    const { html } = publicSite(t, opened, false, { files: BODY })
    const count = (text: string, part: string) => text.split(part).length - 1
    const me = await html('/notes/me')
    t.same([count(me, '<p>I.</p>'), count(me, '<p>You.</p>')], [1, 1])
    t.match(me, '<p><a href="/notes/me">me</a></p>')
    t.equal(count(await html('/notes/self'), 'class="embed"'), 0)
    const deep = await html('/notes/d0')
    t.same([count(deep, 'Level'), count(deep, '<a href="/notes/d6">d6</a>')], [7, 1], 'and once in the excerpt')
    t.equal(count(await html('/notes/many'), 'class="embed"'), 50)
    t.equal(count(await html('/notes/tree'), 'class="embed"'), 50)
    t.equal(count(await html('/notes/bigs'), 'class="embed"'), 2)
  })
})

t.test('long texts of embeds take time with their length', async (t) => {
  const markdown = new Markdown()
  for (const part of ['![[a]]\n', '![[a]]\n\n', '- ![[a]]\n', '![[a#b|c]] ', '> ![[a]]\n>\n']) {
    const begin = cpuMs()
    markdown.render(part.repeat(5_000), {
      title: '',
      syntax: { wikilinks: true },
      resolve: (href) => href,
      pageNamed: () => '/x',
    })
    t.ok(cpuMs() - begin < 5_000, part)
  }
})

t.test('check names circles, parts that are not there, and what a page does not take in, with their places', (t) => {
  const files = {
    'content/notes/a.md': note('A', 'x ![[b]]\n\n![[b#Nothing]] [[b#There]] [[b#^block]]'),
    'content/notes/b.md': note('B', '## There\n\n![[c]]'),
    'content/notes/c.md': note('C', '[[a]]\n\n![[a|text]]'),
    'content/notes/d.md': note('D', '![[unlisted]] ![[script]]'),
    'content/notes/unlisted.md': note('Unlisted', '', 'unlisted: true\n'),
    'content/raw/script.md': note('Script'),
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { site } = publicSite(t, opened)
    const told = (await site.remarks()).map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`)
    t.same(
      told.filter((one) => one.startsWith('notes/')).sort(),
      [
        'notes/a:6:4 The link [[b]] leads to a part that notes/b does not have.',
        'notes/c:6:4 This takes in a text that takes in this one (notes/a → notes/b → notes/c → notes/a): it is shown as a link.',
        'notes/d:4:4 This takes in notes/unlisted, which is not to be found, as this page is: it is shown as a link.',
        'notes/d:4:18 This takes in raw/script, whose HTML is trusted, as that of this page is not: it is shown as a link.',
      ].sort(),
    )
  })
})
