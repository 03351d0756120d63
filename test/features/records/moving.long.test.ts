import { existsSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { git, isSound, statusOf } from '#support/git.ts'
import { eachStore, everyStore, type OpenedStore, openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  posts: { permalink: '/blog/{slug}' },
  notes: {
    additional_fields: true,
    fields: {
      post: { type: 'reference', to: 'posts' },
      others: { type: 'list' },
      more: { type: 'url' },
      text: { type: 'markdown' },
      author: { type: 'reference', to: 'posts' },
    },
  },
  boxes: {
    fields: {
      several: { type: 'reference', to: 'posts', multiple: true },
      listed: { type: 'list', of: { type: 'reference', to: 'posts' } },
      rows: {
        type: 'list',
        of: {
          type: 'object',
          fields: {
            post: { type: 'reference', to: 'posts' },
            more: { type: 'list', of: { type: 'reference', to: 'posts', multiple: true } },
            note: { type: 'reference', to: 'notes' },
            link: { type: 'url' },
            text: { type: 'markdown' },
            name: { type: 'text' },
          },
        },
      },
    },
  },
  dated: { permalink: '/{year}/{month}/{slug}' },
})

const LINKS = `---
title: Links   # mine
more: /blog/hello?x=1
post: hello
text: "See [it](/blog/hello/)."
---
See [it](/blog/hello "t"), [there](/blog/hello/#top), [whole](https://example.org/blog/hello?a=b),
<https://example.org/blog/hello>, https://example.org/blog/hello. ![p](/blog/hello/cat.png)
[file](../posts/hello.md#x) [root](/posts/hello.md) [other](/blog/hello-world) [far](https://other.org/blog/hello)
> - [quoted][r] \`[code](/blog/hello)\`

    [code](/blog/hello)

| [cell](/blog/hello) | <a class="x" href='/blog/hello'>raw</a> |
|---|---|
| /blog/hello | b |

<!-- [no](/blog/hello) <a href="/blog/hello"> -->

[r]: </blog/hello> (t)
`

const REWRITTEN = `---
title: Links   # mine
more: /blog/new?x=1
post: 2026~new
text: "See [it](/blog/new/)."
---
See [it](/blog/new "t"), [there](/blog/new/#top), [whole](https://example.org/blog/new?a=b),
<https://example.org/blog/new>, https://example.org/blog/new. ![p](/blog/hello/cat.png)
[file](../posts/2026/new.md#x) [root](/posts/2026/new.md) [other](/blog/hello-world) [far](https://other.org/blog/hello)
> - [quoted][r] \`[code](/blog/hello)\`

    [code](/blog/hello)

| [cell](/blog/new) | <a class="x" href='/blog/new'>raw</a> |
|---|---|
| /blog/hello | b |

<!-- [no](/blog/hello) <a href="/blog/hello"> -->

[r]: </blog/new> (t)
`

const MENU = `# the menu
items:
  - label: Hello   # first
    record: { type: posts, id: hello }
  - label: "About"
    url: '/blog/hello#about'
    children:
      - record:
          id: "hello"
          type: posts
      - { label: Else, url: /blog/hello-world }
`

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\n---\n[me](hello.md) [side](side.md) [rel](side) [home](/) ![c](./cat.png)\n',
  'content/posts/hello-world.md': '---\ntitle: Other\n---\nNothing.\n',
  'content/posts/side.md': '---\ntitle: Side\n---\n[h](hello.md) [h](./hello) [d](draft.md)\r\n[crlf](hello.md)\r\n',
  'content/posts/draft.md': '---\ntitle: Draft\nstatus: draft\n---\n[me](/blog/draft)\n',
  'content/notes/links.md': LINKS,
  'content/notes/data.yaml': 'title: Data\nbody: "[h](/blog/hello)"\nothers: [hello]\n',
  'content/notes/broken.md': '---\ntitle: [\n---\n[h](/blog/hello)\n',
  'content/dated/old.md': '---\ntitle: Old\ndate: 2024-05-01\n---\n[n](next) [a](/2024/05/old)\n',
  'content/dated/next.md': '---\ntitle: Next\ndate: 2024-05-02\n---\n[o](old)\n',
  'content/menus/main.yaml': MENU,
}

const BY = { name: 'A', email: 'a@example.org' }

type Body = (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>

function each(name: string, body: Body): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const source = async ({ store }: OpenedStore, type: string, id: string) => (await store.get(keyOf(type, id)))?.source?.toString()

each('what leads to a record that moves leads to it still, and nothing else is another', async (t, app, opened) => {
  const moved = await app.ask('POST /api/cms/posts/hello/move', { body: { id: '2026~new' } })
  t.match(moved.body.data, { id: '2026~new', url: '/blog/new', aliases: ['/blog/hello'] })
  t.same(moved.body.meta, { rewritten: 4, left: ['notes/broken'] }, 'two notes, a post and the menu')
  t.equal(await source(opened, 'notes', 'links'), REWRITTEN)
  t.equal(await source(opened, 'notes', 'data'), 'title: Data\nbody: "[h](/blog/new)"\nothers: [hello]\n')
  t.equal(
    await source(opened, 'posts', 'side'),
    '---\ntitle: Side\n---\n[h](2026/new.md) [h](./new) [d](draft.md)\r\n[crlf](2026/new.md)\r\n',
  )
  t.equal(
    await source(opened, 'menus', 'main'),
    MENU.replace('id: hello }', 'id: "2026~new" }')
      .replace("'/blog/hello#about'", "'/blog/new#about'")
      .replace('id: "hello"', 'id: "2026~new"'),
  )
  t.match(await source(opened, 'posts', '2026~new'), '[me](new.md) [side](../side.md) [rel](side) [home](/) ![c](../cat.png)')
  const again = await app.ask('POST /api/cms/posts/2026~new/move', { body: { id: 'hello' } })
  t.same(again.body.data.aliases, ['/blog/new'], 'the address that is its own again is no alias')
  t.equal(await source(opened, 'notes', 'links'), LINKS)
  t.equal(await source(opened, 'posts', 'side'), FILES['content/posts/side.md'])
})

const BUNDLES = {
  'content/posts/trip/index.md':
    '---\ntitle: Trip\n---\n![a](cat.jpg) ![b](pics/my%20cat.jpg "t") ![c](../cat.jpg) ![d](../../notes/x.png) <img src="cat.jpg"> ![e](day/cat.jpg) ![f](flat/cat.jpg)\n',
  'content/posts/trip/flat.md': '---\ntitle: Flat\n---\n',
  'content/posts/trip/day/index.md': '---\ntitle: Day\n---\n',
  'content/posts/single.md':
    '---\ntitle: Single\nslug: one\n---\n![a](./cat.jpg) ![b](trip/cat.jpg) [page](elsewhere) ![out](../../out.jpg)\n',
}

const BESIDE = {
  'content/posts/trip/cat.jpg': 'cat',
  'content/posts/trip/pics/my cat.jpg': 'my cat',
  'content/posts/trip/notes.zip': 'no picture',
  'content/posts/trip/flat/cat.jpg': 'cat of a folder that is no record’s',
  'content/posts/trip/day/cat.jpg': 'cat of the day',
  'content/posts/cat.jpg': 'cat of the type',
}

t.test('the pictures of a record go with it when it moves, and links to them follow', (t) =>
  eachStore(t, { files: BUNDLES, beside: BESIDE, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    const paths = async () => (await opened.siteFiles.list('content', { limit: 100 })).map(({ path }) => path)
    const moved = async (id: string, to: string) => {
      t.equal((await app.ask(`POST /api/cms/posts/${id}/move`, { body: { id: to } })).status, 200)
      return (await source(opened, 'posts', to))?.split('---\n').at(-1)
    }
    const text = BUNDLES['content/posts/trip/index.md'].split('---\n')[2]
    const before = await paths()
    t.equal(
      await moved('trip', '2026~journey'),
      '![a](cat.jpg) ![b](pics/my%20cat.jpg "t") ![c](../../cat.jpg) ![d](../../../notes/x.png) <img src="cat.jpg"> ![e](../../trip/day/cat.jpg) ![f](flat/cat.jpg)\n',
    )
    t.same(await paths(), [
      ...['posts/2026/journey/cat.jpg', 'posts/2026/journey/flat/cat.jpg', 'posts/2026/journey/pics/my cat.jpg'],
      ...['posts/cat.jpg', 'posts/trip/day/cat.jpg', 'posts/trip/notes.zip'],
    ])
    const cat = await opened.siteFiles.find('content', 'posts/2026/journey/cat.jpg')
    t.equal(cat && String(await buffer((await opened.siteFiles.open(cat)) as Readable)), 'cat')
    t.match(await source(opened, 'posts', 'single'), '![b](2026/journey/cat.jpg)')
    if (opened.site) {
      const { root } = opened.site
      const lines = git(root, ['show', '--no-renames', '--name-status', '--format=', 'HEAD'])
        .split('\n')
        .map((line) => line.replace('\t', ' '))
      t.same(lines.sort(), [
        ...[
          'A content/posts/2026/journey/cat.jpg',
          'A content/posts/2026/journey/flat/cat.jpg',
          'A content/posts/2026/journey/index.md',
          'A content/posts/2026/journey/pics/my cat.jpg',
        ],
        ...[
          'D content/posts/trip/cat.jpg',
          'D content/posts/trip/flat/cat.jpg',
          'D content/posts/trip/index.md',
          'D content/posts/trip/pics/my cat.jpg',
          'M content/posts/single.md',
        ],
      ])
      t.same(statusOf(opened.site), [])
      t.ok(isSound(opened.site))
    }
    t.equal(await moved('2026~journey', 'trip'), text, 'and back')
    t.same(await paths(), before)
    t.equal(
      await moved('single', 'deep~er~single'),
      '![a](../../cat.jpg) ![b](../../trip/cat.jpg) [page](elsewhere) ![out](../../out.jpg)\n',
      'what lies beside a record without a folder stays',
    )
    t.same(await paths(), before)
    await app.ask('PUT /api/cms/posts/trip', { body: { slug: 'other' } })
    t.equal((await source(opened, 'posts', 'trip'))?.split('---\n').at(-1), text)
  }),
)

t.test('in files, a picture that nobody has committed goes along, and nothing is written over', async (t) => {
  const opened = await openFiles({ files: BUNDLES, beside: BESIDE, types, history: true })
  t.teardown(() => opened.close())
  const app = new TestApp(opened)
  const { site } = opened
  site.write('content/posts/trip/cat.jpg', 'edited by hand')
  site.write('content/posts/trip/new.jpg', 'new by hand')
  site.write('content/posts/taken/cat.jpg', 'another')
  const refused = await app.ask('POST /api/cms/posts/trip/move', { body: { id: 'taken' } })
  t.equal(refused.status, 409)
  t.match(refused.body.message, /"content\/posts\/taken\/cat.jpg" is in the way/)
  t.equal(readFileSync(site.path('content/posts/trip/cat.jpg'), 'utf8'), 'edited by hand')
  t.equal((await app.ask('POST /api/cms/posts/trip/move', { body: { id: 'free' } })).status, 200)
  t.equal(readFileSync(site.path('content/posts/free/cat.jpg'), 'utf8'), 'edited by hand')
  t.equal(readFileSync(site.path('content/posts/free/new.jpg'), 'utf8'), 'new by hand')
  t.equal(existsSync(site.path('content/posts/trip/cat.jpg')), false)
  t.equal(git(site.root, ['show', 'HEAD:content/posts/free/cat.jpg']), 'edited by hand')
  t.ok(isSound(site))
  t.same(statusOf(site), ['?? content/posts/taken/'])
})

const BOX = `---
title: Box
several:
  - side
  - hello
listed:
  - hello   # this one
rows:
  - name: hello   # no reference
    post: hello
  - note: hello
    more:
      -
        - side
        - hello
    link: /blog/hello#top
    text: "[h](/blog/hello), hello"   # quoted
---
`

t.test('what leads to a record from within lists and objects leads to it still', (t) =>
  eachStore(t, { files: { ...FILES, 'content/boxes/box.md': BOX }, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const moved = await app.ask('POST /api/cms/posts/hello/move', { body: { id: 'new' } })
    t.same(moved.body.meta, { rewritten: 5, left: ['notes/broken'] })
    const wanted = BOX.replace('- hello\nlisted', '- new\nlisted')
      .replace('- hello   # this', '- new   # this')
      .replace('post: hello', 'post: new')
      .replace('        - hello', '        - new')
      .replaceAll('/blog/hello', '/blog/new')
    t.equal(await source(opened, 'boxes', 'box'), wanted)
    const slug = await app.ask('PUT /api/cms/posts/new', { body: { slug: 'newer' } })
    t.equal(slug.body.meta.rewritten, 5)
    t.equal(await source(opened, 'boxes', 'box'), wanted.replaceAll('/blog/new', '/blog/newer'))
    await app.ask('POST /api/cms/posts/side/move', { body: { id: 'index' } })
    await app.ask('POST /api/cms/posts/index/move', { body: { id: 'other' } })
    t.match(await source(opened, 'boxes', 'box'), /several:\n {2}- other\n[\s\S]*-\n {8}- other\n/)
    await opened.store.write([{ key: keyOf('boxes', 'late'), put: { set: { rows: [{ more: [['other']] }] } } }], BY)
    await app.ask('POST /api/cms/posts/other/move', { body: { id: 'last' } })
    t.match(await source(opened, 'boxes', 'late'), /- last$/m, 'also from one that came since')
  }),
)

each('a new slug, date or permalink of a live record is a new address', async (t, app, opened) => {
  const slug = await app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hi' } })
  t.match(slug.body, { data: { url: '/blog/hi', aliases: ['/blog/hello'] }, meta: { rewritten: 4 } })
  t.match(await source(opened, 'notes', 'links'), /\[it\]\(\/blog\/hi "t"\).*\n.*\n\[file\]\(\.\.\/posts\/hello\.md#x\)/)
  t.match(await source(opened, 'menus', 'main'), /id: hello \}[\s\S]*'\/blog\/hi#about'/)
  t.match((await app.ask('PUT /api/cms/posts/hello', { body: { title: 'Hey' } })).body.meta, undefined)
  const dated = await app.ask('PUT /api/cms/dated/old', { body: { published_at: '2023-01-02T00:00:00.000Z' } })
  t.match(dated.body.data, { url: '/2023/01/old', aliases: ['/2024/05/old'] })
  t.match(await source(opened, 'dated', 'old'), '[n](../../2024/05/next) [a](/2023/01/old)')
  t.match(await source(opened, 'dated', 'next'), '[o](../../2023/01/old)')
  const own = await app.ask('PUT /api/cms/dated/old', { body: { permalink: '/über uns' } })
  t.same(own.body.data.aliases, ['/2024/05/old', '/2023/01/old'])
  t.match(await source(opened, 'dated', 'next'), '[o](../../%C3%BCber%20uns)')
  const back = await app.ask('PUT /api/cms/dated/old', { body: { permalink: null } })
  t.same(back.body.data.aliases, ['/2024/05/old', '/%C3%BCber%20uns'])
})

each('redirect=false keeps no address', async (t, app, opened) => {
  const slug = await app.ask('PUT /api/cms/posts/hello?redirect=false', { body: { slug: 'hi' } })
  t.match(slug.body, { data: { url: '/blog/hi' }, meta: { rewritten: 4 } })
  t.notMatch(await source(opened, 'posts', 'hello'), /aliases/)
  const moved = await app.ask('POST /api/cms/posts/side/move?redirect=false', { body: { id: 'x' } })
  t.notMatch(moved.body.data, { aliases: ['/blog/side'] })
  t.equal((await app.ask('POST /api/cms/posts/x/move?redirekt=false', { body: { id: 'y' } })).status, 400)
  t.equal((await app.ask('PUT /api/cms/posts/x?redirect=no', { body: { slug: 'y' } })).status, 422)
})

each('what was never live had no address, but has an id and a file', async (t, app, opened) => {
  const slug = await app.ask('PUT /api/cms/posts/draft', { body: { slug: 'late' } })
  t.match(slug.body, { data: { slug: 'late' } })
  t.notOk(slug.body.data.aliases)
  await app.ask('POST /api/cms/posts/draft/move', { body: { id: '2026~d' } })
  t.match(await source(opened, 'posts', '2026~d'), '[me](/blog/draft)')
  t.notMatch(await source(opened, 'posts', '2026~d'), /aliases/)
  t.match(await source(opened, 'posts', 'side'), '[d](2026/d.md)')
})

each('an address that others share, or that is of a list, leads where it leads', async (t, app, opened) => {
  const byHand = async (permalink: string) => {
    await opened.store.write([{ key: keyOf('posts', 'side'), put: { set: { permalink } } }], {
      name: 'A',
      email: 'a@example.org',
    })
  }
  await byHand('/blog/hello')
  const links = await source(opened, 'notes', 'links')
  const moved = await app.ask('PUT /api/cms/posts/side', { body: { permalink: '/taken' } })
  t.match(moved.body.meta, { rewritten: 0 })
  t.equal(await source(opened, 'notes', 'links'), links)
  for (const permalink of ['/blog', '/tags/x', '/']) {
    await byHand(permalink)
    t.match((await app.ask('PUT /api/cms/posts/side', { body: { permalink: '/taken' } })).body.meta, { rewritten: 0 }, permalink)
  }
})

t.test('who may change one record has all others follow, and is told of those that they may know of', (t) =>
  eachStore(
    t,
    { files: { ...FILES, 'content/notes/secret.md': '---\nstatus: draft\n---\n[h](/blog/hello)\n' }, types },
    async (t, opened) => {
      const app = new TestApp(opened)
      const answer = await app.ask('PUT /api/cms/posts/hello', {
        body: { slug: 'hi' },
        as: 'content:read,content:write',
        types: ['posts'],
      })
      t.match(answer.body.meta, { rewritten: 2 }, 'the other post, and the menu')
      t.match(await source(opened, 'notes', 'secret'), '[h](/blog/hi)')
    },
  ),
)

t.test('it is one write: the history of each says what was done to it', (t) =>
  everyStore(t, { files: FILES, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    await app.ask('POST /api/cms/posts/hello/move', { body: { id: 'new' } })
    if (opened.name === 'files' || (await app.ask('GET /api/cms/posts/new/revisions')).status === 404) return
    const of = async (path: string) => (await app.ask(`GET /api/cms/${path}/revisions`)).body.data[0]
    const [moved, other] = [await of('posts/new'), await of('posts/side')]
    t.same([moved.action, other.action], ['moved', 'updated'])
    t.equal(other.commit, moved.commit)
    t.match(other.message, 'Move posts/hello to new')
  }),
)

t.test('a link that is written while a record moves is not lost, and the move is done', (t) =>
  eachStore(t, { files: FILES, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const write = opened.store.write.bind(opened.store)
    let first = true
    opened.store.write = async (...given) => {
      if (first) {
        first = false
        await write([{ key: keyOf('posts', 'side'), put: { body: 'Now [this](/blog/hello).\n' } }], given[1])
      }
      return write(...given)
    }
    const { etag = '' } = (await app.ask('GET /api/cms/posts/hello')).headers
    const moved = await app.ask('POST /api/cms/posts/hello/move', { body: { id: 'new' }, headers: { 'if-match': etag } })
    t.equal(moved.status, 200)
    t.match(await source(opened, 'posts', 'side'), 'Now [this](/blog/new).')
  }),
)

t.test('what can not be read and leads to a record is named, to who may know what it holds', (t) => {
  const files = {
    ...FILES,
    'content/notes/other.md': '---\ntitle: [\n---\n[h](/blog/hello-world), /blog/hello and `[h](/blog/hello)`\n',
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const app = new TestApp(opened)
    const slug = await app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hi' } })
    t.same(slug.body.meta, { rewritten: 4, left: ['notes/broken'] })
    const back = await app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hello' }, as: 'content:read,content:write' })
    t.same(back.body.meta, { rewritten: 4 }, 'it leads elsewhere now')
    const known = await app.ask('PUT /api/cms/posts/hello', { body: { slug: 'hi' }, as: 'content:read,content:write' })
    t.same(known.body.meta, { rewritten: 4 }, 'a text that is not for the reader')
    t.equal(await source(opened, 'notes', 'broken'), FILES['content/notes/broken.md'])
  })
})

t.test('links from within the folder of a record that moves follow its files', (t) => {
  const within = {
    'content/posts/trip/index.md': '---\ntitle: Trip\n---\n![a](cat.jpg)\n',
    'content/posts/trip/side.md': '---\ntitle: Side\n---\n![a](cat.jpg) <img src="pics/my%20cat.jpg"> ![b](./flat/cat.jpg)\n',
    'content/posts/trip/deep/below.md': '---\ntitle: Below\n---\n![a](../cat.jpg)\n',
    'content/posts/trip/day/index.md': '---\ntitle: Day\n---\n![a](cat.jpg)\n',
    'content/posts/trips/side.md': '---\ntitle: Other\n---\n![a](cat.jpg)\n',
  }
  return eachStore(t, { files: within, beside: BESIDE, types, history: true }, async (t, opened) => {
    const app = new TestApp(opened)
    const moved = await app.ask('POST /api/cms/posts/trip/move', { body: { id: '2026~journey' } })
    t.equal(moved.status, 200)
    t.match(
      await source(opened, 'posts', 'trip~side'),
      '![a](../2026/journey/cat.jpg) <img src="../2026/journey/pics/my%20cat.jpg"> ![b](../2026/journey/flat/cat.jpg)',
    )
    t.match(await source(opened, 'posts', 'trip~deep~below'), '![a](../../2026/journey/cat.jpg)')
    t.equal(await source(opened, 'posts', 'trip~day'), within['content/posts/trip/day/index.md'], 'it has a picture of its own')
    t.equal(await source(opened, 'posts', 'trips~side'), within['content/posts/trips/side.md'])
  })
})
