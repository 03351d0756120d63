import fc from 'fast-check'
import t from 'tap'
import { readerOf } from '#media/bytes.ts'
import { type Inspected, inspect } from '#media/inspect.ts'
import { shownSize } from '#media/picture.ts'
import { box, refusal, words } from './pictures.ts'

const FTYP = box('ftyp', Buffer.from('isom\0\0\x02\0isommp41'))
const UPRIGHT = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000]
const QUARTER = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]

function track(matrix: readonly number[], width: number, height: number): Buffer {
  return box('trak', box('tkhd', words(7, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...matrix, width * 65536, height * 65536)))
}

function mp4(duration: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([FTYP, box('moov', box('mvhd', words(0, 0, 0, 600, duration)), ...parts), box('mdat', Buffer.alloc(100))])
}

async function looked(bytes: Buffer): Promise<Inspected> {
  return await inspect(readerOf(bytes))
}

t.test('an MP4 says its size, its turning and its seconds', async (t) => {
  const film = await looked(mp4(900, track(UPRIGHT, 0, 0), track(QUARTER, 1920, 1080)))
  t.strictSame(film, { type: 'mp4', width: 1920, height: 1080, turning: 6, duration: 1.5 })
  t.strictSame(shownSize(film), { width: 1080, height: 1920 })
  t.strictSame(await looked(mp4(0, track(UPRIGHT, 640, 360))), { type: 'mp4', width: 640, height: 360, turning: 1 })
  t.strictSame(await looked(mp4(-1)), { type: 'mp4', turning: 1 }, 'a length that is not known')
  const fragments = box('mvex', box('mehd', words(0, 3000)))
  t.equal((await looked(mp4(0, fragments))).duration, 5)
  const long = box('mvhd', words(2 ** 24, 0, 0, 0, 0, 1000, 0, 2500))
  t.equal((await looked(Buffer.concat([FTYP, box('moov', long), box('mdat')]))).duration, 2.5)
})

t.test('an MP4 that was cut short, or has parts longer than itself, is broken', async (t) => {
  const bytes = mp4(900, track(UPRIGHT, 640, 360))
  for (let tenth = 0; tenth < 10; tenth++)
    t.match(await refusal(bytes.subarray(0, (bytes.length * tenth) / 10)), /^(?:broken|type)/)
  t.equal(await refusal(FTYP), 'broken mp4')
  const inner = Buffer.from(box('moov', box('mvhd', Buffer.alloc(20))))
  inner.writeUInt32BE(1000, 8)
  t.equal(await refusal(Buffer.concat([FTYP, inner])), 'broken mp4')
  inner.writeUInt32BE(4, 8)
  t.equal(await refusal(Buffer.concat([FTYP, inner])), 'broken mp4')
})

/** An element of EBML; without content its length is not known. */
function element(id: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content)
  const name = Buffer.from(id.toString(16), 'hex')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(0x10000000 + bytes.length)
  return Buffer.concat([name, length, bytes])
}

const HEAD = element(0x1a45dfa3, element(0x4282, Buffer.from('webm')))
const SIDES = element(0xe0, element(0xb0, Buffer.from([5, 0])), element(0xba, Buffer.from([2, 0xd0])))
const TRACKS = element(0x1654ae6b, element(0xae, SIDES))

function info(milliseconds: number): Buffer {
  const float = Buffer.alloc(8)
  float.writeDoubleBE(milliseconds)
  return element(0x1549a966, element(0x2ad7b1, Buffer.from([0x0f, 0x42, 0x40])), element(0x4489, float))
}

t.test('a WebM says its size and its seconds', async (t) => {
  const cluster = element(0x1f43b675, Buffer.alloc(50))
  const segment = element(0x18538067, info(2500), TRACKS, cluster, cluster)
  const bytes = Buffer.concat([HEAD, segment])
  t.strictSame(await looked(bytes), { type: 'webm', width: 1280, height: 720, turning: 1, duration: 2.5 })
  t.strictSame((await looked(Buffer.concat([bytes, Buffer.from('PK\x03\x04')]))).cut, {
    pieces: [{ start: 0, end: bytes.length }],
    size: bytes.length,
  })
  t.equal(await refusal(bytes.subarray(0, bytes.length - 10)), 'broken webm')
  t.equal((await looked(Buffer.concat([HEAD, element(0x18538067, info(Number.NaN))]))).duration, undefined)
  const unknown = Buffer.concat([Buffer.from('18538067ff', 'hex'), info(1000), TRACKS, cluster])
  t.equal((await looked(Buffer.concat([HEAD, unknown]))).duration, 1, 'as a browser that records writes it')
})

t.test('whatever is changed in a film, it is read or refused', async (t) => {
  const segment = element(0x18538067, info(2500), TRACKS, element(0x1f43b675, Buffer.alloc(50)))
  const all = [
    Buffer.concat([HEAD, segment]),
    mp4(900, track(QUARTER, 640, 360), box('mvex', box('mehd', words(0, 9)))),
    frames(6),
  ]
  const change = fc.tuple(fc.nat(100_000), fc.constantFrom(0, 1, 8, 0x7f, 0x80, 0xff), fc.integer({ min: 1, max: 6 }))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), fc.array(change, { minLength: 1, maxLength: 6 }), async (sample, changes) => {
      const bytes = Buffer.from(sample)
      for (const [at, value, count] of changes)
        bytes.fill(value, at % bytes.length, Math.min((at % bytes.length) + count, bytes.length))
      await refusal(bytes)
    }),
    { numRuns: 2000 },
  )
  t.pass('each was refused or read')
})

/** Frames of an MP3: layer III of MPEG 1, 44,100 Hz, by the index of their rate. */
function frames(count: number, rate = 9): Buffer {
  const lengths = [0, 104, 130, 156, 182, 208, 261, 313, 365, 417, 522, 626, 731, 835, 1044]
  const one = Buffer.alloc(lengths[rate] ?? 0)
  one.set([0xff, 0xfb, rate << 4, 0xc4])
  return Buffer.concat(Array.from({ length: count }, () => one))
}

t.test('an MP3 says its seconds: by a table, by a rate that stays, or by all its frames', async (t) => {
  const seconds = async (...parts: readonly Buffer[]) =>
    Math.round(((await looked(Buffer.concat(parts))).duration ?? -1) * 100) / 100
  t.equal(await seconds(frames(100)), 2.61)
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x02\x01'), Buffer.alloc(257)])
  t.equal(await seconds(tag, frames(100)), 2.61)
  t.equal(await seconds(frames(50), frames(50, 14)), 2.61)
  const first = Buffer.from(frames(1))
  first.write('Xing\0\0\0\x01\0\0\x10\0', 21, 'latin1')
  t.equal(await seconds(first, frames(10)), 107)
  t.equal(await seconds(frames(2000), frames(2000, 14)), -1, 'not known without reading all of it')
  t.equal(await refusal(Buffer.concat([tag, Buffer.from('no sound')])), 'broken mp3')
  t.equal(await refusal(Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1')), 'broken mp3')
  t.equal(await refusal(Buffer.concat([frames(1), Buffer.alloc(1000, 1)])), 'broken mp3')
})
