import fc from 'fast-check'
import sharp from 'sharp'
import t from 'tap'
import { readerOf } from '#media/bytes.ts'
import { inspect } from '#media/inspect.ts'
import { shownSize, type Turning } from '#media/picture.ts'
import {
  cutOf,
  exifWith,
  HIGH,
  jpegWith,
  pixels,
  pngChunk,
  pngWith,
  SECRETS,
  segment,
  shownPixels,
  WIDE,
  webpChunk,
  webpOf,
} from './pictures.ts'

const MARK = Buffer.from('Exif\0\0')
const TURNINGS: readonly Turning[] = [1, 2, 3, 4, 5, 6, 7, 8]
const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/" xmlns:xap="http://ns.adobe.com/xap/1.0/">${SECRETS.join()}</x:xmpmeta>`
const IPTC = `Photoshop 3.0\0${SECRETS.join()}`

/** A picture of each type with all that is to be cut out of it. */
const FULL: Readonly<Record<'jpeg' | 'png' | 'webp', (turning: Turning) => Promise<Buffer>>> = {
  jpeg: async (turning) => {
    const bytes = await jpegWith(
      segment(0xe1, Buffer.concat([MARK, exifWith(turning)])),
      segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${XMP}`),
      segment(0xe2, `MPF\0${SECRETS.join()}`),
      segment(0xed, IPTC),
      segment(0xfe, SECRETS.join()),
      segment(0xe5, SECRETS.join()),
    )
    return Buffer.concat([bytes, await pixels().jpeg().toBuffer(), Buffer.from(SECRETS.join())])
  },
  png: async (turning) => {
    const bytes = await pngWith(
      pngChunk('eXIf', exifWith(turning)),
      pngChunk('tEXt', `Author\0${SECRETS.join()}`),
      pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${XMP}`),
      pngChunk('tIME', Buffer.from([7, 234, 1, 1, 1, 1, 1])),
      pngChunk('prVt', SECRETS.join()),
    )
    return Buffer.concat([bytes, Buffer.from('PK\x03\x04'), Buffer.from(SECRETS.join())])
  },
  webp: async (turning) => {
    const plain = await pixels().webp().toBuffer()
    const head = Buffer.from([0x0c, 0, 0, 0, WIDE - 1, 0, 0, HIGH - 1, 0, 0])
    const chunks = [
      webpChunk('EXIF', exifWith(turning)),
      webpChunk('XMP ', Buffer.from(XMP)),
      webpChunk('Prv1', Buffer.from(IPTC)),
    ]
    return Buffer.concat([webpOf(webpChunk('VP8X', head), plain.subarray(12), ...chunks), Buffer.from(SECRETS.join())])
  },
}

for (const type of ['jpeg', 'png', 'webp'] as const) {
  t.test(`of a ${type} is cut what tells of people and places, and its pixels stay`, async (t) => {
    const untouched = await pixels().toFormat(type).toBuffer()
    t.equal(await cutOf(untouched), untouched, 'one without metadata is as it should be')
    for (const turning of TURNINGS) {
      const bytes = await FULL[type](turning)
      for (const secret of SECRETS) t.ok(bytes.includes(secret))
      const looked = await inspect(readerOf(bytes))
      t.match(looked, { type, width: WIDE, height: HIGH, turning, frames: 1, pixels: WIDE * HIGH })
      const cut = await cutOf(bytes)
      for (const secret of SECRETS) t.notOk(cut.includes(secret), secret)
      t.notOk(cut.includes('51.5007'), 'nor where it was taken')
      t.equal(cut.length - untouched.length <= 64, true, 'nothing but the turning is left')
      t.equal(await shownPixels(cut), await shownPixels(bytes))
      const { width, height } = await sharp(cut)
        .autoOrient()
        .toBuffer({ resolveWithObject: true })
        .then(({ info }) => info)
      t.strictSame(shownSize(looked), { width, height })
      t.equal((await inspect(readerOf(cut))).cut, undefined, 'there is no more to cut')
      t.equal((await inspect(readerOf(cut))).turning, turning)
    }
  })

  t.test(`metadata of a ${type} stay where they are to, but nothing behind the end`, async (t) => {
    const bytes = await FULL[type](6)
    const kept = await cutOf(bytes, { keepMetadata: true })
    t.ok(bytes.subarray(0, kept.length).equals(kept))
    t.ok(kept.length < bytes.length && kept.includes('51.5007'))
    t.equal(await cutOf(kept, { keepMetadata: true }), kept)
  })

  t.test(`the colours of a ${type} stay`, async (t) => {
    const withProfile = await pixels()
      .withIccProfile('p3')
      .withExif({ IFD0: { Artist: SECRETS[0] } })
      .toFormat(type)
      .toBuffer()
    const cut = await cutOf(withProfile)
    t.notOk(cut.includes(SECRETS[0]))
    const [before, after] = await Promise.all([withProfile, cut].map((bytes) => sharp(bytes).metadata()))
    t.ok(before?.icc)
    t.strictSame(after?.icc, before?.icc)
    t.equal(after?.exif, undefined)
  })
}

t.test('chunks that say how a PNG is coloured stay as they are', async (t) => {
  const chunks = [
    pngChunk('gAMA', Buffer.from([0, 0, 0xb1, 0x8f])),
    pngChunk('cHRM', Buffer.alloc(32, 1)),
    pngChunk('cICP', Buffer.from([9, 16, 0, 1])),
    pngChunk('pHYs', Buffer.from([0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1])),
  ]
  const bytes = await pngWith(...chunks)
  t.equal(await cutOf(bytes), bytes)
  t.strictSame(await cutOf(await pngWith(...chunks, pngChunk('zTXt', 'x'))), bytes)
})

t.test('a JPEG of four colours keeps the mark of Adobe that says how they are meant', async (t) => {
  const bytes = await pixels().toColourspace('cmyk').jpeg().toBuffer()
  const marked = Buffer.concat([bytes.subarray(0, 2), segment(0xfe, SECRETS[0]), bytes.subarray(2)])
  const cut = await cutOf(marked)
  t.ok(cut.includes('Adobe') && !cut.includes(SECRETS[0]))
  t.equal(await shownPixels(cut), await shownPixels(bytes))
})

t.test('a small picture within the head of a JPEG goes', async (t) => {
  const thumbnail = Buffer.concat([Buffer.from('JFIF\0\x01\x02\0\0\x01\0\x01\x02\x02', 'latin1'), Buffer.from('secretpixels')])
  const bytes = await jpegWith(segment(0xe0, thumbnail), segment(0xe0, 'JFXX\0\x10secretpixels'))
  const cut = await cutOf(bytes)
  t.notOk(cut.includes('secretpixels'))
  t.ok(cut.includes('JFIF'))
  t.equal(await shownPixels(cut), await shownPixels(bytes))
})

t.test('of an animation all frames stay', async (t) => {
  const moving = await pixels(3)
    .webp({ delay: [100, 200, 300] })
    .withExif({ IFD0: { Artist: SECRETS[0] } })
    .toBuffer()
  const looked = await inspect(readerOf(moving))
  t.match(looked, { type: 'webp', width: WIDE, height: HIGH, frames: 3, pixels: 3 * WIDE * HIGH, duration: 0.6 })
  const cut = await cutOf(moving)
  t.notOk(cut.includes(SECRETS[0]))
  t.equal(await shownPixels(cut, true), await shownPixels(moving, true))
  const gif = await pixels(3)
    .gif({ delay: [100, 200, 300] })
    .toBuffer()
  t.match(await inspect(readerOf(gif)), { type: 'gif', frames: 3, pixels: 3 * WIDE * HIGH, duration: 0.6, cut: undefined })
  t.strictSame(await cutOf(Buffer.concat([gif, Buffer.from('PK\x03\x04')])), gif, 'what lies behind a GIF goes')
})

t.test('what a frame of a WebP holds beside its picture goes', async (t) => {
  const plain = await pixels(3).webp().toBuffer()
  const at = plain.indexOf('ANMF')
  const end = at + 8 + plain.readUInt32LE(at + 4)
  const frame = webpChunk('ANMF', Buffer.concat([plain.subarray(at + 8, end), webpChunk('Prv1', Buffer.from(SECRETS[0]))]))
  const bytes = webpOf(plain.subarray(12, at), frame, plain.subarray(end))
  t.ok(bytes.includes(SECRETS[0]))
  t.strictSame(await cutOf(bytes), plain)
})

t.test('whatever parts a JPEG or a PNG has, its pixels stay, and a second cut finds nothing', async (t) => {
  const plain = { jpeg: await shownPixels(await jpegWith()), png: await shownPixels(await pngWith()) }
  const content = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes))
  const application = fc.tuple(fc.constantFrom(0xe0, 0xe2, 0xe3, 0xe4, 0xeb, 0xec, 0xed, 0xef, 0xfe), content)
  const chunk = fc.tuple(fc.constantFrom('tEXt', 'zTXt', 'prVa', 'tIME', 'caBX'), content)
  await fc.assert(
    fc.asyncProperty(
      fc.array(application, { maxLength: 8 }),
      fc.array(chunk, { maxLength: 8 }),
      content,
      async (parts, chunks, tail) => {
        const jpeg = Buffer.concat([await jpegWith(...parts.map(([marker, bytes]) => segment(marker, bytes))), tail])
        const png = Buffer.concat([await pngWith(...chunks.map(([name, bytes]) => pngChunk(name, bytes))), tail])
        const [one, other] = [await cutOf(jpeg), await cutOf(png)]
        t.equal(await shownPixels(one), plain.jpeg)
        t.equal(await shownPixels(other), plain.png)
        t.equal(await cutOf(one), one)
        t.equal(await cutOf(other), other)
      },
    ),
    { numRuns: 60 },
  )
})
