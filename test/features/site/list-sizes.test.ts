import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const FILES: Record<string, string> = { 'content/index.md': '---\ntitle: Home\n---\n' }
for (let n = 1; n <= 7; n++) {
  const date = `2026-01-0${n}`
  FILES[`content/posts/p${n}.md`] = `---\ntitle: Post ${n}\ndate: ${date}\ntags: [x]\n---\nText.\n`
  FILES[`content/notes/n${n}.md`] = `---\ntitle: Note ${n}\ndate: ${date}\n---\nText.\n`
}
FILES['content/posts/folder/_index.md'] = '---\ntitle: Folder\n---\n'
for (let n = 1; n <= 4; n++) FILES[`content/posts/folder/f${n}.md`] = `---\ntitle: F${n}\ndate: 2025-01-0${n}\n---\n`

const SIZES = { per_page: 4, feed_limit: 6 }
const POSTS = { per_page: 3, feed_limit: 2 }

t.test('lists and feeds have as many records as the configuration says, of a type or of the site', (t) =>
  eachStore(t, { files: FILES, types: plainTypes({ posts: POSTS }) }, async (t, opened) => {
    const { site } = publicSite(t, opened, false, { sizes: SIZES })
    const status = async (path: string) => (await site.page(path)).status
    for (const [list, pages] of [
      ['', 5],
      ['/posts', 4],
      ['/posts/folder', 2],
      ['/notes', 2],
      ['/tags/x', 2],
    ] as const) {
      t.equal(await status(`${list}/page/${pages}`), 200, `${list} has ${pages} pages`)
      t.equal(await status(`${list}/page/${pages + 1}`), 404, `${list} has no more`)
    }
    const items = async (list: string) => JSON.parse(String((await site.page(`${list}/feed.json`)).body)).items.length
    t.same(await Promise.all(['', '/posts', '/posts/folder', '/notes', '/tags/x'].map(items)), [6, 2, 2, 6, 6])
  }),
)
