import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: {} })
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, media: true, site: true }
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function each(name: string, body: (t: Test, app: TestApp, opened: OpenedStore) => Promise<void>, files = {}): void {
  t.test(name, (t) =>
    eachStore(t, { files, types, history: true }, async (t, opened) => {
      const app = new TestApp(opened, { config: { features } })
      await body(t, app, opened)
      await app.close()
    }),
  )
}

/** Puts a media file whose bytes are a blob, or beside its sidecar where they are few. */
async function put({ store, blobs }: OpenedStore, id: string, bytes: Buffer, set: object = {}): Promise<void> {
  const stored = await blobs.put(Readable.from([bytes]), bytes.length)
  const fields = { checksum: `sha256:${stored.ref}`, size: bytes.length, ...set }
  await store.write([{ key: keyOf('media', id), put: { set: fields, bytes: stored } }], by)
}

async function bytesAt(app: TestApp, path: string, headers: Record<string, string> = {}) {
  const answer = await app.app.inject({ method: 'GET', url: path, headers })
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload }
}

for (const [where, size] of [
  ['beside its sidecar', 500],
  ['as a blob', 300_000],
] as const) {
  each(`bytes ${where} are sent whole and in parts`, async (t, app, opened) => {
    const bytes = randomBytes(size)
    await put(opened, '2026~cat.jpg', bytes)
    const whole = await bytesAt(app, '/media/2026/cat.jpg')
    t.match(
      { ...whole, bytes: hashOf(whole.bytes) },
      {
        ...{ status: 200, bytes: hashOf(bytes) },
        headers: {
          ...{ 'content-type': 'image/jpeg', 'content-length': String(size), 'cache-control': 'no-cache' },
          ...{ 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" },
          ...{ 'accept-ranges': 'bytes', etag: /^"[0-9a-f]{40}"$/ },
        },
      },
    )
    t.notOk(whole.headers['content-disposition'])
    const etag = String(whole.headers.etag)
    t.equal((await bytesAt(app, '/media/2026/cat.jpg', { 'if-none-match': etag })).status, 304)
    const part = await bytesAt(app, '/media/2026/cat.jpg', { range: 'bytes=100-199' })
    t.match(part, { status: 206, headers: { 'content-range': `bytes 100-199/${size}` } })
    t.same(part.bytes, bytes.subarray(100, 200))
    t.equal((await bytesAt(app, '/media/2026/cat.jpg', { range: `bytes=${size}-` })).status, 416)
    const head = await app.app.inject({ method: 'HEAD', url: '/media/2026/cat.jpg' })
    t.match([head.statusCode, head.headers['content-length'], head.rawPayload.length], [200, String(size), 0])
    const version = etag.slice(1, 11)
    t.match((await bytesAt(app, `/media/2026/cat.jpg?v=${version}`)).headers['cache-control'], /immutable/)
    t.equal((await bytesAt(app, '/media/2026/cat.jpg?v=0123456789')).headers['cache-control'], 'no-cache', 'another version')
    const other = randomBytes(size)
    await put(opened, '2026~cat.jpg', other)
    const now = await bytesAt(app, '/media/2026/cat.jpg', { 'if-none-match': etag })
    t.match([now.status, hashOf(now.bytes)], [200, hashOf(other)], 'other bytes at the same address')
  })
}

each('what is no picture, film or sound is an attachment, whatever the sidecar says of it', async (t, app, opened) => {
  await put(opened, "a 'b' é.txt", Buffer.from('<script>alert(1)</script>'), { mime_type: 'text/html' })
  const { headers } = await bytesAt(app, "/media/a%20'b'%20%C3%A9.txt")

  t.match(headers, {
    'content-type': 'text/plain; charset=utf-8',
    'content-disposition': `attachment; filename="a 'b' _.txt"; filename*=UTF-8''a%20%27b%27%20%C3%A9.txt`,
    'content-security-policy': "default-src 'none'; sandbox",
  })
  await put(opened, 'page.html', Buffer.from('<script>alert(1)</script>'), { mime_type: 'text/html' })
  t.match((await bytesAt(app, '/media/page.html')).headers, {
    'content-type': 'application/octet-stream',
    'content-disposition': /^attachment/,
  })
})

each('a moved file leads on, smaller pictures of it too', async (t, app, opened) => {
  await put(opened, 'new.png', Buffer.from('x'), { aliases: ['/media/2025/old%20one.png'] })
  t.match(await bytesAt(app, '/media/2025/old%20one.png'), { status: 308, headers: { location: '/media/new.png' } })
  t.match(await bytesAt(app, '/media/_w640/2025/old%20one.png.webp'), {
    status: 308,
    headers: { location: '/media/_w640/new.png.webp' },
  })
  for (const [query, location] of [
    ['w=320&format=webp', '/media/_w320/new.png.webp'],
    ['w=320&h=200', '/media/_w320x200/new.png.png'],
    ['v=12345678', '/media/new.png'],
  ])
    t.match(await bytesAt(app, `/media/2025/old%20one.png?${query}`), { status: 308, headers: { location } })
  t.equal((await bytesAt(app, '/media/2025/old%20one.png?w=321')).status, 404)
  await put(opened, '2025~old one.png', Buffer.from('y'))
  t.equal((await bytesAt(app, '/media/2025/old%20one.png')).status, 200, 'unless there is one again')
})

each('what is not there', async (t, app, opened) => {
  await put(opened, 'cat.jpg', randomBytes(10))
  await opened.store.write(
    [{ key: keyOf('media', 'lost.jpg'), put: { set: { checksum: `sha256:${'0'.repeat(64)}`, size: 3 } } }],
    by,
  )
  await opened.store.write([{ key: keyOf('media', 'empty.jpg'), put: { set: { alt: 'A' } } }], by)
  const paths = ['cat.png', 'lost.jpg', 'empty.jpg', 'cat.jpg.yaml', '%2e%2e/posts/x', '%00', '', '.', 'a/..']
  const pictures = [
    '_w641/cat.jpg.webp',
    '_w640/cat.jpg',
    '_w0640/cat.jpg.webp',
    '_w640x1281/cat.jpg.webp',
    '_w640x0/cat.jpg.webp',
  ]
  const more = ['_w640/cat.jpg.gif', '_w640/none.jpg.webp', 'cat.jpg?w=641', 'cat.jpg?w=640&format=svg', 'cat.jpg?w=640&h=1281']
  for (const path of [...paths, ...pictures, ...more]) {
    const { status } = await bytesAt(app, `/media/${path}`)
    t.equal(status, 404, path)
  }
  for (const query of ['w=640/../../x', 'w=640&h=360/../../x', 'w=640&format=../x.webp'])
    t.equal((await bytesAt(app, `/media/cat.jpg?${query}`)).status, 404, query)
  t.equal((await bytesAt(app, '/media/%ff')).status, 400)
  for (const method of ['POST', 'PUT', 'DELETE'])
    t.match(await app.bare(`${method} /media/cat.jpg`), { status: 405, headers: { allow: 'GET, HEAD' } }, method)
  t.equal((await app.bare('POST /api/nothing')).status, 404)
})

each('what says how bytes are kept goes with the bytes alone', async (t, app, opened) => {
  const bytes = randomBytes(300_000)
  await put(opened, 'gone.txt', bytes)
  const ref = hashOf(bytes)
  const address = `/media/gone.txt?v=${String((await bytesAt(app, '/media/gone.txt')).headers.etag).slice(1, 11)}`
  t.match((await bytesAt(app, address)).headers, { 'cache-control': /immutable/, 'content-disposition': /attachment/ })
  const known = (await bytesAt(app, address, { 'if-none-match': `"${ref}"` })).headers
  const past = await bytesAt(app, address, { range: 'bytes=900000-' })
  t.equal(past.status, 416)
  t.notMatch(String(past.headers['cache-control']), /immutable/)
  t.equal((await app.app.inject({ method: 'HEAD', url: address })).headers['content-length'], '300000')
  await opened.blobs.remove(ref)
  for (const method of ['GET', 'HEAD'] as const) {
    const { statusCode, headers } = await app.app.inject({ method, url: address })
    t.equal(statusCode, 404, method)
    t.notMatch(String(headers['cache-control']), /immutable|max-age/)
    t.same([headers['content-disposition'], headers.etag, headers['accept-ranges']], [undefined, undefined, undefined])
  }
  t.match(known, { 'cache-control': /immutable/ })
})

t.test('media of a site below a path are at both addresses', (t) =>
  eachStore(t, { types }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features, site: { name: 'Site', url: 'https://example.org/repo/' } } })
    await put(opened, 'b.png', Buffer.from('some bytes'), { aliases: ['/media/a.png'] })
    for (const base of ['', '/repo']) {
      t.equal(String((await bytesAt(app, `${base}/media/b.png`)).bytes), 'some bytes')
      t.equal((await bytesAt(app, `${base}/media/a.png`)).headers.location, `${base}/media/b.png`)
    }
    await app.close()
  }),
)
