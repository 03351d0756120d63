import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'
import pg from 'pg'
import t from 'tap'
import { TestApp } from '#support/app.ts'
import { type FormPart, formOf } from '#support/form.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { box, jpegWith, pixels, pngChunk, pngWith, segment, webpChunk, words } from '../../media/pictures.ts'

const features = { api: true, media: true, site: true }
const MIB = 1024 * 1024
const SCRIPT = '<script>alert(document.domain)</script>'
const PNG = await pixels().png().toBuffer()
const JPEG = await jpegWith()
const GIF = await pixels().gif().toBuffer()
const WEBP = await pixels().webp().toBuffer()
const MOST_GROWTH = 100 * MIB
const PNG_MARK = PNG.subarray(0, 8)

/** A form and the statuses with which it may be answered. */
interface Attack {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly statuses: readonly number[]
}

/** One file under one name; `may` are the statuses. */
function file(bytes: Buffer | string, name: string, ...may: readonly number[]): Attack {
  return { ...formOf(['file', bytes, name]), statuses: may }
}

function parts(status: number, ...all: readonly FormPart[]): Attack {
  return { ...formOf(...all), statuses: [status] }
}

/** A head of a PNG with these sides, in true colour. */
function head(width: number, height: number): Buffer {
  return pngChunk('IHDR', Buffer.concat([words(width, height), Buffer.of(8, 2, 0, 0, 0)]))
}

/** Bytes of zlib that inflate to a GiB of zeros. */
function bomb(): Buffer {
  const one = deflateRawSync(Buffer.alloc(MIB), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  return Buffer.concat([Buffer.of(0x78, 0xda), ...Array.from({ length: 1024 }, () => one), Buffer.of(3, 0, 0, 0, 0, 1)])
}

/** A GIF with a canvas of these sides, and frames of one pixel. */
function gifOf(side: number, frames: number): Buffer {
  const start = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  start.writeUInt16LE(side, 6)
  start.writeUInt16LE(side, 8)
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return Buffer.concat([start, ...Array.from({ length: frames }, () => frame), Buffer.of(0x3b)])
}

/** A JPEG that says it has these sides. */
function jpegOf(width: number, height: number): Buffer {
  const bytes = Buffer.from(JPEG)
  const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]))
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}

function png(...chunks: readonly Buffer[]): Buffer {
  return Buffer.concat([PNG_MARK, ...chunks, pngChunk('IEND', '')])
}

/** A body as it is, with the boundary of `formOf`. */
function raw(text: string, ...may: readonly number[]): Attack {
  return { body: Buffer.from(text, 'latin1'), headers: formOf().headers, statuses: may }
}

async function attacks(): Promise<Record<string, Attack>> {
  const inflating = bomb()
  const whole = formOf(['alt', 'Cat'], ['file', PNG, 'cat.png'])
  const ftyp = box('ftyp', Buffer.from('avif\0\0\0\0avif'))
  const part = (headers: string, content: string) => `--form-boundary-4711\r\n${headers}\r\n\r\n${content}\r\n`
  const end = '--form-boundary-4711--\r\n'
  const disposition = 'Content-Disposition: form-data; name="file"; filename'
  const all: Record<string, Attack> = {
    'an SVG as a PNG': file(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, 'a.png', 415),
    'an SVG behind a comment': file(`<!-- ${'x'.repeat(5000)} --><svg>${SCRIPT}</svg>`, 'a.jpg', 415),
    'an SVG behind a declaration, as a text': file(`\ufeff<?xml version="1.0"?>\n<svg>${SCRIPT}</svg>`, 'a.txt', 415),
    'HTML as a JPEG': file(`<!doctype html>${SCRIPT}`, 'a.jpg', 415),
    'HTML as CSV': file(`a,b\n${SCRIPT}`, 'a.csv', 415),
    'HTML far behind in a text': file(`${'x'.repeat(4000)}${SCRIPT}`, 'a.txt', 201),
    'a script of a shell as a GIF': file('#!/bin/sh\nrm -rf /', 'a.gif', 415),
    'PHP as a PNG': file('<?php system($_GET["x"]);', 'a.php.png', 415),
    'JavaScript as a PNG': file('alert(document.domain)//', 'a.png', 415),
    'JavaScript as it is': file('alert(document.domain)//', 'a.js', 201),
    'HTML in UTF-16': file(Buffer.from(`\ufeff${SCRIPT}`, 'utf16le'), 'a.txt', 415),
    'HTML in UTF-7': file('+ADw-script+AD4-alert(1)+ADw-/script+AD4-', 'a.html', 201),
    'a GIF that is JavaScript': file(`GIF89a=1;alert(1)//${'\0'.repeat(40)}`, 'a.gif', 415, 422),
    'a GIF with HTML behind its end': file(Buffer.concat([GIF, Buffer.from(SCRIPT)]), 'a.gif', 201),
    'a GIF with a script in a comment': file(
      Buffer.concat([GIF.subarray(0, -1), Buffer.from(`\x21\xfe${String.fromCharCode(SCRIPT.length)}${SCRIPT}\0;`, 'latin1')]),
      'a.gif.html',
      201,
    ),
    'a JPEG with HTML in a comment': file(await jpegWith(segment(0xfe, SCRIPT)), 'a.html', 201),
    'a JPEG with a ZIP behind it': file(Buffer.concat([JPEG, Buffer.from('PK\x03\x04'), Buffer.alloc(99)]), 'a.jar', 201),
    'a JPEG with PHP in its EXIF': file(await jpegWith(segment(0xe1, 'Exif\0\0<?php phpinfo();')), 'a.php', 201),
    'a PNG with HTML in a text': file(await pngWith(pngChunk('tEXt', `x\0${SCRIPT}`)), 'a.svg', 201),
    'a PDF with a script, as a PNG': file('%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript>>>>endobj\n%%EOF', 'a.png', 201, 422),
    'a JPEG of 60,000 × 60,000 pixels': file(jpegOf(60_000, 60_000), 'a.jpg', 422),
    'a PNG of 60,000 × 60,000 pixels': file(png(head(60_000, 60_000), pngChunk('IDAT', 'x')), 'a.png', 422),
    'a PNG of 2,147,483,647 × 1 pixels': file(png(head(0x7fff_ffff, 1), pngChunk('IDAT', 'x')), 'a.png', 422),
    'a WebP of 16,384 × 16,384 pixels': file(
      Buffer.concat([Buffer.from('RIFF\x0e\0\0\0WEBP'), webpChunk('VP8L', Buffer.of(0x2f, 255, 255, 255, 15, 0))]),
      'a.webp',
      422,
    ),
    'an AVIF that ends behind its head': file(ftyp, 'a.avif', 422),
    'a GIF of 10,000 frames': file(gifOf(1000, 10_000), 'a.gif', 422),
    'a GIF of 10,000 tiny frames': file(gifOf(1, 10_000), 'a.gif', 201),
    'a PNG that inflates to a GiB, and says so': file(png(head(20_000, 17_896), pngChunk('IDAT', inflating)), 'a.png', 422),
    'a PNG that inflates to a GiB, and says nothing': file(png(head(8, 8), pngChunk('IDAT', inflating)), 'bomb.png', 201),
    'a PNG whose profile inflates to a GiB': file(
      await pngWith(pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), inflating]))),
      'profile.png',
      201,
    ),
    'a JPEG that goes on for ever': file(Buffer.concat([JPEG.subarray(0, -2), Buffer.alloc(MIB, 0xd0ff)]), 'a.jpg', 422),
    'a name that leads out': file(PNG, '../../../etc/passwd.png', 201),
    'a name with other slashes': file(PNG, '..\\..\\windows\\system32\\evil.png', 201),
    'a name that leads out, encoded': file(PNG, '..%2f..%2fevil.png', 201),
    'a name with a NUL': file(PNG, 'a.php\0.png', 201, 422),
    'the name .htaccess': file('SetHandler x', '.htaccess', 201),
    'the name of a device': file(PNG, 'con.png', 201),
    'the name of a sidecar': file('checksum: x', 'photo.jpg.yaml', 201),
    'a name with 300 letters': file(PNG, `${'x'.repeat(300)}.png`, 201),
    'a name with 300 letters of three bytes': file(WEBP, `${'漢'.repeat(300)}.webp`, 201),
    'a name with a line break': file(PNG, 'a\r\nSet-Cookie: x=1.png', 201, 422),
    'a name that turns round': file(PNG, 'photo\u202egnp.exe', 201),
    'an empty name': file(PNG, '', 201),
    'no file': parts(422, ['alt', 'x']),
    'two files': parts(422, ['file', PNG, 'a.png'], ['file', PNG, 'b.png']),
    'a file and a text of its name': parts(422, ['file', PNG, 'a.png'], ['file', 'x']),
    'fields that all objects have': parts(422, ['file', PNG, 'a.png'], ['constructor', 'x']),
    'a field named as the prototype': parts(422, ['file', PNG, 'a.png'], ['__proto__', 'x']),
    'a file named as the prototype': parts(422, ['file', PNG, 'a.png'], ['__proto__', PNG, 'b.png']),
    'a folder that leads out': parts(422, ['file', PNG, 'a.png'], ['folder', '2026/../../..']),
    'a folder of the repository': parts(422, ['file', PNG, 'a.png'], ['folder', '.git/hooks']),
    'a folder with a NUL': parts(422, ['file', PNG, 'a.png'], ['folder', 'a\0b']),
    'a folder called as a file': parts(422, ['file', PNG, 'a.png'], ['folder', 'image.png/x']),
    'a folder called as a sidecar': parts(422, ['file', PNG, 'a.png'], ['folder', 'a.png.yaml']),
    'a folder with a tilde': parts(422, ['file', PNG, 'a.png'], ['folder', 'a~b']),
    '10,000 parts': parts(422, ...Array.from({ length: 10_000 }, (_, n): FormPart => [`f${n}`, 'x'])),
    'a header of 1 MiB': raw(part(`${disposition}="a.txt"\r\nX-Long: ${'x'.repeat(MIB)}`, 'text') + end, 201, 422),
    '50,000 headers': raw(part(`${disposition}="a.txt"\r\n${'X: y\r\n'.repeat(50_000)}X: y`, 'text') + end, 201, 422),
    'a part without a disposition': raw(part('Content-Type: image/png', 'text') + end, 422),
    'a name that is encoded badly': raw(part(`${disposition}*=UTF-8''%ff%fe..%2f%00x.txt`, 'text') + end, 201, 422),
    'a file that is too large': file(Buffer.alloc(3 * MIB, 'x'), 'a.txt', 413),
    'a form that has no beginning': raw('x'.repeat(MIB), 422),
    'no end boundary': { ...whole, body: whole.body.subarray(0, -24), statuses: [422] },
    'a form that says it is JSON': { ...whole, headers: { 'content-type': 'application/json' }, statuses: [415] },
    'an endless boundary': {
      ...whole,
      headers: { 'content-type': `multipart/form-data; boundary=${'x'.repeat(8000)}` },
      statuses: [415, 422],
    },
  }
  for (let tenth = 1; tenth < 10; tenth++) {
    const body = whole.body.subarray(0, Math.floor((whole.body.length * tenth) / 10))
    all[`a form cut at ${tenth} tenths`] = { ...whole, body, statuses: [422] }
  }
  return all
}

const SAFE_NAME = /^(?!con\.|file\.ht)[\p{Ll}\p{Lo}0-9][\p{Ll}\p{Lo}0-9-]*\.[a-z0-9]{3,4}$/u
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'video/mp4', 'video/webm', 'audio/mpeg']
const SAVED = ['application/pdf', 'text/plain; charset=utf-8', 'text/csv; charset=utf-8']

t.test('hostile uploads are refused, or are nothing that a browser runs', async (t) => {
  const all = await attacks()
  await eachStore(t, { history: true }, async (t, store) => {
    const app = new TestApp(store, { config: { features, media: { max_size: '2MiB' } } })
    t.teardown(() => app.close())
    const authorization = `Bearer ${await app.token()}`
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    const site = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`
    const send = ({ body, headers }: Pick<Attack, 'body' | 'headers'>) =>
      fetch(`${site}/api/media`, { method: 'POST', body: new Uint8Array(body), headers: { ...headers, authorization } })
    await (await send(formOf(['file', PNG, 'first.png']))).text()
    await (await fetch(`${site}/media/_w320/first.png.webp`)).arrayBuffer()
    const before = process.resourceUsage().maxRSS * 1024
    let made = 1
    for (const [name, attack] of Object.entries(all)) {
      const answer = await send(attack)
      const text = await answer.text()
      t.ok(attack.statuses.includes(answer.status), `${name}: ${answer.status} ${text.slice(0, 300)}`)
      if (answer.status !== 201) continue
      made++
      const { data } = JSON.parse(text)
      t.match(data.id, SAFE_NAME, name)
      t.equal((await fetch(site + answer.headers.get('location'), { headers: { authorization } })).status, 200, name)
      for (const query of ['', '?w=320&format=png']) {
        const served = await fetch(site + data.url.replace(/^https:\/\/example\.org/, '') + query)
        await served.arrayBuffer()
        if (query !== '' && served.status === 404) continue
        const type = String(served.headers.get('content-type'))
        t.equal(served.status, 200, name)
        t.ok([...SHOWN, ...SAVED].includes(type), `${name} is ${type}`)
        t.equal(served.headers.get('x-content-type-options'), 'nosniff')
        t.equal(served.headers.get('content-security-policy'), "default-src 'none'; sandbox")
        if (!SHOWN.includes(type)) t.match(served.headers.get('content-disposition'), /^attachment; filename="[\x20-\x7e]+"/)
      }
    }
    const listed = await app.ask('GET /api/media?per_page=1')
    t.equal(listed.body.meta.total, made, 'nothing else is there')
    t.ok(process.resourceUsage().maxRSS * 1024 - before < MOST_GROWTH, 'and memory did not grow for it')
  })
})

t.test('a body without a length ends where a form is too large', (t) =>
  eachStore(t, {}, async (t, store) => {
    const app = new TestApp(store, { config: { features, media: { max_size: '100kB' } } })
    t.teardown(() => app.close())
    const authorization = `Bearer ${await app.token()}`
    await app.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.app.server.address() as AddressInfo
    for (const start of ['', '--form-boundary-4711\r\nContent-Disposition: form-data; name="other"; filename="x"\r\n\r\n']) {
      const headers = { ...formOf().headers, authorization, 'transfer-encoding': 'chunked' }
      const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/api/media', headers })
      const status = new Promise<number | undefined>((resolve, reject) => {
        request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject)
      })
      request.write(start)
      const more = () => {
        while (!request.destroyed && request.write(Buffer.alloc(MIB, 'x')));
      }
      request.on('drain', more)
      more()
      t.equal(await status, 413, `a body that begins with ${JSON.stringify(start)}`)
      request
        .off('drain', more)
        .on('error', () => undefined)
        .destroy()
    }
  }),
)

/** EXIF of a GPS, as phones write it: the degrees as fractions, the latitude at first. */
function gps(): { exif: Buffer; place: Buffer } {
  const place = Buffer.alloc(24)
  for (const [n, number] of [51, 1, 30, 1, 2_653_589, 100_000].entries()) place.writeUInt32BE(number, 4 * n)
  const exif = Buffer.alloc(8 + 18 + 30 + place.length)
  exif.write('MM\0*', 'latin1')
  exif.writeUInt32BE(8, 4)
  const entry = (at: number, ...[tag, type, count, value]: readonly [number, number, number, number]) => {
    exif.writeUInt16BE(tag, at)
    exif.writeUInt16BE(type, at + 2)
    exif.writeUInt32BE(count, at + 4)
    exif.writeUInt32BE(value, at + 8)
  }
  exif.writeUInt16BE(1, 8)
  entry(10, 0x8825, 4, 1, 26)
  exif.writeUInt16BE(2, 26)
  entry(28, 1, 2, 2, 0x4e00_0000)
  entry(40, 2, 5, 3, 56)
  place.copy(exif, 56)
  return { exif, place: place.subarray(16) }
}

/** All that a store keeps: files, objects of its repository as they are inflated, rows of its tables. */
async function kept(store: OpenedStore): Promise<Buffer> {
  if (store.site) {
    const { root } = store.site
    const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const objects = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch'], { cwd: root, maxBuffer: 99 * MIB })
    return Buffer.concat([objects, ...found.map(({ parentPath, name }) => readFileSync(join(parentPath, name)))])
  }
  const client = new pg.Client({ connectionString: (store as OpenedStore & { url: string }).url })
  const { schema } = parsed((store as OpenedStore & { url: string }).url)
  await client.connect()
  try {
    const tables = await client.query('select tablename from pg_tables where schemaname = $1', [schema])
    const all: Buffer[] = []
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query(`select * from "${schema}"."${tablename}"`)
      for (const value of rows.flatMap((row) => Object.values(row)))
        all.push(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value ?? null)))
    }
    return Buffer.concat(all)
  } finally {
    await client.end()
  }
}

function parsed(url: string): { schema: string } {
  return { schema: new URL(url).searchParams.get('schema') ?? 'public' }
}

t.test('the place of a photo is in nothing that is kept or answered', async (t) => {
  const { exif, place } = gps()
  const photos: Record<string, Buffer> = {
    'photo.jpg': await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]))),
    'photo.png': await pngWith(pngChunk('eXIf', exif)),
    'photo.webp': await pixels()
      .webp()
      .withExif({ IFD3: { GPSLatitude: '51/1 30/1 2653589/100000' } })
      .toBuffer(),
  }
  const swapped = Buffer.from(place).swap32()
  const tells = (bytes: Buffer) => bytes.includes(place) || bytes.includes(swapped)
  await eachStore(t, { history: true }, async (t, store) => {
    const app = new TestApp(store, { config: { features: { ...features, revisions: true }, media: { max_pixels: 2000 } } })
    t.teardown(() => app.close())
    const answers: Buffer[] = []
    const ask = async (request: string, form?: ReturnType<typeof formOf>, headers = {}) => {
      const [method, url] = request.split(' ') as ['GET', string]
      const authorization = `Bearer ${await app.token()}`
      const payload = form && { payload: form.body }
      const answer = await app.app.inject({ method, url, ...payload, headers: { authorization, ...form?.headers, ...headers } })
      answers.push(answer.rawPayload, Buffer.from(JSON.stringify(answer.headers)))
      return answer
    }
    const other = formOf(['file', JPEG, 'other.jpg'])
    for (const [name, photo] of Object.entries(photos)) {
      t.ok(tells(photo), name)
      const form = formOf(['file', photo, name])
      for (let times = 0; times < 2; times++)
        t.equal((await ask('POST /api/media', form, { 'idempotency-key': name })).statusCode, 201)
      t.equal((await ask('POST /api/media', formOf(['file', photo, name], ['alt', 'x'.repeat(10_001)]))).statusCode, 422)
      t.equal((await ask('POST /api/media', formOf(['file', photo, name], ['x', 'y']))).statusCode, 422)
      t.equal((await ask('POST /api/media', { ...form, body: form.body.subarray(0, -9) })).statusCode, 422)
      t.equal((await ask(`PUT /api/media/${name}/file`, form)).statusCode, 200)
      if (name.endsWith('.jpg')) {
        t.equal((await ask('POST /api/media', other)).statusCode, 201)
        t.equal((await ask('PUT /api/media/other.jpg/file', form)).statusCode, 200)
        t.equal((await ask('PUT /api/media/other.jpg/file', other)).statusCode, 200)
      } else t.equal((await ask('PUT /api/media/other.jpg/file', form)).statusCode, 415)
      for (const request of ['media/', 'media/_w320/', 'api/media/'].map((base) => `GET /${base}${name}`))
        await ask(request.includes('_w') ? `${request}.webp` : request)
    }
    const large = await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif])))
    const frame = large.indexOf(Buffer.from([0xff, 0xc0]))
    large.writeUInt16BE(600, frame + 5)
    t.equal((await ask('POST /api/media', formOf(['file', large, 'large.jpg']))).statusCode, 422)
    await ask('GET /api/media')
    t.notOk(tells(Buffer.concat(answers)), 'no answer')
    t.notOk(tells(await kept(store)), 'nothing that is kept')
    const keeping = new TestApp(store, { config: { features, media: { keep_metadata: true } } })
    t.teardown(() => keeping.close())
    const form = formOf(['file', photos['photo.jpg'] ?? '', 'place.jpg'])
    const headers = { ...form.headers, authorization: `Bearer ${await app.token()}` }
    t.equal((await keeping.bare('POST /api/media', { ...form, headers })).status, 201)
    t.ok(tells(await kept(store)), 'where it would be found')
  })
})
