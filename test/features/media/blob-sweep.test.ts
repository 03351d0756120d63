import t from 'tap'
import type { StoredBlob } from '#core/blobs.ts'
import { keyOf } from '#core/key.ts'
import { Library } from '#features/media/library.ts'
import { BlobSweep } from '#features/media/uploading/blob-sweep.ts'
import { MemorySiteFiles } from '#support/memory-site-files.ts'
import { BESIDE_MOST, eachStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const HOUR = 3_600_000

async function stored({ blobs }: OpenedStore, text: string): Promise<StoredBlob> {
  const bytes = Buffer.from(text)
  return blobs.put(
    (async function* () {
      yield bytes
    })(),
    bytes.length,
  )
}

const LARGE = 'x'.repeat(BESIDE_MOST + 1)

t.test('what no media file has referred to for a day is removed, and nothing else', (t) =>
  eachStore(t, { history: true }, async (t, opened) => {
    const { store, blobs, ledger, clock, siteFiles = new MemorySiteFiles() } = opened
    const library = new Library({ store, clock, siteFiles })
    t.teardown(() => library.close())
    const sweep = new BlobSweep({ store, ledger, clock, library, blobs: () => blobs })
    const [left, large, small] = [await stored(opened, 'left'), await stored(opened, LARGE), await stored(opened, 'small')]
    const isThere = async ({ ref }: StoredBlob) => {
      const stream = await blobs.open(ref)
      stream?.destroy()
      return stream !== undefined
    }
    const make = (id: string, bytes: StoredBlob) =>
      store.write([{ key: keyOf('media', id), put: { set: { checksum: `sha256:${bytes.ref}` }, bytes } }], ada)
    await make('large.txt', large)
    await make('small.txt', small)
    const isBeside = opened.site !== undefined
    const swept = async (hours: number) => {
      clock.advance(hours * HOUR)
      return sweep.run()
    }
    t.equal(await swept(2), 0)
    t.equal(await swept(23), 0)
    t.equal(await swept(2), isBeside ? 2 : 1, 'what was left; and what lies beside its document')
    t.same([await isThere(left), await isThere(large), await isThere(small)], [false, true, !isBeside])
    await store.write([{ key: keyOf('media', 'large.txt'), remove: true }], ada)
    t.equal(await swept(2), 0, 'it may be taken back')
    await make('large.txt', large)
    t.equal(await swept(30), 0, 'and was')
    await store.write([{ key: keyOf('media', 'large.txt'), remove: true }], ada)
    t.equal(await swept(1), 0, 'the time begins anew')
    t.equal(await swept(25), 1)
    t.equal(await isThere(large), false)
  }),
)

t.test('nothing is removed while a document can not be read', (t) =>
  eachStore(t, { files: { 'content/media/broken.txt.yaml': 'checksum: [' } }, async (t, opened) => {
    const { store, blobs, ledger, clock, siteFiles = new MemorySiteFiles() } = opened
    const library = new Library({ store, clock, siteFiles })
    t.teardown(() => library.close())
    const sweep = new BlobSweep({ store, ledger, clock, library, blobs: () => blobs })
    await stored(opened, 'left')
    for (let n = 0; n < 5; n++) {
      clock.advance(20 * HOUR)
      t.equal(await sweep.run(), 0)
    }
    await store.write([{ key: keyOf('media', 'broken.txt'), remove: true }], ada)
    clock.advance(HOUR)
    t.equal(await sweep.run(), 0, 'from then on they are waited for')
    clock.advance(25 * HOUR)
    t.equal(await sweep.run(), 1)
  }),
)
