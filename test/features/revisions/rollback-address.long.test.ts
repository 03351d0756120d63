import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const HELLO = '---\ntitle: Hello\nslug: hello\n---\n[me](/blog/hello) [side](side)\n'
const FILES = {
  'content/posts/hello.md': HELLO,
  'content/posts/side.md': '---\ntitle: Side\n---\n[h](/blog/hello) [code](hello)\n',
  'content/posts/hidden.md': '---\ntitle: Hidden\nstatus: draft\n---\n[h](/blog/hello)\n',
  'content/menus/main.yaml': 'items:\n  - label: Hello\n    url: /blog/hello\n',
  'content/dated/old.md': '---\ntitle: Old\ndate: 2024-05-01\n---\n[n](next)\n',
  'content/dated/next.md': '---\ntitle: Next\ndate: 2024-05-02\n---\n[o](old)\n',
}
const types = plainTypes({ posts: { permalink: '/blog/{slug}' }, dated: { permalink: '/{year}/{month}/{slug}' } })

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>): void {
  t.test(name, (t) => eachStore(t, { files: FILES, types, history: true }, (t, opened) => body(t, new TestApp(opened), opened)))
}

const source = async ({ store }: OpenedStore, type: string, id: string) => (await store.get(keyOf(type, id)))?.source?.toString()
const put = (app: TestApp, path: string, body: unknown) => app.ask(`PUT /api/cms/${path}`, { body })

/** The name of the revision `n` places before the newest (−1: the first). */
async function tsOf(app: TestApp, path: string, n: number): Promise<string> {
  return (await app.ask(`GET /api/cms/${path}/revisions?per_page=100`)).body.data.at(n).ts
}

each('a rollback to another slug keeps the addresses there were, and what leads to them follows', async (t, app, opened) => {
  await put(app, 'posts/hello', { slug: 'hi' })
  await put(app, 'posts/hello', { slug: 'hey' })
  t.match(await source(opened, 'posts', 'side'), '[h](/blog/hey) [code](hey)')
  const ts = await tsOf(app, 'posts/hello', -1)
  const back = await app.ask(`POST /api/cms/posts/hello/rollback/${ts}`)
  t.match(back.body, {
    data: { url: '/blog/hello', aliases: ['/blog/hi', '/blog/hey'] },
    meta: { rolled_back_to: ts, changed: true, rewritten: 3 },
  })
  t.notOk(back.body.meta.left)
  t.equal(await source(opened, 'posts', 'side'), FILES['content/posts/side.md'])
  t.equal(await source(opened, 'posts', 'hidden'), FILES['content/posts/hidden.md'])
  t.equal(await source(opened, 'menus', 'main'), FILES['content/menus/main.yaml'])
  const made = await source(opened, 'posts', 'hello')
  t.equal(made?.replace(/^aliases:.*\n(?: +- .*\n)*/m, ''), HELLO, 'all else is as it was')
  const again = await app.ask(`POST /api/cms/posts/hello/rollback/${ts}`)
  t.match([again.status, again.body], [200, { data: { aliases: ['/blog/hi', '/blog/hey'] }, meta: { changed: false } }])
  t.equal(await source(opened, 'posts', 'hello'), made)
})

each('it is one write, and says what it was', async (t, app) => {
  await put(app, 'posts/hello', { slug: 'hi' })
  await app.ask(`POST /api/cms/posts/hello/rollback/${await tsOf(app, 'posts/hello', -1)}`)
  const [own] = (await app.ask('GET /api/cms/posts/hello/revisions')).body.data
  const [other] = (await app.ask('GET /api/cms/posts/side/revisions')).body.data
  t.match([own.action, own.commit], ['rolled_back', other.commit])
})

each('a rollback to before a move has the record’s own links lead where they led', async (t, app, opened) => {
  const body = '[me](hello.md#x) [side](side.md) [far](/posts/side.md) [abs](/blog/hello) ![c](./cat.png) `[c](side.md)`\n'
  await put(app, 'posts/hello', { body })
  await app.ask('POST /api/cms/posts/hello/move', { body: { id: '2026~06~new' } })
  const moved = (await app.ask('GET /api/cms/posts/2026~06~new')).body.data.body
  t.match(moved, '[me](new.md#x) [side](../../side.md) [far](/posts/side.md)')
  await put(app, 'posts/2026~06~new', { body: 'Other\n' })
  const back = await app.ask(`POST /api/cms/posts/2026~06~new/rollback/${await tsOf(app, 'posts/2026~06~new', -2)}`)
  t.equal(back.body.data.body, moved)
  await app.ask('DELETE /api/cms/posts/2026~06~new')
  const restored = await app.ask(`POST /api/cms/posts/2026~06~new/rollback/${await tsOf(app, 'posts/2026~06~new', -2)}`)
  t.equal(restored.body.data.body, moved)
  t.match(await source(opened, 'posts', '2026~06~new'), '`[c](side.md)`')
})

each('redirect=false keeps no address', async (t, app, opened) => {
  await put(app, 'posts/hello', { slug: 'hi' })
  const ts = await tsOf(app, 'posts/hello', -1)
  t.equal((await app.ask(`POST /api/cms/posts/hello/rollback/${ts}?redirect=no`)).status, 422)
  const back = await app.ask(`POST /api/cms/posts/hello/rollback/${ts}?redirect=false`)
  t.match([back.status, back.body.data.aliases, back.body.meta.rewritten], [200, undefined, 3])
  t.equal(await source(opened, 'posts', 'hello'), HELLO)
})

each('so it is with a date and a permalink', async (t, app, opened) => {
  await put(app, 'dated/old', { published_at: '2023-01-02T00:00:00.000Z' })
  await put(app, 'dated/old', { permalink: '/about' })
  t.match(await source(opened, 'dated', 'next'), '[o](../../about)')
  const dated = await app.ask(`POST /api/cms/dated/old/rollback/${await tsOf(app, 'dated/old', 1)}`)
  t.match(dated.body.data, { url: '/2023/01/old', aliases: ['/2024/05/old', '/about'] })
  const first = await app.ask(`POST /api/cms/dated/old/rollback/${await tsOf(app, 'dated/old', -1)}`)
  t.match(first.body.data, { url: '/2024/05/old', aliases: ['/about', '/2023/01/old'] })
  t.match([await source(opened, 'dated', 'old'), await source(opened, 'dated', 'next')], [/\[n\]\(next\)/, /\[o\]\(old\)/])
})

each('what is not live has no address to keep: it is what it was', async (t, app, opened) => {
  await put(app, 'posts/hello', { slug: 'hi' })
  await put(app, 'posts/hello', { status: 'draft' })
  const back = await app.ask(`POST /api/cms/posts/hello/rollback/${await tsOf(app, 'posts/hello', -1)}`)
  t.match(back.body.data, { slug: 'hello', status: 'draft', aliases: undefined })
  t.match(await source(opened, 'posts', 'side'), '/blog/hi', 'nobody was led there')
})

each('a change that is merged and one that publishes are changes of an address as any other', async (t, app, opened) => {
  const { version } = (await app.ask('GET /api/cms/posts/hello')).body.data
  await put(app, 'posts/hello', { title: 'Theirs' })
  const merged = await put(app, `posts/hello?base=${version}`, { slug: 'hi' })
  t.match(merged.body, {
    data: { title: 'Theirs', url: '/blog/hi', aliases: ['/blog/hello'] },
    meta: { merged: true, rewritten: 3 },
  })
  const theirs = await put(app, `posts/hello?base=${version}`, { slug: 'hello', tags: ['x'] })
  t.match(theirs.body.data, { slug: 'hi', aliases: ['/blog/hello'], tags: ['x'] }, 'who knew nothing of it takes nothing back')
  await put(app, 'dated/next', { status: 'draft', published_at: null })
  const published = await put(app, 'dated/next', { status: 'published' })
  t.match(published.body.data.url, /^\/2026\/\d\d\/next$/)
  t.equal(published.body.data.aliases, undefined, 'it had no address without a date')
  t.match(await source(opened, 'dated', 'old'), '[n](next)', 'a link that led nowhere stays')
})
