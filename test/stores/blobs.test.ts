import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Blobs, ByteRange } from '#core/media/blobs.ts'
import { TooLarge } from '#lib/errors.ts'
import { FilesBlobs } from '#stores/files/blobs/blobs.ts'
import { PostgresBlobs } from '#stores/postgres/blobs.ts'
import { Database } from '#stores/postgres/database.ts'
import { S3Blobs } from '#stores/s3/blobs.ts'
import { TestClock } from '#support/clock.ts'
import { long } from '#support/long.ts'
import { MemoryBlobs } from '#support/memory-blobs.ts'
import { testDatabase } from '#support/postgres.ts'
import { S3Server } from '#support/s3-server.ts'
import { makeSite } from '#support/sites.ts'

/** Blobs, and how many things are kept for them: files, rows of both tables, or objects and uploads of a bucket. */
interface Opened {
  blobs: Blobs
  clock: TestClock
  kept(): Promise<number | undefined>
}

const DAY = 86_400_000
const MAX = 2_000_000
const PART = 256 * 1024

function onFiles(t: Test): Opened & { folder: string } {
  const site = makeSite()
  t.teardown(site.remove)
  const [folder, clock] = [site.path('.cms/media'), new TestClock()]
  const kept = async () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  return { blobs: new FilesBlobs(folder, clock), kept, folder, clock }
}

async function onPostgres(t: Test): Promise<Opened & { database: Database }> {
  const database = await Database.open(await testDatabase(t))
  t.teardown(() => database.close())
  const clock = new TestClock()
  const rows = (table: 'blobs' | 'blob_parts') =>
    database.read((db) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    )
  const kept = async () => (await rows('blobs')).count + (await rows('blob_parts')).count
  return { blobs: new PostgresBlobs(database, clock), kept, database, clock }
}

/** A bucket whose server fails each seventh request; an upload has parts from 256 KiB on. */
async function onS3(t: Test): Promise<Opened & { server: S3Server }> {
  const clock = new TestClock()
  const server = await S3Server.start({ clock, failing: 7, leastPart: PART, page: 3 })
  const blobs = new S3Blobs({ bucket: server.settings, clock, part: PART, limits: { pause: async () => undefined } })
  t.teardown(() => server.stop())
  t.teardown(() => blobs.close())
  return { blobs, kept: async () => server.objects.size + server.uploads.size, server, clock }
}

function onMemory(): Opened {
  const clock = new TestClock()
  return { blobs: new MemoryBlobs(clock), kept: async () => undefined, clock }
}

function everyStore(name: string, body: (t: Test, opened: Opened) => Promise<void>): void {
  t.test(name, async (t) => {
    await t.test('files', async (t) => body(t, onFiles(t)))
    await t.test('postgres', async (t) => body(t, await onPostgres(t)))
    await t.test('s3', async (t) => body(t, await onS3(t)))
    await t.test('memory', async (t) => body(t, onMemory()))
  })
}

async function* inPieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length)
}

/** An upload that ends as that of a client does who went away. */
async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  throw Object.assign(new Error('The upload was broken off.'), { code: 'ECONNRESET' })
}

async function read(blobs: Blobs, ref: string, range?: ByteRange): Promise<Buffer | undefined> {
  const stream = await blobs.open(ref, range)
  return stream && buffer(stream)
}

long(everyStore)('bytes of any size come back, whole and in any part', async (t, { blobs }) => {
  const size = fc.oneof(
    fc.integer({ min: 0, max: 3000 }),
    fc.integer({ min: -2, max: 2 }).map((by) => 2 * PART + by),
  )
  const share = fc.double({ min: 0, max: 1.2, noNaN: true })
  const ranges = fc.array(fc.tuple(share, fc.option(share, { nil: undefined })), { maxLength: 4 })
  const property = fc.asyncProperty(size, fc.integer({ min: 1, max: PART * 2 }), ranges, async (size, length, ranges) => {
    const bytes = randomBytes(size)
    const { isNew, ...stored } = await blobs.put(inPieces(bytes, Math.max(length, Math.ceil(size / 50))), MAX)
    assert.ok(isNew || size < 10)
    assert.deepEqual(stored, { ref: hash('sha256', bytes, 'hex'), size })
    assert.ok((await read(blobs, stored.ref))?.equals(bytes))
    for (const [from, to] of ranges) {
      const start = Math.floor(from * size)
      const end = to === undefined ? undefined : Math.floor(to * size)
      const range = end === undefined ? { start } : { start, end }
      assert.ok((await read(blobs, stored.ref, range))?.equals(bytes.subarray(start, end)), JSON.stringify({ size, start, end }))
    }
  })
  await t.resolves(fc.assert(property, { numRuns: 15 }))
})

everyStore('the same bytes are one blob, however often they are put at once', async (t, { blobs, kept }) => {
  const bytes = randomBytes(PART + 1)
  const put = await Promise.all([1000, 50_000, PART, PART + 1].map((length) => blobs.put(inPieces(bytes, length), MAX)))
  t.equal(new Set(put.map(({ ref }) => ref)).size, 1)
  const [{ ref } = { ref: '' }] = put
  t.ok((await read(blobs, ref))?.equals(bytes))
  t.ok([undefined, 1, 3].includes(await kept()), 'a file or an object, or a row and two parts')
  const again = async () => (await blobs.put(inPieces(bytes, PART), MAX)).isNew
  t.equal(await again(), false)
  await blobs.remove(ref)
  t.equal(await blobs.open(ref), undefined)
  t.notOk(await kept())
  await blobs.remove(ref)
  t.equal(await again(), true)
})

everyStore('of what is too large or broken off nothing is left', async (t, { blobs, kept }) => {
  const bytes = randomBytes(PART * 2)
  const failure = async (content: AsyncIterable<Uint8Array>, max: number) =>
    blobs.put(content, max).then(
      () => undefined,
      (error: unknown) => error,
    )
  t.ok((await failure(inPieces(bytes, 100_000), bytes.length - 1)) instanceof TooLarge)
  t.match(await failure(broken(bytes), MAX), { message: 'The upload was broken off.', code: 'ECONNRESET' })
  t.notOk(await kept())
  t.equal(await blobs.open(hash('sha256', bytes, 'hex')), undefined)
  t.match(await blobs.put(inPieces(bytes, 100_000), bytes.length), { size: bytes.length }, 'as much as is allowed')
})

everyStore('what is no name of a blob names none', async (t, { blobs }) => {
  await blobs.put(inPieces(Buffer.from('x'), 1), 1)
  for (const ref of ['', '..', '../../package.json', 'a\u0000', 'f'.repeat(64), 'F'.repeat(64)]) {
    t.equal(await blobs.open(ref), undefined)
    await blobs.remove(ref)
  }
})

everyStore('a sweep removes what was put long ago and is named by nobody', async (t, { blobs, clock, kept }) => {
  const put = async (text: string) => (await blobs.put(inPieces(Buffer.from(text), 1), MAX)).ref
  t.equal(await blobs.sweep(clock.now(), () => false), 0, 'where nothing was put')
  const first = clock.now()
  const [old, named, again] = [await put('old'), await put('named'), await put('again')]
  clock.advance(DAY)
  const fresh = await put('fresh')
  await put('again')
  const before = clock.now()
  const asked = new Map<string, number>()
  const isNamed = (ref: string, at: number) => asked.set(ref, at) && ref === named
  t.equal(await blobs.sweep(before, isNamed), 1)
  t.same([...asked.keys()].sort(), [old, named].sort(), 'what was put since is not asked for')
  t.ok(Math.abs((asked.get(old) ?? 0) - first) <= 1000, 'and when it was put is told')
  t.same(await Promise.all([old, named, again, fresh].map((ref) => read(blobs, ref))), [
    undefined,
    Buffer.from('named'),
    Buffer.from('again'),
    Buffer.from('fresh'),
  ])
  clock.advance(1000)
  t.equal(await blobs.sweep(clock.now(), () => false), 3)
  t.notOk(await kept())
})

everyStore('what is put while it is swept is there', async (t, { blobs, clock }) => {
  const bytes = randomBytes(1000)
  const { ref } = await blobs.put(inPieces(bytes, 1000), MAX)
  for (let n = 0; n < 20; n++) {
    clock.advance(DAY)
    const before = clock.now() - 1
    await Promise.all([blobs.put(inPieces(bytes, 1000), MAX), blobs.sweep(before, () => false), blobs.sweep(before, () => false)])
    assert.ok((await read(blobs, ref))?.equals(bytes), `${n}`)
  }
  // A bucket tells whole seconds.
  t.equal(await blobs.sweep(clock.now() + 1000, () => false), 1)
})

t.test('what a crash left is removed a day later, and not before', async (t) => {
  await t.test('files', async (t) => {
    const { blobs, kept, folder, clock } = onFiles(t)
    await blobs.put(inPieces(Buffer.from('x'), 1), 1)
    const path = `${folder}/.quire-0123456789ab.tmp`
    writeFileSync(path, 'begun')
    utimesSync(path, clock.now() / 1000, clock.now() / 1000)
    await new FilesBlobs(folder, clock).put(inPieces(Buffer.from('x'), 1), 1)
    t.equal(await kept(), 2)
    clock.advance(DAY + 1000)
    await new FilesBlobs(folder, clock).put(inPieces(Buffer.from('x'), 1), 1)
    t.equal(await kept(), 1)
  })
  await t.test('postgres', async (t) => {
    const { blobs, kept, database, clock } = await onPostgres(t)
    await database.run((db) => db.insertInto('blobs').values({ at: clock.now() }).execute())
    await blobs.put(inPieces(Buffer.from('x'), 1), 1)
    t.equal(await kept(), 3)
    clock.advance(DAY + 1)
    await blobs.put(inPieces(Buffer.from('x'), 1), 1)
    t.equal(await kept(), 2)
  })
  await t.test('s3, by a sweep', async (t) => {
    const { blobs, kept, server, clock } = await onS3(t)
    const { ref } = await blobs.put(inPieces(Buffer.from('x'), 1), 1)
    for (const name of ['a', 'b', 'c', 'd']) {
      server.uploads.set(name, { key: `uploads/${name}`, at: clock.now(), parts: new Map() })
      server.objects.set(`uploads/${name}`, { bytes: Buffer.from('begun'), at: clock.now() })
    }
    server.objects.set('of/another', { bytes: Buffer.from('x'), at: clock.now() })
    clock.advance(DAY - 1000)
    t.equal(await blobs.sweep(clock.now(), (one) => one === ref), 0)
    t.equal(await kept(), 10)
    clock.advance(2000)
    t.equal(await blobs.sweep(clock.now(), (one) => one === ref), 0)
    t.equal(await kept(), 2, 'the blob, and what is none of ours')
  })
})

t.test('a blob that is removed while it is read ends in an error, not in fewer bytes', async (t) => {
  const { blobs } = await onPostgres(t)
  const { ref } = await blobs.put(inPieces(randomBytes(PART * 6), PART), MAX)
  const stream = await blobs.open(ref)
  await blobs.remove(ref)
  await t.rejects(buffer(stream ?? Readable.from([])), 'it says so')
})
