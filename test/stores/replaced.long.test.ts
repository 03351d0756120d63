import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { FilesStore } from '#stores/files/store.ts'
import { until } from '#support/cli.ts'
import { TestClock } from '#support/clock.ts'
import { makeSite, type TestSite } from '#support/sites.ts'
import { filesOptions } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

/** Far below the 30 s after which everything is looked at, watched or not. */
const SOON_MS = 12_000

const post = (title: string) => `---\ntitle: ${title}\n---\n`
const FILES = ['posts/a.md', 'posts/2026/11/b.md', 'authors/c.md', 'home.md']
const KEYS = [keyOf('posts', 'a'), keyOf('posts', '2026~11~b'), keyOf('authors', 'c'), keyOf('pages', 'home')]

/** A site whose content is in `content`, served. */
async function served(t: Test, content = 'content'): Promise<{ site: TestSite; store: FilesStore; content: string }> {
  const site = makeSite(Object.fromEntries(FILES.map((file) => [`${content}/${file}`, post('Before')])))
  t.teardown(() => site.remove())
  return { site, content, store: await serve(t, site, content) }
}

async function serve(t: Test, site: TestSite, content: string): Promise<FilesStore> {
  const store = await FilesStore.open({ ...filesOptions(site, plainTypes(), new TestClock()), content, watch: true })
  // A watch alone keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(async () => {
    clearInterval(alive)
    await store.close()
  })
  return store
}

/** Lets the first look at everything pass, which would find an edit as well as the watch does. */
async function settled(store: FilesStore): Promise<void> {
  await until(
    async () => JSON.stringify(await store.health()),
    (health) => health.includes('"reconciled_at":"'),
  )
  await store.reconcile()
}

/** Edits each file by hand, one after the other, and waits until the store has it; in milliseconds, how long the longest took. */
async function edit({ site, store, content }: { site: TestSite; store: FilesStore; content: string }): Promise<number> {
  let longest = 0
  for (const [at, file] of FILES.entries()) {
    const key = KEYS[at] ?? keyOf('posts', 'a')
    const title = `Edited ${file} ${Math.random()}`
    site.write(`${content}/${file}`, post(title))
    const since = performance.now()
    await until(
      async () => (await store.heads(key.kind, {})).items.map((head) => head.fields.title),
      (titles) => titles.includes(title),
    )
    longest = Math.max(longest, performance.now() - since)
  }
  return longest
}

/** Waits until there is no document of a kind any more. */
async function goes(store: FilesStore, kind: string): Promise<void> {
  await until(
    async () => (await store.heads(kind, {})).total,
    (total) => total === 0,
  )
}

function copy(site: TestSite, from: string, to: string): void {
  cpSync(site.path(from), site.path(to), { recursive: true })
}

/** The ways in which a script replaces a folder by another one, by the site's paths. */
const SWAPS: Readonly<Record<string, (site: TestSite, folder: string) => void>> = {
  'two renames': (site, folder) => {
    copy(site, folder, `${folder}.new`)
    renameSync(site.path(folder), site.path(`${folder}.old`))
    renameSync(site.path(`${folder}.new`), site.path(folder))
    rmSync(site.path(`${folder}.old`), { recursive: true })
  },
  'removed and copied': (site, folder) => {
    copy(site, folder, '.kept')
    rmSync(site.path(folder), { recursive: true })
    copy(site, '.kept', folder)
    rmSync(site.path('.kept'), { recursive: true })
  },
}

for (const [how, swap] of Object.entries(SWAPS)) {
  t.test(`edits are seen at once in a folder that another was replaced by: ${how}`, async (t) => {
    const place = await served(t)
    await settled(place.store)
    for (const folder of ['content/posts/2026/11', 'content/posts/2026', 'content/posts', 'content/authors', 'content']) {
      swap(place.site, folder)
      t.ok((await edit(place)) < SOON_MS, folder)
      // Again and again: the folder is followed, not its first replacement.
      swap(place.site, folder)
      t.ok((await edit(place)) < SOON_MS, `${folder} again`)
    }
  })
}

t.test('content in a folder below others, and the folder above it replaced', async (t) => {
  const place = await served(t, 'site/pages/content')
  await settled(place.store)
  for (const folder of ['site/pages', 'site', 'site/pages/content']) {
    SWAPS['two renames']?.(place.site, folder)
    t.ok((await edit(place)) < SOON_MS, folder)
  }
})

t.test('content behind a link that is turned to another folder', async (t) => {
  const site = makeSite(Object.fromEntries(FILES.map((file) => [`releases/1/${file}`, post('Before')])))
  t.teardown(() => site.remove())
  rmSync(site.path('content'), { recursive: true })
  symlinkSync('releases/1', site.path('content'))
  const place = { site, content: 'content', store: await serve(t, site, 'content') }
  await settled(place.store)
  copy(site, 'releases/1', 'releases/2')
  symlinkSync('releases/2', site.path('next'))
  renameSync(site.path('next'), site.path('content'))
  t.ok((await edit(place)) < SOON_MS)
})

t.test('content that is gone for a while', async (t) => {
  const place = await served(t)
  await settled(place.store)
  const { site, store } = place
  renameSync(site.path('content'), site.path('away'))
  await goes(store, 'posts')
  renameSync(site.path('away'), site.path('content'))
  t.ok((await edit(place)) < SOON_MS)
  unlinkSync(site.path('content/home.md'))
  mkdirSync(site.path('content/posts/empty'))
  await goes(store, 'pages')
})
