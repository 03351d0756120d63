import { existsSync } from 'node:fs'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore, type openFiles, openFolder, openNode } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes()
const BY = { name: 'Ada', email: 'ada@example.org' }
const DRAFT = '---\ntitle: New\ndraft: true\n---\nWords.\n'
const FILES = {
  'content/posts/trip/index.md': '---\ntitle: Trip\n---\nWords.\n',
  'content/posts/one/index.md': DRAFT,
  'content/posts/two/index.md': DRAFT,
}
const BESIDE = {
  'content/posts/one/cat.png': 'x',
  'content/posts/one/deep/cat.png': 'x',
  'content/posts/two/cat.png': 'x',
  'content/posts/trip/cat.png': 'x',
  'content/posts/other.png': 'x',
}
const UNSEEN = ['/posts/new/cat.png', '/posts/new/deep/cat.png', '/posts/trip/day/cat.png']
const SEEN = ['/posts/trip/cat.png', '/posts/other.png']

/** A second process on what a store keeps. */
async function another(t: Test, opened: OpenedStore): Promise<OpenedStore['store']> {
  if ('url' in opened) return (await openNode(t, opened as Parameters<typeof openNode>[1])).store
  const store = await openFolder((opened as Awaited<ReturnType<typeof openFiles>>).site, types, opened.clock)
  t.teardown(() => store.close())
  return store
}

t.test('the pictures of a draft that another process moves are not shown before the draft is known', async (t) => {
  await eachStore(t, { files: FILES, beside: BESIDE, types }, async (t, opened) => {
    const { siteFiles } = opened
    const { site, folder } = publicSite(t, opened, false, { siteFiles })
    const statusOf = async (address: string) => (await site.answer(address)).status
    t.equal(await statusOf('/posts/one/cat.png'), 404)
    const store = await another(t, opened)
    await store.write([{ key: keyOf('posts', 'new'), from: keyOf('posts', 'one'), put: {} }], BY)
    await store.write([{ key: keyOf('posts', 'trip~day'), from: keyOf('posts', 'two'), put: {} }], BY)
    for (const address of UNSEEN) t.equal(await statusOf(address), 404, address)
    for (const address of SEEN) t.equal(await statusOf(address), 200, address)
    await site.build('public')
    for (const address of UNSEEN) t.notOk(existsSync(folder.path(`public${address}`)), address)
    for (const address of SEEN) t.ok(existsSync(folder.path(`public${address}`)), address)
  })
})
