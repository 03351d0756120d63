import { readdirSync, readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { type Key, keyOf, keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const { author } = localAccess({ name: 'Test', email: 'test@example.org' })
const HIDDEN = keyOf('posts', 'a')
const FILES = {
  'content/posts/a.md': '---\ntitle: A\ndate: 2026-01-02\n---\nFor all.\n',
  'content/posts/b.md': '---\ntitle: B\ndate: 2026-01-01\n---\nB, too.\n',
}

/** A store whose author takes a record back, and writes on, right before it is read for a page. */
class Withdrawing {
  readonly store: Store
  #isDue = true

  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return name === 'get' ? (key: Key) => this.#get(target, key) : value.bind(target)
      },
    })
  }

  async #get(store: Store, key: Key): Promise<Document | undefined> {
    if (this.#isDue && keyText(key) === keyText(HIDDEN)) {
      this.#isDue = false
      const put = { set: { status: 'draft' }, body: 'For my eyes only.\n' }
      await store.write([{ key, put }], author, { action: 'unpublished' })
    }
    return store.get(key)
  }
}

function siteOn(t: Test, opened: OpenedStore) {
  const { store } = new Withdrawing(opened.store)
  return publicSite(t, { ...opened, store })
}

for (const path of ['/posts/a', '/posts', '/', '/feed.xml']) {
  t.test(`${path}: what an author takes back while the page is made is not on it`, (t) =>
    eachStore(t, { files: FILES, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
      const { site } = siteOn(t, opened)
      const { status, body } = await site.page(path)
      t.equal(status, path === '/posts/a' ? 404 : 200)
      t.notMatch(String(body), 'my eyes')
    }),
  )
}

t.test('a build writes nothing of what is taken back meanwhile', (t) =>
  eachStore(t, { files: FILES, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const { site, folder } = siteOn(t, opened)
    await site.build('public')
    const files = readdirSync(folder.path('public'), { recursive: true, encoding: 'utf8' })
    t.ok(files.includes('posts/b/index.html'))
    for (const file of files.filter((name) => /\.\w+$/.test(name)))
      t.notMatch(readFileSync(folder.path(`public/${file}`), 'utf8'), 'my eyes', file)
  }),
)

t.test('an author who is not live is called as one without a record is', (t) => {
  const post = (author: string) => `---\ntitle: A\ndate: 2026-01-02\nauthor: ${author}\n---\nFor all.\n`
  const files = {
    'content/posts/by-none.md': post('zed'),
    'content/posts/by-hidden.md': post('zoe'),
    'content/posts/by-live.md': post('ada'),
    'content/authors/zoe.yaml': 'title: Zoe Hidden\nstatus: draft\n',
    'content/authors/ada.yaml': 'title: Ada Lovelace\n',
  }
  return eachStore(t, { files, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const { site } = siteOn(t, opened)
    const html = async (path: string) => String((await site.page(path)).body)
    const article = async (path: string) => (await html(path)).split('<nav class="neighbours"', 1)[0] ?? ''
    const [none, hidden] = [await article('/posts/by-none'), await article('/posts/by-hidden')]
    t.match(none, 'class="author">zed<')
    t.equal(hidden.replaceAll('zoe', 'zed').replaceAll('by-hidden', 'by-none'), none)
    t.match(await html('/posts/by-live'), 'Ada Lovelace')
  })
})

t.test('an author without a page is called by name from and until the times of their record', (t) => {
  const ofPerson = (author: string) => `---\ntitle: A\ndate: 2026-01-02\nauthor: ${author}\n---\nFor all.\n`
  const files = {
    'content/posts/by-ada.md': ofPerson('ada'),
    'content/posts/by-bob.md': ofPerson('bob'),
    'content/people/ada.yaml': 'name: Ada Leaving\nexpires_at: 2026-11-20T12:00:10Z\n',
    'content/people/bob.yaml': 'name: Bob Coming\npublished_at: 2026-11-20T12:00:20Z\n',
  }
  const types = plainTypes({ posts: { fields: { author: { type: 'reference', to: 'people' } } }, people: { permalink: null } })
  return eachStore(t, { files, types, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const { site } = siteOn(t, opened)
    const names = async () => {
      const pages = await Promise.all(['/posts/by-ada', '/posts/by-bob', '/posts'].map((path) => site.page(path)))
      return ['Ada Leaving', 'Bob Coming'].filter((name) => pages.some(({ body }) => String(body).includes(name)))
    }
    t.same(await names(), ['Ada Leaving'])
    opened.clock.advance(10_000)
    t.same(await names(), [])
    opened.clock.advance(10_000)
    t.same(await names(), ['Bob Coming'])
  })
})

t.test('a menu leads to nothing hidden: neither its label nor what is below it is shown', (t) => {
  const menu = [
    'items:',
    '  - { label: Plan, record: { type: posts, id: a }, children: [{ label: Below, url: /below }] }',
    '  - label: Heading',
    '    children:',
    '      - { label: Gone, record: { type: posts, id: gone }, children: [{ label: Under, url: /under }] }',
    '      - { label: Seen, record: { type: posts, id: b } }',
    '',
  ].join('\n')
  const files = { ...FILES, 'content/menus/main.yaml': menu }
  return eachStore(t, { files, now: '2026-11-20T12:00:00.000Z' }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    t.match(await html('/'), /Plan[\s\S]*Below[\s\S]*Heading[\s\S]*Seen/)
    await opened.store.write([{ key: HIDDEN, put: { set: { status: 'draft' } } }], author, { action: 'unpublished' })
    const page = await html('/posts/b')
    t.notMatch(page, /Plan|Below|Gone|Under/)
    t.match(page, /Heading[\s\S]*Seen/)
  })
})
