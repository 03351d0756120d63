import t from 'tap'
import { keyText } from '#core/key.ts'
import { Sitemaps } from '#features/site/feeds/sitemap.ts'
import type { SiteSnapshot } from '#features/site/outline/site-snapshot.ts'
import { TestClock } from '#support/clock.ts'
import { longTest } from '#support/long.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

longTest('many who ask for a page at once have it made once', (t) => {
  const files = { 'content/posts/a.md': '---\ntitle: A\n---\nHello.\n', 'content/menus/main.yaml': 'items: []\n' }
  return eachStore(t, { files, types: plainTypes({ posts: { permalink: '/blog/{slug}' } }) }, async (t, opened) => {
    const { site } = publicSite(t, opened)
    const { store } = opened
    const asked: string[] = []
    const get = store.get.bind(store)
    store.get = (key, once) => {
      asked.push(keyText(key))
      return get(key, once)
    }
    const pages = await Promise.all(Array.from({ length: 100 }, () => site.page('/blog/a')))
    t.ok(pages.every(({ status, body }) => status === 200 && String(body).includes('Hello.')))
    // What was read before the dates of files were known may be made anew.
    t.ok(asked.length <= 4, asked.join())
    const { length } = asked
    await Promise.all(Array.from({ length: 100 }, () => site.page('/nowhere')))
    t.equal((await site.page('/blog/a')).status, 200)
    t.equal(asked.length, length)
  })
})

t.test('what is not there has one page, however often it is asked for, and by any name', (t) =>
  eachStore(t, { files: {}, types: plainTypes() }, async (t, opened) => {
    const { site } = publicSite(t, opened)
    const names = Array.from({ length: 50 }, (_none, n) => `/nowhere-${n}`)
    const pages = await Promise.all(['/sitemap-7.xml', ...names, '/%zz'].map((path) => site.page(path)))
    pages.push(await site.page('/'), await site.page('/later'))
    const [front] = pages.splice(-2, 1)
    t.equal(front?.status, 200)
    t.ok(pages.every(({ status }) => status === 404))
    // One that was made before the dates of files were known is made anew.
    t.ok(new Set(pages.map(({ body }) => body)).size <= 2)
  }),
)

t.test('the sitemap of a snapshot is made once a minute, whatever parts are asked for', async (t) => {
  let read = 0
  const clock = new TestClock()
  const records = {
    values: () => {
      read++
      return [].values()
    },
  }
  const snapshot = { origin: 'https://example.org', base: '', outline: { records, index: undefined } } as unknown as SiteSnapshot
  const sitemaps = new Sitemaps({ of: async () => new Map(), forget: () => undefined }, clock)
  const [one, other] = [sitemaps.of(snapshot), sitemaps.of(snapshot)]
  const made = await one
  t.equal(await other, made)
  const before = read
  clock.advance(59_999)
  t.equal(await sitemaps.of(snapshot), made)
  t.equal(read, before)
  clock.advance(1)
  t.not(await sitemaps.of(snapshot), made)
})
