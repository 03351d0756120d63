import t from 'tap'
import { readerOf } from '#media/bytes.ts'
import { inspect } from '#media/inspect.ts'
import { pixels, refusal } from './pictures.ts'

t.test('an AVIF says the size that its own bytes are decoded to', async (t) => {
  const bytes = await pixels().avif().toBuffer()
  t.strictSame(await inspect(readerOf(bytes)), { type: 'avif', width: 40, height: 24, turning: 1, frames: 1, pixels: 960 })
  const small = Buffer.from(bytes)
  const at = small.indexOf('ispe') + 8
  small.writeUInt32BE(1, at)
  small.writeUInt32BE(1, at + 4)
  t.match(await inspect(readerOf(small)), { width: 1, height: 1, pixels: 960 }, 'not that which it is said to have')
  const large = Buffer.from(bytes)
  large.writeUInt32BE(60_000, at)
  large.writeUInt32BE(60_000, at + 4)
  t.equal((await inspect(readerOf(large))).pixels, 3_600_000_000)
})

t.test('an AVIF with alpha or a large one is read as well', async (t) => {
  const picture = await pixels().ensureAlpha(0.5).resize(1000, 600).avif({ effort: 0 }).toBuffer()
  t.match(await inspect(readerOf(picture)), { width: 1000, height: 600, pixels: 600_000 })
  const turned = await pixels().withMetadata({ orientation: 6 }).avif().toBuffer()
  t.match(await inspect(readerOf(turned)), { width: 40, height: 24 })
})

t.test('an AVIF whose lists are longer than any is broken', async (t) => {
  const bytes = await pixels().avif().toBuffer()
  const at = bytes.indexOf('ipma') - 4
  const end = at + bytes.readUInt32BE(at)
  const long = Buffer.concat([bytes.subarray(0, end), Buffer.alloc(300_000), bytes.subarray(end)])
  for (const name of ['ipma', 'iprp', 'meta']) {
    const start = bytes.indexOf(name) - 4
    long.writeUInt32BE(bytes.readUInt32BE(start) + 300_000, start)
  }
  await t.rejects(inspect(readerOf(long)), /longer than any program writes it/)
})

t.test('an AVIF without its parts is broken', async (t) => {
  const bytes = await pixels().avif().toBuffer()
  for (const name of ['meta', 'pitm', 'iprp', 'ipco', 'ispe', 'ipma', 'iloc', 'iinf']) {
    const without = Buffer.from(bytes)
    without.write('free', without.indexOf(name))
    t.equal(await refusal(without), 'broken avif', name)
  }
})
