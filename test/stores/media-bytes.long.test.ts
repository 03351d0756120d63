import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type Key, keyOf } from '#core/key.ts'
import type { StoredBlob } from '#core/media/blobs.ts'
import type { Change } from '#core/store.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import { BESIDE_MOST, eachStore, everyStore, type OpenedStore } from '#support/stores.ts'

const ada = { name: 'Ada', email: 'ada@example.org' }
const key = (id: string) => keyOf('media', id)
const photo = key('2026~photo.jpg')
const SMALL = Buffer.from([0xff, 0xd8, 0xff, 0, 13, 10, 13, 10, 10, 13, 0x24, 0x49, 0x64, 0x24])
const OTHER = randomBytes(5000)
const LARGE = randomBytes(BESIDE_MOST + 1)

const fileOf = (id: string) => `content/media/${id.replaceAll('~', '/')}`
const checksumOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

async function stored({ blobs }: OpenedStore, bytes: Buffer): Promise<StoredBlob> {
  return blobs.put(
    (async function* () {
      yield bytes
    })(),
    bytes.length,
  )
}

/** A change that gives a document bytes, as an upload does. */
async function given(opened: OpenedStore, id: string, bytes: Buffer, more: Partial<Change> = {}): Promise<Change> {
  const put = { set: { checksum: checksumOf(bytes), size: bytes.length }, bytes: await stored(opened, bytes) }
  return { key: key(id), put, ...more } as Change
}

/** The bytes of a document: those beside it, where there are some, else those of the blob that it names. */
async function bytesOf({ store, site, blobs }: OpenedStore, of: Key): Promise<Buffer | undefined> {
  const document = await store.get(of)
  if (!document) return undefined
  if (site && existsSync(site.path(fileOf(of.id)))) return readFileSync(site.path(fileOf(of.id)))
  const stream = await blobs.open(String(document.fields.checksum).slice('sha256:'.length))
  return stream && buffer(stream)
}

/** Whether bytes lie beside documents is no promise of a store: of one that has no files there are none. */
function liesBeside({ site }: OpenedStore, id: string): boolean | undefined {
  return site && existsSync(site.path(fileOf(id)))
}

async function refuses(t: Test, written: Promise<unknown>, kind: new (...args: never[]) => Error): Promise<void> {
  const error = await written.then(
    () => undefined,
    (thrown) => thrown,
  )
  t.ok(error instanceof kind, kind.name, { found: error })
}

t.test('bytes come with a document, are replaced, and go with it', (t) =>
  everyStore(t, {}, async (t, opened) => {
    const { store, site } = opened
    const has = async (of: Key, bytes: Buffer | undefined, isBeside: boolean) => {
      t.same(await bytesOf(opened, of), bytes)
      t.ok([undefined, isBeside].includes(liesBeside(opened, of.id)), `beside: ${isBeside}`)
    }
    const [made] = await store.write([await given(opened, photo.id, SMALL, { expects: 'absent' })], ada)
    await has(photo, SMALL, true)
    const [changed] = await store.write([{ key: photo, put: { set: { alt: 'A cat' } }, expects: made?.version ?? '' }], ada)
    await has(photo, SMALL, true)
    await refuses(t, store.write([await given(opened, photo.id, OTHER, { expects: made?.version ?? '' })], ada), Stale)
    await has(photo, SMALL, true)
    await store.write([await given(opened, photo.id, OTHER, { expects: changed?.version ?? '' })], ada)
    await has(photo, OTHER, true)
    t.match(await store.get(photo), { fields: { alt: 'A cat' } })
    await store.write([await given(opened, photo.id, LARGE)], ada)
    await has(photo, LARGE, false)
    await store.write([{ key: photo, put: { set: { alt: 'Large' } } }], ada)
    await has(photo, LARGE, false)
    await store.write([await given(opened, photo.id, SMALL)], ada)
    await has(photo, SMALL, true)
    const moved = key('there~deep~cat.jpg')
    await store.write([{ key: moved, from: photo, put: {} }], ada)
    await has(photo, undefined, false)
    await has(moved, SMALL, true)
    await store.write([{ ...(await given(opened, 'cat.jpg', OTHER)), from: moved } as Change], ada)
    await has(key('cat.jpg'), OTHER, true)
    t.ok([undefined, false].includes(liesBeside(opened, moved.id)), 'others replace those that moved')
    await store.write([{ key: key('cat.jpg'), remove: true }], ada)
    await has(key('cat.jpg'), undefined, false)
    const left = site ? readdirSync(site.path('content'), { recursive: true, withFileTypes: true }) : []
    t.same(
      left.filter((entry) => entry.isFile()).map(({ name }) => name),
      [],
    )
    t.same(await store.problems(), [])
  }),
)

t.test('bytes of a document have no revision of their own', (t) =>
  everyStore(t, {}, async (t, opened) => {
    const { store } = opened
    const { next } = await store.changes(undefined, 0)
    await store.write([await given(opened, photo.id, SMALL)], ada)
    await store.write([await given(opened, photo.id, SMALL)], ada)
    await store.write([await given(opened, photo.id, OTHER)], ada)
    await store.write([{ key: photo, put: { bytes: await stored(opened, OTHER) } }], ada)
    await store.write([{ key: key('photo.jpg'), from: photo, put: {} }], ada)
    await store.write([{ key: key('photo.jpg'), remove: true }], ada)
    const history = await store.history(key('photo.jpg'), {})
    if (history) {
      t.same(
        history.items.map(({ action }) => action),
        ['deleted', 'moved', 'updated', 'created'],
      )
      t.match(await store.at(key('photo.jpg'), history.items[3]?.number ?? 0), { fields: { checksum: checksumOf(SMALL) } })
      t.equal((await store.latest({}))?.length, 1)
    }
    const { changes } = await store.changes(next, 100)
    t.same(changes.map(({ key: { id }, action }) => `${action} ${id}`).sort(), [
      'created 2026~photo.jpg',
      'deleted photo.jpg',
      'moved 2026~photo.jpg',
      'moved photo.jpg',
      'updated 2026~photo.jpg',
    ])
  }),
)

t.test('a batch with bytes happens whole or not at all, and several at once do', (t) =>
  everyStore(t, {}, async (t, opened) => {
    const { store } = opened
    await store.write([await given(opened, 'a.jpg', SMALL), await given(opened, 'b.jpg', OTHER)], ada)
    const stale: Change = { key: keyOf('posts', 'none'), put: {}, expects: 'a'.repeat(40) }
    await refuses(t, store.write([await given(opened, 'c.jpg', SMALL), { key: key('a.jpg'), remove: true }, stale], ada), Stale)
    t.same(await Promise.all(['a.jpg', 'b.jpg', 'c.jpg'].map((id) => bytesOf(opened, key(id)))), [SMALL, OTHER, undefined])
    const sorts = [SMALL, OTHER, LARGE]
    const writes = await Promise.all(Array.from({ length: 12 }, (_, n) => given(opened, `n${n}.jpg`, sorts[n % 3] ?? SMALL)))
    await Promise.all([
      ...writes.map((change) => store.write([change], ada)),
      store.write([{ key: key('x.jpg'), from: key('a.jpg'), put: {} }], ada),
      store.write([{ key: key('y.jpg'), from: key('x.jpg'), put: {} }], ada),
      store.write([await given(opened, 'a.jpg', OTHER)], ada),
      store.write([{ key: key('b.jpg'), remove: true }], ada),
    ])
    for (const [n] of writes.entries()) t.same(await bytesOf(opened, key(`n${n}.jpg`)), sorts[n % 3])
    const ids = ['a.jpg', 'b.jpg', 'x.jpg', 'y.jpg']
    t.same(await Promise.all(ids.map((id) => bytesOf(opened, key(id)))), [OTHER, undefined, undefined, SMALL])
    await store.write([{ key: key('b.jpg'), from: key('y.jpg'), put: {} }, await given(opened, 'y.jpg', OTHER)], ada)
    t.same(await Promise.all(ids.map((id) => bytesOf(opened, key(id)))), [OTHER, SMALL, undefined, OTHER])
  }),
)

t.test('a new document takes the place of no other', (t) =>
  everyStore(t, {}, async (t, opened) => {
    const { store } = opened
    await store.write([await given(opened, photo.id, SMALL)], ada)
    await refuses(t, store.write([await given(opened, photo.id, OTHER, { expects: 'absent' })], ada), Conflict)
    await refuses(t, store.write([await given(opened, '2026~Photo.jpg', OTHER, { expects: 'absent' })], ada), Conflict)
    t.same(await bytesOf(opened, photo), SMALL)
  }),
)

/** The bytes that the site's file of a key has, as they are served before any blob. */
async function fileBytesOf({ siteFiles }: OpenedStore, id: string): Promise<string | undefined> {
  const file = await siteFiles.find('content', `media/${id.replaceAll('~', '/')}`)
  const stream = file && (await siteFiles.open(file))
  return stream && (await buffer(stream)).toString()
}

const BY_HAND = {
  'content/media/gone.txt': 'gone',
  'content/media/replaced.txt': 'replaced',
  'content/media/2026/moved.txt': 'moved',
  'content/media/other.txt': 'other',
}

t.test('files that lay in the place of bytes are replaced, moved and removed with their documents', (t) =>
  eachStore(t, { beside: BY_HAND, history: true }, async (t, opened) => {
    const { store } = opened
    const names = ['gone.txt', 'replaced.txt', '2026~moved.txt', 'other.txt']
    const all = () => Promise.all([...names, 'there~moved.txt'].map((id) => fileBytesOf(opened, id)))
    const declared = names.slice(0, 3).map((id): Change => ({ key: key(id), put: { set: { alt: id } }, expects: 'absent' }))
    await store.write(declared, ada)
    t.same(await all(), ['gone', 'replaced', 'moved', 'other', undefined], 'they stay where they are described')
    await refuses(t, store.write([await given(opened, 'other.txt', OTHER, { expects: 'absent' })], ada), Conflict)
    await refuses(t, store.write([{ key: key('other.txt'), from: key('gone.txt'), put: {} }], ada), Conflict)
    t.same(await all(), ['gone', 'replaced', 'moved', 'other', undefined], 'none takes the place of another')
    await store.write([{ key: key('gone.txt'), remove: true }], ada)
    await store.write([await given(opened, 'replaced.txt', LARGE)], ada)
    await store.write([{ key: key('there~moved.txt'), from: key('2026~moved.txt'), put: {} }], ada)
    t.same(await all(), [undefined, undefined, undefined, 'other', 'moved'])
    t.same(await bytesOf(opened, key('replaced.txt')), LARGE)
    const moves = [
      { key: key('other.txt'), put: { set: { alt: 'Other' } } },
      { key: key('other.txt'), remove: true },
      { key: key('other.txt'), from: key('there~moved.txt'), put: {} },
    ] as const
    for (const change of moves.slice(0, 1)) await store.write([change], ada)
    await store.write(moves.slice(1), ada)
    t.same(await all(), [undefined, undefined, undefined, 'moved', undefined], 'one comes in the place of one that goes')
  }),
)
