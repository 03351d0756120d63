import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SEARCH_FILES, SEARCH_FOLDERS } from '#features/site/searching/place.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

t.test('a page at the address of a file of the theme or the search, or behind it, is named, and the file is built', async (t) => {
  const plain = { 'content/posts/a.md': '---\ntitle: A\n---\nWords.\n' }
  const assets: string[] = []
  await eachStore(t, { files: plain, types: plainTypes() }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, true)
    t.match(await site.build('public'), { problems: [] })
    t.strictSame(readdirSync(folder.path('public/search')).sort(), [...names(), 'index.html'].sort(), 'these are the files')
    assets.push(...readdirSync(folder.path('public/assets')).map((name) => `/assets/${name}`))
  })
  const taken = [...SEARCH_FILES, `${SEARCH_FILES[0]}/more`, ...assets.slice(0, 1)]
  const files = Object.fromEntries(
    taken.map((path, n) => [`content/posts/p${n}.md`, `---\ntitle: P\npermalink: ${path}\naliases: [/old-${n}]\n---\nWords.\n`]),
  )
  await eachStore(t, { files: { ...plain, ...files }, types: plainTypes() }, async (t, opened) => {
    const { site, folder } = publicSite(t, opened, true)
    const named = taken.map((_path, n) => ({ file: `posts/p${n}`, severity: 'error' }))
    const byName = (a: { file: string }, b: { file: string }) => (a.file < b.file ? -1 : 1)
    t.match([...(await site.problems())].sort(byName), named)
    t.match([...(await site.build('public')).problems].sort(byName), named)
    for (const path of SEARCH_FOLDERS) t.ok(statSync(join(folder.path('public'), path)).isDirectory(), path)
    for (const path of [...SEARCH_FILES.filter((path) => !SEARCH_FOLDERS.includes(path)), ...assets]) {
      const file = join(folder.path('public'), path)
      t.ok(existsSync(file) && statSync(file).isFile(), path)
      t.strictSame(readFileSync(file), (await site.page(path)).body, 'as it is served')
    }
  })
})

function names(): string[] {
  return SEARCH_FILES.map((path) => path.slice('/search/'.length))
}
