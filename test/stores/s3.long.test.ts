import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { Failure, NoSpace, Unavailable } from '#lib/errors.ts'
import { KeptBlobs } from '#stores/postgres/kept-blobs.ts'
import { PostgresSiteFiles } from '#stores/postgres/site-files.ts'
import { S3Blobs, type S3BlobsOptions } from '#stores/s3/blobs.ts'
import { TestClock } from '#support/clock.ts'
import { fault, type S3Answer, S3Server, type S3ServerOptions } from '#support/s3-server.ts'
import { signatureFault } from '#support/s3-signature.ts'
import { openPostgres } from '#support/stores.ts'

const MIB = 1024 * 1024
const DAY = 86_400_000
const FOR_EVER = 1e9

interface Opened {
  readonly server: S3Server
  readonly clock: TestClock
  /** Milliseconds that were waited between attempts. */
  readonly pauses: number[]
  readonly blobs: S3Blobs
  /** One more node on the same bucket. */
  readonly another: (options?: Partial<S3BlobsOptions>) => S3Blobs
}

async function open(t: Test, options: Partial<S3ServerOptions> = {}): Promise<Opened> {
  const clock = new TestClock()
  const server = await S3Server.start({ clock, ...options })
  t.teardown(() => server.stop())
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    clock.advance(1000)
  }
  const another = (more: Partial<S3BlobsOptions> = {}) => {
    const made = new S3Blobs({ bucket: server.settings, clock, ...more, limits: { pause, ...more.limits } })
    t.teardown(() => made.close())
    return made
  }
  return { server, clock, pauses, blobs: another(), another }
}

async function* of(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(error instanceof Failure, String(error))
  return error
}

async function bytesOf(stream: Readable | undefined): Promise<Buffer> {
  assert.ok(stream)
  return buffer(stream)
}

/** What the server is to answer to requests that a pattern matches in `METHOD url`, so many times. */
function answering(server: S3Server, pattern: RegExp, answer: S3Answer | 'hang', times = Number.POSITIVE_INFINITY): void {
  let left = times
  server.intercept = ({ method, url }) => (pattern.test(`${method} ${url}`) && left-- > 0 ? answer : undefined)
}

t.test('the server of these tests knows a signature of Amazon’s from another', async (t) => {
  // The examples of "Authenticating Requests: Using the Authorization Header", but for those with a body hash of none.
  const keys = { id: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', region: 'us-east-1' }
  const empty = hash('sha256', '', 'hex')
  const welcome = Buffer.from('Welcome to Amazon S3.')
  const signed = (names: string, signature: string) =>
    `AWS4-HMAC-SHA256 Credential=${keys.id}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${signature}`
  const common = { host: 'examplebucket.s3.amazonaws.com', 'x-amz-date': '20130524T000000Z' }
  const get = {
    method: 'GET',
    url: '/test.txt',
    headers: {
      ...common,
      range: 'bytes=0-9',
      'x-amz-content-sha256': empty,
      authorization: signed(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    },
    body: Buffer.alloc(0),
  }
  const put = {
    method: 'PUT',
    url: '/test%24file.text',
    headers: {
      ...common,
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': hash('sha256', welcome, 'hex'),
      authorization: signed(
        'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
        '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      ),
    },
    body: welcome,
  }
  const list = {
    method: 'GET',
    url: '/?max-keys=2&prefix=J',
    headers: {
      ...common,
      'x-amz-content-sha256': empty,
      authorization: signed(
        'host;x-amz-content-sha256;x-amz-date',
        '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      ),
    },
    body: Buffer.alloc(0),
  }
  const now = Date.parse('2013-05-24T00:10:00Z')
  for (const request of [get, put, list]) {
    t.equal(signatureFault(request, keys, now), undefined, request.url)
    t.equal(signatureFault({ ...request, url: `${request.url}x` }, keys, now), 'SignatureDoesNotMatch')
    t.equal(signatureFault({ ...request, method: 'DELETE' }, keys, now), 'SignatureDoesNotMatch')
    t.equal(signatureFault({ ...request, body: Buffer.from('x') }, keys, now), 'XAmzContentSHA256Mismatch')
    t.equal(signatureFault(request, { ...keys, secret: 'x' }, now), 'SignatureDoesNotMatch')
    t.equal(signatureFault(request, { ...keys, id: 'x' }, now), 'InvalidAccessKeyId')
    t.equal(signatureFault(request, keys, now + 20 * 60_000), 'RequestTimeTooSkewed')
    const more = { ...request.headers, 'x-amz-acl': 'public-read' }
    t.equal(signatureFault({ ...request, headers: more }, keys, now), 'AccessDenied', 'a header that is not signed')
  }
})

t.test('an upload goes on in parts of 8 MiB, and is held by no more', async (t) => {
  const { server, blobs } = await open(t)
  const piece = randomBytes(MIB)
  const content = Array.from({ length: 20 }, () => piece)
  const stored = await blobs.put(of(...content), 20 * MIB)
  t.strictSame(stored, { ref: hash('sha256', Buffer.concat(content), 'hex'), size: 20 * MIB, isNew: true })
  t.strictSame(
    server.seen.filter(({ size }) => size > MIB).map(({ size }) => size),
    [8 * MIB, 8 * MIB, 4 * MIB],
  )
  t.strictSame([server.objects.size, server.uploads.size], [1, 0], 'nothing is left of the parts')
  t.ok((await bytesOf(await blobs.open(stored.ref, { start: 8 * MIB - 5, end: 8 * MIB + 5 }))).length === 10)
  t.ok(server.seen.every(({ status }) => status < 300))
})

t.test('nobody sees an upload before it is whole', async (t) => {
  const { server, blobs, another } = await open(t, { leastPart: 1 })
  const seen: string[] = []
  server.intercept = () => {
    seen.push(...server.objects.keys())
    return undefined
  }
  const { ref } = await another({ part: 1000 }).put(of(randomBytes(2500)), 2500)
  const [own] = [...server.objects.keys()]
  t.match(own, new RegExp(`^media/${ref}/`))
  t.strictSame([...new Set(seen)].map((key) => key.split('/')[0]).sort(), ['media', 'uploads'])
  server.intercept = undefined
  t.equal((await bytesOf(await blobs.open(ref))).length, 2500)
})

t.test('what fails for a moment is tried again, signed anew, after longer and longer pauses', async (t) => {
  for (const answer of [
    fault(500, 'InternalError'),
    fault(503, 'SlowDown'),
    fault(429, 'TooManyRequests'),
    fault(400, 'RequestTimeout'),
  ]) {
    const { server, blobs, pauses } = await open(t)
    answering(server, /^PUT /, answer, 4)
    await blobs.put(of(Buffer.from('x')), 1)
    const puts = server.seen.filter(({ method }) => method === 'PUT')
    t.equal(puts.length, 5)
    t.equal(new Set(puts.map(({ headers }) => headers.authorization)).size, 5, 'each has a signature of its own')
    t.equal(new Set(puts.map(({ headers }) => headers['x-amz-date'])).size, 5)
    t.ok(
      pauses.every((ms, nth) => ms >= 50 * 2 ** nth && ms <= 100 * 2 ** nth),
      pauses.join(),
    )
  }
})

t.test('a server that does not answer is given up', async (t) => {
  const { server, another, pauses } = await open(t)
  answering(server, /^PUT /, 'hang')
  for (const limits of [
    { idleMs: 20, attemptMs: FOR_EVER },
    { idleMs: FOR_EVER, attemptMs: 20 },
  ]) {
    pauses.length = 0
    const failure = await failureOf(another({ limits: { ...limits, attempts: 3 } }).put(of(Buffer.from('x')), 1))
    t.ok(failure instanceof Unavailable)
    t.match(failure.hint, /does not answer in time/)
    t.equal(pauses.length, 2)
  }
  server.intercept = undefined
  t.notOk(server.objects.size)
})

t.test('an attempt whose time ends while it is signed is given up', async (t) => {
  const { server, clock, another, pauses } = await open(t)
  answering(server, /^PUT /, 'hang')
  const slow = {
    now: () => {
      for (const begin = performance.now(); performance.now() - begin < 40; );
      return clock.now()
    },
  }
  const limits = { idleMs: FOR_EVER, attemptMs: 20, attempts: 2 }
  const failure = await failureOf(another({ clock: slow, limits }).put(of(Buffer.from('x')), 1))
  t.match(failure.hint, /does not answer in time/)
  t.equal(pauses.length, 1)
})

t.test('what is wrong is said in plain words, without a key', async (t) => {
  const { server, clock, another } = await open(t)
  const { settings } = server
  const denied = (pattern: RegExp) => () => answering(server, pattern, fault(403, 'AccessDenied'))
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>Hello</html>' }
  const closed = await closedPort()
  const cases: [Partial<typeof settings>, (() => void) | undefined, RegExp][] = [
    [{ access_key_id: 'AKIDOTHER' }, undefined, /does not know the key.*media\.s3\.access_key_id/],
    [{ secret_access_key: 'ANOTHERSECRET' }, undefined, /secret key does not belong.*media\.s3\.secret_access_key/],
    [{ bucket: 'other' }, undefined, /There is no such bucket\. .*media\.s3\.bucket/],
    [{ region: 'us-east-1' }, undefined, /region is not that of the bucket, which is eu-central-1\. Correct media\.s3\.region/],
    [{ endpoint: `http://127.0.0.1:${closed}` }, undefined, /Nothing answers at the bucket’s address/],
    [{ endpoint: 'http://no.host.invalid' }, undefined, /is not found/],
    [{ endpoint: server.endpoint.replace('http:', 'https:') }, undefined, /No secure connection/],
    [{}, denied(/^PUT /), /can’t be put\. The key lacks rights/],
    [{}, denied(/list-type/), /can’t be listed\. The key lacks rights/],
    [{}, denied(/^GET .*uploads\/[0-9a-f]+$/), /can’t be read\. The key lacks rights/],
    [{}, denied(/^DELETE/), /can’t be removed\. The key lacks rights/],
    [{}, () => answering(server, /^GET/, html), /answers with no list.*no S3 server/],
    [
      {},
      () =>
        answering(server, /^PUT/, {
          status: 301,
          headers: { location: 'http://elsewhere.example/', 'x-amz-bucket-region': 'eu-west-3' },
        }),
      /at another address, to which nothing is sent\. It is in the region eu-west-3/,
    ],
    [{}, () => answering(server, /^PUT/, fault(503, 'SlowDown')), /503 SlowDown.*overloaded/],
    [{}, () => answering(server, /^PUT/, fault(418, 'Weird')), /418 Weird/],
  ]
  for (const [wrong, before, says] of cases) {
    server.intercept = undefined
    before?.()
    const blobs = another({ bucket: { ...settings, ...wrong } })
    const [found] = await blobs.examine()
    const told = `${found?.says} ${found?.hint}`
    t.equal(found?.state, 'todo')
    t.match(told, says)
    const failure = wrong.endpoint || before ? undefined : await failureOf(blobs.put(of(Buffer.from('x')), 1))
    if (failure) t.match(failure, { status: 503, message: 'The bucket of the media is out of reach; try again.', hint: says })
    const all = `${told} ${failure?.message} ${failure?.hint} ${failure?.stack} ${(failure as Error | undefined)?.cause} ${JSON.stringify(failure)}`
    for (const key of [settings.access_key_id, settings.secret_access_key, 'AKIDOTHER', 'ANOTHERSECRET']) t.notMatch(all, key)
  }
  server.intercept = undefined
  for (const [by, says] of [
    [-20 * 60_000, /20 min behind/],
    [40 * 60_000, /40 min ahead of/],
  ] as const) {
    const [found] = await another({ clock: { now: () => clock.now() + by } }).examine()
    t.match(found, { state: 'todo', says, hint: /time server/ })
  }
  server.objects.clear()
  t.match(await another().examine(), [{ name: 'bucket', state: 'ok' }])
  t.strictSame([server.objects.size, server.uploads.size], [0, 0], 'nothing is left of it')
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

t.test('nothing is sent to where a server redirects', async (t) => {
  const { server, blobs } = await open(t)
  let asked = 0
  const other = createServer((_, response) => {
    asked++
    response.end()
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`
  for (const status of [301, 302, 303, 307, 308]) {
    answering(server, /./, { status, headers: { location } })
    t.match(await failureOf(blobs.put(of(Buffer.from('x')), 1)), { status: 503 })
    t.match(await failureOf(blobs.open('0'.repeat(64))), { status: 503 })
  }
  t.equal(asked, 0)
})

t.test('a bucket that is full is no reason to try again', async (t) => {
  for (const answer of [fault(507, 'XMinioStorageFull'), fault(403, 'QuotaExceeded')]) {
    const { server, blobs, pauses } = await open(t)
    answering(server, /^PUT/, answer)
    t.ok((await failureOf(blobs.put(of(Buffer.from('x')), 1))) instanceof NoSpace)
    t.strictSame(pauses, [])
  }
})

t.test('an error in an answer of 200 is one', async (t) => {
  const { server, another } = await open(t, { leastPart: 1 })
  const blobs = another({ part: 10 })
  const late = { ...fault(200, 'InternalError'), status: 200 }
  for (const pattern of [/^POST .*uploadId=/, /^PUT .*media\//]) {
    answering(server, pattern, late, 2)
    const { ref } = await blobs.put(of(randomBytes(25)), 25)
    t.equal((await bytesOf(await blobs.open(ref))).length, 25)
    answering(server, pattern, late)
    t.match(await failureOf(blobs.put(of(randomBytes(25)), 25)), { status: 503 })
    server.intercept = undefined
    t.equal([...server.objects.keys()].filter((key) => !key.startsWith(`media/${ref}/`)).length, 0, 'nothing is left')
    t.equal(server.uploads.size, 0)
    await blobs.remove(ref)
  }
})

t.test('a server that can not list uploads in parts does', async (t) => {
  const { server, clock, another } = await open(t, { leastPart: 1 })
  const blobs = another({ part: 10 })
  answering(server, /^GET .*[?&]uploads=/, fault(501, 'NotImplemented'))
  t.match(await blobs.examine(), [{ state: 'ok' }])
  await blobs.put(of(randomBytes(25)), 25)
  t.match(await failureOf(blobs.put(of(randomBytes(25)), 24)), { status: 413 })
  t.strictSame([server.objects.size, server.uploads.size], [1, 0], 'its own it ends by name')
  clock.advance(DAY)
  t.equal(await blobs.sweep(clock.now(), () => false), 1)
})

t.test('an upload in parts whose last answer was lost is whole', async (t) => {
  const { server, another } = await open(t, { leastPart: 1 })
  server.intercept = ({ method, url }) => {
    if (/^POST .*uploadId=/.test(`${method} ${url}`)) server.breaksNext = !server.seen.some(({ status }) => status === 404)
    return undefined
  }
  const bytes = randomBytes(25)
  const { ref } = await another({ part: 10 }).put(of(bytes), 25)
  t.ok(
    server.seen.some(({ method, status }) => method === 'POST' && status === 404),
    'the upload is there no more when it is asked again',
  )
  t.ok((await bytesOf(await another().open(ref))).equals(bytes))
  t.strictSame([server.objects.size, server.uploads.size], [1, 0])
})

t.test('a download goes on where its connection was lost', async (t) => {
  const { server, blobs } = await open(t, { failing: 2 })
  const bytes = randomBytes(300_000)
  const { ref } = await blobs.put(of(bytes), bytes.length)
  for (let nth = 0; nth < 8; nth++) {
    t.ok((await bytesOf(await blobs.open(ref))).equals(bytes))
    t.ok((await bytesOf(await blobs.open(ref, { start: 1000, end: 200_000 }))).equals(bytes.subarray(1000, 200_000)))
  }
  t.ok(
    server.seen.some(({ headers }) => /^bytes=(?!0-|1000-)/.test(headers.range ?? '')),
    'it did',
  )
})

t.test('other bytes than those that were asked for are none', async (t) => {
  const { server, another } = await open(t)
  const blobs = another({ limits: { attempts: 2 } })
  const { ref } = await blobs.put(of(Buffer.from('0123456789')), 10)
  for (const answer of [
    { status: 200, body: '0123456789' },
    { status: 206, headers: { 'content-range': 'bytes 0-4/10' }, body: '01234' },
  ]) {
    answering(server, /^GET .*media\/[0-9a-f]+\//, answer)
    t.match(await failureOf(blobs.open(ref, { start: 2, end: 7 })), { status: 503 })
  }
  answering(server, /^GET .*media\/[0-9a-f]+\//, { status: 206, headers: { 'content-range': 'bytes 2-6/10' }, body: '23' })
  t.match(await failureOf(bytesOf(await blobs.open(ref, { start: 2, end: 7 }))), { status: 503, hint: /other bytes/ })
  server.intercept = undefined
  server.breaksNext = true
  t.equal(String(await bytesOf(await blobs.open(ref, { start: 2, end: 7 }))), '23456')
})

t.test('a download that nobody reads holds no connection', async (t) => {
  const { server, another } = await open(t)
  const blobs = another({ limits: { idleMs: FOR_EVER } })
  const bytes = randomBytes(30 * MIB)
  const { ref } = await blobs.put(of(bytes), bytes.length)
  const stream = await blobs.open(ref)
  const closed = new Promise((resolve) => stream?.once('close', resolve))
  stream?.destroy()
  await closed
  await t.resolves(server.idle(), 'the server has no answer to send any more')
})

t.test('a slow reader is waited for, a slow server is not', async (t) => {
  const { server, another } = await open(t)
  const blobs = another({ limits: { idleMs: 1000, attempts: 1 } })
  const bytes = randomBytes(4 * MIB)
  const { ref } = await blobs.put(of(bytes), bytes.length)
  const slow = ((await blobs.open(ref)) as Readable)[Symbol.asyncIterator]()
  const parts: Buffer[] = [(await slow.next()).value]
  server.stalls = true
  t.match(await failureOf(bytesOf(await blobs.open(ref))), { status: 503, hint: /does not answer in time/ })
  // As long as that took, the slow one asked for nothing.
  for await (const part of { [Symbol.asyncIterator]: () => slow }) parts.push(part)
  t.ok(Buffer.concat(parts).equals(bytes))
})

t.test('what another node put anew, or removed, is found as it is', async (t) => {
  const { server, clock, blobs, another } = await open(t)
  const { ref } = await blobs.put(of(Buffer.from('text')), 4)
  t.equal(String(await bytesOf(await blobs.open(ref))), 'text')
  const [first] = server.objects.keys()
  clock.advance(5000)
  const node = another()
  await node.put(of(Buffer.from('text')), 4)
  const [second] = server.objects.keys()
  t.not(first, second)
  t.equal(server.objects.size, 1)
  t.equal(String(await bytesOf(await blobs.open(ref, { start: 1, end: 3 }))), 'ex')
  await node.remove(ref)
  t.equal(await blobs.open(ref), undefined)
  t.equal(await blobs.open(ref, { start: 2, end: 2 }), undefined)
  const before = server.seen.length
  t.equal(await blobs.open(ref), undefined)
  t.equal(server.seen.length - before, 1, 'where it was is forgotten')
})

t.test('a blob that is removed while it is read ends in an error', async (t) => {
  const { server, blobs } = await open(t)
  const bytes = randomBytes(300_000)
  const { ref } = await blobs.put(of(bytes), bytes.length)
  server.breaksNext = true
  const stream = await blobs.open(ref)
  await blobs.remove(ref)
  t.match(await failureOf(bytesOf(stream)), { status: 503, hint: /removed while it was read/ })
})

t.test('a sweep spares what is put anew while it runs, and what is not of this site', async (t) => {
  const { server, clock, blobs, another } = await open(t, { page: 1 })
  const refs: string[] = []
  for (const text of ['a', 'b', 'c']) refs.push((await blobs.put(of(Buffer.from(text)), 1)).ref)
  server.objects.set('backup/x', { bytes: Buffer.from('x'), at: clock.now() })
  server.objects.set('media/readme.txt', { bytes: Buffer.from('x'), at: clock.now() })
  clock.advance(DAY)
  const node = another()
  let isPut = false
  // Between the list and the removal.
  const removed = await blobs.sweep(clock.now(), (ref) => {
    if (!isPut) server.objects.set(`media/${ref}/${'f'.repeat(32)}`, { bytes: Buffer.from('?'), at: clock.now() })
    isPut = true
    return false
  })
  t.equal(removed, 3)
  t.strictSame([...server.objects.keys()].map((key) => key.replace(/[0-9a-f]{64}/, 'ref')).sort(), [
    'backup/x',
    'media/readme.txt',
    `media/ref/${'f'.repeat(32)}`,
  ])
  const [kept = ''] = [...server.objects.keys()].filter((key) => key.endsWith('f'))
  server.objects.set(kept.replace(/f+$/, 'a'.repeat(32)), { bytes: Buffer.from('?'), at: clock.now() - 1000 })
  t.equal(await node.sweep(clock.now(), () => true), 0)
  t.strictSame(
    [...server.objects.keys()].filter((key) => /^media\/[0-9a-f]{64}/.test(key)),
    [kept],
    'the newest is enough',
  )
})

t.test('files of a site that a database tells of are spared by a sweep of the bucket', async (t) => {
  const { clock, blobs } = await open(t)
  const opened = await openPostgres({})
  t.teardown(opened.close)
  const kept = new KeptBlobs(blobs, opened.store.database)
  const placed = await kept.put(of(Buffer.from('placed')), 6)
  const other = await kept.put(of(Buffer.from('other')), 5)
  const files = new PostgresSiteFiles(opened.store.database, kept)
  await files.put([{ area: 'static', path: 'x.txt', ...placed }])
  clock.advance(DAY)
  t.equal(await kept.sweep(clock.now(), () => false), 1)
  const file = await files.find('static', 'x.txt')
  t.equal(String(await bytesOf(file && (await files.open(file)))), 'placed')
  t.equal(await kept.open(other.ref), undefined)
  await kept.remove(placed.ref)
  t.equal(String(await bytesOf(await kept.open(placed.ref))), 'placed', 'nor are they removed by name')
})
