import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Blobs, StoredBlob } from '#core/media/blobs.ts'
import { Library } from '#features/media/library.ts'
import { BlobSweep } from '#features/media/uploading/blob-sweep.ts'
import { TestApp } from '#support/app.ts'
import { formOf } from '#support/form.ts'
import { MemorySiteFiles } from '#support/memory-site-files.ts'
import { BESIDE_MOST, eachStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const HOUR = 3_600_000
const features = { api: true, revisions: true, media: true, auth: true }

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

/** An app on a store whose blobs do more, sweeps of its blobs, and requests for its media. */
function served(t: Test, opened: OpenedStore, more: Partial<Blobs> = {}) {
  const { store, ledger, clock, siteFiles } = opened
  const blobs: Blobs = { ...bound(opened.blobs), ...more }
  const app = new TestApp({ ...opened, blobs }, { config: { features } })
  const library = new Library({ store, clock, siteFiles })
  t.teardown(async () => {
    library.close()
    await app.close()
  })
  // Each time as after a start of the server.
  const swept = () => new BlobSweep({ store, ledger, clock, library, blobs: () => blobs }).run()
  /** Every hour, for so long. */
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      clock.advance(HOUR)
      await swept()
    }
  }
  const upload = (name: string, text: string) => app.ask('POST /api/media', formOf(['file', Buffer.from(text), name]))
  const replace = (id: string, text: string) => app.ask(`PUT /api/media/${id}/file`, formOf(['file', Buffer.from(text), 'x.txt']))
  const made = async (id: string): Promise<string> => (await app.ask(`GET /api/media/${id}/revisions`)).body.data.at(-1).ts
  const rollback = async (id: string, ts: string) => (await app.ask(`POST /api/media/${id}/rollback/${ts}`)).status
  const text = async (id: string) => (await app.bare(`GET /media/${id}`)).text
  return { app, swept, pass, upload, replace, made, rollback, text }
}

function bound(blobs: Blobs): Blobs {
  return {
    put: (...of) => blobs.put(...of),
    open: (...of) => blobs.open(...of),
    remove: (...of) => blobs.remove(...of),
    sweep: (...of) => blobs.sweep(...of),
  }
}

const HISTORY = { history: true, now: '2040-01-15T12:00:00Z' } as const

t.test('what a media file had comes back for a day, however long it had it', (t) =>
  eachStore(t, HISTORY, async (t, opened) => {
    const { blobs, clock } = opened
    const { app, pass, upload, replace, made, rollback, text } = served(t, opened)
    const ends: Record<string, (id: string) => Promise<{ status: number }>> = {
      replaced: (id) => replace(id, `other than ${id}`),
      removed: (id) => app.ask(`DELETE /api/media/${id}`),
      moved: (id) => app.ask(`POST /api/media/${id}/move`, { body: { id: `to-${id}` } }),
    }
    for (const hours of [20, 30]) {
      const files = Object.keys(ends).flatMap((end) =>
        ['small', 'large'].map((size) => {
          const id = `${size}-${end}-${hours}.txt`
          return { id, end, bytes: size === 'small' ? id : `${id} ${LARGE}` }
        }),
      )
      for (const { id, bytes } of files) t.equal((await upload(id, bytes)).status, 201)
      await pass(hours)
      const first: string[] = []
      for (const { id, end } of files) {
        first.push(await made(id))
        t.equal((await ends[end]?.(id))?.status, 200)
      }
      await pass(23)
      for (const [nth, { id, bytes }] of files.entries()) {
        t.equal(await rollback(id, first[nth] ?? ''), 200, id)
        t.equal(await text(id), bytes)
      }
      clock.advance(1000)
      for (const { id } of (await app.ask('GET /api/media?per_page=100')).body.data) await app.ask(`DELETE /api/media/${id}`)
    }
    await pass(27)
    t.equal(await blobs.sweep(clock.now() + 1, () => false), 0, 'and then it goes')
  }),
)

t.test('what was referred to between two starts of the server stays for a day from then on', (t) =>
  eachStore(t, HISTORY, async (t, opened) => {
    const { clock } = opened
    const { app, swept, pass, upload, made, rollback, text } = served(t, opened)
    await upload('a.txt', LARGE)
    const ts = await made('a.txt')
    await app.ask('DELETE /api/media/a.txt')
    await pass(3)
    clock.advance(10 * HOUR)
    t.equal(await rollback('a.txt', ts), 200)
    await app.ask('DELETE /api/media/a.txt')
    clock.advance(20 * HOUR)
    t.equal(await swept(), 0)
    t.equal(await rollback('a.txt', ts), 200)
    t.equal(await text('a.txt'), LARGE)
  }),
)

t.test('a time that was noted is let go of at the next start, where the file is referred to by then', (t) =>
  eachStore(t, HISTORY, async (t, opened) => {
    const { store, blobs, ledger, clock, siteFiles } = opened
    const library = new Library({ store, clock, siteFiles })
    t.teardown(() => library.close())
    const sweepOf = () => new BlobSweep({ store, ledger, clock, library, blobs: () => blobs })
    const large = await stored(opened, LARGE)
    const key = keyOf('media', 'large.txt')
    const put = { set: { checksum: `sha256:${large.ref}` }, bytes: large }
    clock.advance(2 * HOUR)
    t.equal(await sweepOf().run(), 0, 'nothing refers to it at this moment')
    await store.write([{ key, put }], ada)
    const started = sweepOf()
    started.begin()
    await started.close()
    clock.advance(48 * HOUR)
    await store.write([{ key, remove: true }], ada)
    t.equal(await sweepOf().run(), 0, 'it was referred to until now')
    clock.advance(25 * HOUR)
    t.equal(await sweepOf().run(), 1)
  }),
)

t.test('what a past revision had stays when it is uploaded and refused', (t) =>
  eachStore(t, HISTORY, async (t, opened) => {
    const { app, upload, replace, made, rollback, text } = served(t, opened)
    for (const [id, bytes] of Object.entries({ 'small.txt': 'small', 'large.txt': LARGE })) {
      await upload(id, bytes)
      const ts = await made(id)
      opened.clock.advance(HOUR)
      await replace(id, `other than ${id}`)
      const again = await app.ask('POST /api/media', formOf(['file', Buffer.from(bytes), id], ['no', 'such field']))
      t.equal(again.status, 422)
      t.equal(await rollback(id, ts), 200, id)
      t.equal(await text(id), bytes)
    }
  }),
)

t.test('a rollback, and an upload, of what a sweep is about to remove', (t) =>
  eachStore(t, HISTORY, async (t, opened) => {
    const { blobs, clock } = opened
    let meanwhile = async () => {}
    const sweep: Blobs['sweep'] = async (...of) => {
      await meanwhile()
      return blobs.sweep(...of)
    }
    let behind = async () => {}
    const put: Blobs['put'] = async (...of) => {
      const stored = await blobs.put(...of)
      await behind()
      return stored
    }
    const { app, swept, upload, made, rollback, text } = served(t, opened, { sweep, put })
    await upload('a.txt', LARGE)
    const ts = await made('a.txt')
    const left = `${LARGE} left`
    await stored(opened, left)
    clock.advance(HOUR)
    t.equal((await app.ask('DELETE /api/media/a.txt')).status, 200)
    clock.advance(2 * HOUR)
    t.equal(await swept(), 0)
    clock.advance(30 * HOUR)
    const statuses: number[] = []
    meanwhile = async () => {
      statuses.push(await rollback('a.txt', ts))
      behind = async () => {
        behind = async () => {}
        meanwhile = async () => {}
        t.equal(await swept(), 0, 'it was put anew, and no document has it yet')
      }
      statuses.push((await upload('b.txt', left)).status)
    }
    t.equal(await swept(), 0)
    t.same(statuses, [200, 201])
    t.same([await text('a.txt'), await text('b.txt')], [LARGE, left])
  }),
)
