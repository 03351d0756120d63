import t from 'tap'
import { keyText } from '#core/key.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

t.test('many who ask for a page at once have it made once', (t) => {
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
