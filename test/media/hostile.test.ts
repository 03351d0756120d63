import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { type BytesReader, readerOf } from '#media/bytes.ts'
import { MediaFault } from '#media/fault.ts'
import { inspect } from '#media/inspect.ts'
import { bytesOfCut } from '#media/pieces.ts'
import { longTest } from '#support/long.ts'
import { cutOf, exifWith, jpegWith, pixels, pngChunk, pngWith, refusal, segment, webpChunk, webpOf } from './pictures.ts'

const TYPES = ['jpeg', 'png', 'gif', 'webp', 'avif'] as const

/** Pictures of all types, some of them moving, with metadata. */
async function samples(): Promise<Buffer[]> {
  const still = await Promise.all(
    TYPES.map((type) =>
      pixels()
        .withExif({ IFD0: { Artist: 'Ada' } })
        .toFormat(type)
        .toBuffer(),
    ),
  )
  const moving = await Promise.all((['gif', 'webp'] as const).map((type) => pixels(3).toFormat(type).toBuffer()))
  const full = await jpegWith(segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exifWith(6)])))
  return [
    ...still,
    ...moving,
    full,
    await pixels().jpeg({ progressive: true }).toBuffer(),
    await pixels().webp({ lossless: true }).toBuffer(),
  ]
}

t.test('a picture that was cut short at each tenth is broken', async (t) => {
  for (const bytes of await samples()) {
    for (let tenth = 1; tenth < 10; tenth++) {
      const cut = bytes.subarray(0, Math.floor((bytes.length * tenth) / 10))
      t.match(await refusal(cut), /^broken/, `${bytes.length} ${tenth}`)
    }
    const isGif = bytes.toString('latin1', 0, 3) === 'GIF'
    const short = bytes.subarray(0, bytes.length - 1)
    if (isGif) t.strictSame(await cutOf(short), bytes, 'the end that some programs leave out is put there')
    else t.match(await refusal(short), /^broken/, 'by one byte')
  }
})

t.test('whatever is changed in a file, it is read or refused, and what is cut is as long as was said', async (t) => {
  const all = await samples()
  const change = fc.tuple(fc.nat(100_000), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.integer({ min: 1, max: 6 }))
  await fc.assert(
    fc.asyncProperty(fc.nat(all.length - 1), fc.array(change, { minLength: 1, maxLength: 6 }), async (index, changes) => {
      const bytes = Buffer.from(all[index] ?? '')
      for (const [at, value, count] of changes)
        bytes.fill(value, at % bytes.length, Math.min((at % bytes.length) + count, bytes.length))
      const cut = await cutOf(bytes).catch((error: unknown) => {
        if (!(error instanceof MediaFault)) throw error
      })
      if (cut && cut !== bytes) t.equal(await cutOf(cut), cut)
    }),
    { numRuns: 3000 },
  )
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), fc.uint8Array({ maxLength: 300 }), fc.nat(64), async (sample, bytes, head) => {
      await cutOf(Buffer.concat([sample.subarray(0, head), bytes])).catch((error: unknown) => {
        if (!(error instanceof MediaFault)) throw error
      })
    }),
    { numRuns: 2000 },
  )
})

t.test('the pixels that a picture takes are known before it is decoded', async (t) => {
  const size = async (bytes: Buffer) => (await inspect(readerOf(bytes))).pixels
  const jpeg = Buffer.from(await jpegWith())
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  jpeg.writeUInt16BE(60_000, frame + 5)
  jpeg.writeUInt16BE(60_000, frame + 7)
  t.equal(await size(jpeg), 3.6e9)
  const png = Buffer.from(await pngWith())
  png.writeUInt32BE(60_000, 16)
  png.writeUInt32BE(60_000, 20)
  t.equal(await refusal(png), 'broken png', 'whose checksum is wrong')
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  t.equal(await size(png), 3.6e9)
  const gif = Buffer.from(await pixels().gif().toBuffer())
  gif.writeUInt16LE(60_000, 6)
  gif.writeUInt16LE(60_000, 8)
  t.equal(await size(gif), 3.6e9)
  const frames = Buffer.from(await pixels(2).gif().toBuffer())
  frames.writeUInt16LE(60_000, frames.indexOf(Buffer.from([0x2c, 0, 0, 0, 0])) + 5)
  t.equal(await size(frames), 60_000 * 24 * 2, 'a frame that is larger than its canvas')
  const webp = await pixels().webp().toBuffer()
  const head = Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0, 0xff, 0xff, 0])
  t.equal(await refusal(webpOf(webpChunk('VP8X', head), webp.subarray(12))), 'broken webp', 'which says two sizes')
})

t.test('a PNG of 1 MB that inflates to 1 GB is looked at without inflating it', async (t) => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(16_384)
  head.writeUInt32BE(16_384, 4)
  head.set([8, 6], 8)
  const bytes = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', Buffer.alloc(1_000_000, 0)),
    pngChunk('IEND', ''),
  ])
  const reader = counting(bytes)
  t.match(await inspect(reader), { pixels: 268_435_456 })
  t.ok(reader.bytes < 100_000, 'nor even reading it')
})

t.test('a GIF of 10,000 frames is 10,000 pictures', async (t) => {
  const plain = await pixels().gif().toBuffer()
  const at = plain.indexOf(Buffer.from([0x21, 0xf9]))
  const frame = plain.subarray(at < 0 ? plain.indexOf(0x2c) : at, plain.length - 1)
  const many = Buffer.concat([
    plain.subarray(0, plain.length - 1),
    ...Array.from({ length: 9_999 }, () => frame),
    Buffer.from([0x3b]),
  ])
  const longest = await longestHold(async () => {
    t.match(await inspect(readerOf(many)), { frames: 10_000, pixels: 9_600_000 })
  })
  t.ok(longest < 50, `the event loop is held ${longest} ms at most`)
})

longTest('time grows as files do, however small their parts are', async (t) => {
  const jpeg = await jpegWith()
  const remark = segment(0xfe, '')
  const many = (count: number): Buffer => Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(4 * count, remark), jpeg.subarray(2)])
  t.strictSame(await cutOf(many(100_000)), jpeg)
  const own = Buffer.concat([jpeg.subarray(0, 2), Buffer.alloc(60_000, segment(0xdd, Buffer.from([0, 0]))), jpeg.subarray(2)])
  t.equal(await cutOf(own), own, 'no part is lost of 10,000')
  const stuffed = Buffer.concat([
    jpeg.subarray(0, jpeg.length - 2),
    Buffer.alloc(4_000_000, Buffer.from([0xff, 0])),
    Buffer.from([0xff, 0xd9]),
  ])
  const blocks = Buffer.concat([Buffer.from('GIF89a\x01\0\x01\0\0\0\0\x21\xfe'), Buffer.alloc(2_000_000, 1)])
  const chunks = Buffer.concat([(await pngWith()).subarray(0, 33), Buffer.alloc(2_400_000, pngChunk('prVa', ''))])
  const webp = await pixels().webp().toBuffer()
  const parts = webpOf(webp.subarray(12), Buffer.alloc(2_400_000, webpChunk('prVa', Buffer.alloc(0))))
  const boxes = Buffer.concat([Buffer.from('\0\0\0\x10ftypavif\0\0\0\0'), Buffer.alloc(4_000_000, Buffer.from('\0\0\0\x08free'))])
  for (const bytes of [many(300_000), stuffed, blocks, chunks, parts, boxes]) {
    const reader = counting(bytes)
    await inspect(reader).catch(() => undefined)
    const longest = await longestHold(async () => {
      await inspect(readerOf(bytes)).catch(() => undefined)
    })
    t.ok(longest < 50, `the event loop is held ${longest} ms at most`)
    t.ok(reader.bytes <= 2 * bytes.length + 300_000, 'and the file is read once, or twice')
    t.ok(reader.reads <= 100 + bytes.length / 100_000, `with few reads: ${reader.reads}`)
  }
})

t.test('a picture of alternating parts is refused before its pieces take memory', async (t) => {
  const jpeg = await jpegWith()
  const pair = Buffer.concat([segment(0xfe, ''), segment(0xdd, Buffer.from([0, 0]))])
  const bytes = Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: 50_000 }, () => pair), jpeg.subarray(2)])
  t.equal(await refusal(bytes), 'broken jpeg')
  const scans = jpeg.subarray(jpeg.indexOf(Buffer.from([0xff, 0xda])), jpeg.length - 2)
  const many = Buffer.concat([jpeg.subarray(0, jpeg.length - 2), ...Array.from({ length: 200 }, () => scans), jpeg.subarray(-2)])
  t.equal(await refusal(many), 'broken jpeg', 'one that is drawn 200 times')
})

t.test('what is left of a file that is cut in many places is read in few steps', async (t) => {
  const jpeg = await jpegWith()
  const pair = Buffer.concat([segment(0xfe, ''), segment(0xdd, Buffer.from([0, 0]))])
  const bytes = Buffer.concat([jpeg.subarray(0, 2), ...Array.from({ length: 9000 }, () => pair), jpeg.subarray(2)])
  const reader = counting(bytes)
  const { cut } = await inspect(reader)
  const [before, kept] = [reader.reads, [] as Buffer[]]
  for await (const chunk of bytesOfCut(reader, cut ?? { pieces: [], size: 0 })) kept.push(Buffer.from(chunk))
  const own = Array.from({ length: 9000 }, () => pair.subarray(4))
  t.ok(Buffer.concat(kept).equals(Buffer.concat([jpeg.subarray(0, 2), ...own, jpeg.subarray(2)])))
  t.ok(reader.reads - before <= 2, `${reader.reads - before} reads`)
})

t.test('bytes that a reader lost are a fault, not a loop', async (t) => {
  const bytes = await jpegWith()
  const reader: BytesReader = { size: bytes.length + 100, read: async (start, end) => bytes.subarray(start, end) }
  await t.rejects(inspect(reader), /ends before it is whole/)
})

/** A reader that counts what is read. */
function counting(bytes: Buffer): BytesReader & { bytes: number; reads: number } {
  return {
    size: bytes.length,
    bytes: 0,
    reads: 0,
    async read(start, end) {
      this.bytes += end - start
      this.reads++
      return bytes.subarray(start, end)
    },
  }
}

/**
 * The most milliseconds of work between two turns of the event loop while `work` went on: of the processor, since others use the
 * machine, and the least of three.
 */
async function longestHold(work: () => Promise<void>): Promise<number> {
  return Math.min(await oneHold(work), await oneHold(work), await oneHold(work))
}

async function oneHold(work: () => Promise<void>): Promise<number> {
  let [longest, last, isOver] = [0, process.cpuUsage(), false]
  const look = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, user + system)
    last = process.cpuUsage()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  isOver = true
  look()
  return Math.round(longest / 1000)
}
