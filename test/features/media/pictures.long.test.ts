import { utimesSync } from 'node:fs'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: {} })
const by = { name: 'Somebody', email: 'somebody@example.org' }
const features = { api: true, media: true }

async function photo(width: number, height: number, red = 200): Promise<Buffer> {
  const left = { create: { width: Math.floor(width / 2), height, channels: 3, background: { r: red, g: 0, b: 0 } } } as const
  const background = { r: 0, g: 0, b: 255 }
  const all = sharp({ create: { width, height, channels: 3, background } })
  return all
    .composite([{ input: await sharp(left).png().toBuffer(), left: 0, top: 0 }])
    .jpeg()
    .toBuffer()
}

async function put({ store, blobs }: OpenedStore, id: string, bytes: Buffer, set: object = {}): Promise<void> {
  const stored = await blobs.put(Readable.from([bytes]), bytes.length)
  const fields = { checksum: `sha256:${stored.ref}`, size: bytes.length, ...set }
  await store.write([{ key: keyOf('media', id), put: { set: fields, bytes: stored } }], by)
}

t.test('smaller pictures are made by their addresses', (t) =>
  eachStore(t, { types, history: true }, async (t, opened) => {
    const config = { features, media: { widths: [320, 640] } }
    const app = new TestApp(opened, { config, deps: { privateDir: t.testdir() } })
    t.teardown(() => app.close())
    await put(opened, '2026~photo.jpg', await photo(1000, 500))
    const at = async (path: string, headers = {}) => {
      const { statusCode, headers: sent, rawPayload } = await app.app.inject({ method: 'GET', url: `/media/${path}`, headers })
      const is = statusCode === 200 && (await sharp(rawPayload).metadata())
      return { status: statusCode, headers: sent, bytes: rawPayload, is: is && [is.format, is.width, is.height] }
    }
    const small = await at('_w320/2026/photo.jpg.webp')
    t.match(small, {
      status: 200,
      is: ['webp', 320, 160],
      headers: { 'content-type': 'image/webp', 'cache-control': 'no-cache' },
    })
    t.notOk(small.headers['content-disposition'])
    t.same((await at('_w320/2026/photo.jpg.webp')).bytes, small.bytes, 'made once')
    t.equal((await at('_w320/2026/photo.jpg.webp', { 'if-none-match': small.headers.etag })).status, 304)
    const head = await app.app.inject({ method: 'HEAD', url: '/media/_w320/2026/photo.jpg.webp' })
    t.match([head.statusCode, head.headers['content-length']], [200, String(small.bytes.length)])
    t.same((await at('_w640/2026/photo.jpg.jpeg')).is, ['jpeg', 640, 320])
    t.same((await at('_w640/2026/photo.jpg.png')).is, ['png', 640, 320])
    t.same((await at('_w320/2026/photo.jpg.avif')).is, ['heif', 320, 160])
    t.same((await at('_w320x320/2026/photo.jpg.png')).is, ['png', 320, 320])
    const redIn = async (bytes: Buffer) => (await sharp(bytes).stats()).channels[0]?.mean ?? 0
    t.ok((await redIn((await at('_w320x320/2026/photo.jpg.png')).bytes)) > 50)
    const focal = { focal_point: { x: 1, y: 0.5 } }
    await opened.store.write([{ key: keyOf('media', '2026~photo.jpg'), put: { set: focal } }], by)
    t.ok((await redIn((await at('_w320x320/2026/photo.jpg.png')).bytes)) < 5, 'cut at the focal point')
    await put(
      opened,
      'tiny.png',
      await sharp(await photo(100, 50))
        .png()
        .toBuffer(),
    )
    t.same((await at('_w640/tiny.png.png')).is, ['png', 100, 50], 'never enlarged')
    t.match(await at('2026/photo.jpg?w=320&format=webp'), {
      status: 308,
      headers: { location: '/media/_w320/2026/photo.jpg.webp' },
    })
    t.match((await at('2026/photo.jpg?w=320')).headers, { location: '/media/_w320/2026/photo.jpg.jpeg' })
    const etagAt = async (path: string) => (await at(path)).headers.etag
    const etag = await etagAt('_w320/2026/photo.jpg.webp')
    await put(opened, 'same.jpg', await photo(1000, 500))
    t.equal(await etagAt('_w320/same.jpg.webp'), etag, 'the same bytes are the same picture')
    const file = opened.site?.path('content/media/2026/photo.jpg')
    if (file !== undefined) utimesSync(file, 1, 1)
    t.equal(await etagAt('_w320/2026/photo.jpg.webp'), etag, 'as after a restore of the folder')
    await put(opened, 'broken.jpg', Buffer.from('no picture'))
    t.equal((await at('_w320/broken.jpg.webp')).status, 404)
    await put(opened, 'text.txt', Buffer.from('no picture'))
    t.equal((await at('_w320/text.txt.webp')).status, 404)
    await put(opened, '2026~photo.jpg', await photo(400, 400, 10))
    t.same((await at('_w320/2026/photo.jpg.webp')).is, ['webp', 320, 320], 'other bytes, another picture')
  }),
)
