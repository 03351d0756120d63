import fc from 'fast-check'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { BadConfig, Unreadable } from '#lib/errors.ts'
import { Sealing } from '#stores/postgres/sealing.ts'

const SECRET = 'a secret of at least thirty-two bytes'
const key = keyOf('.keys', 'signing')
const sealing = new Sealing(SECRET)

t.test('what is sealed is opened by the same secret, and says nothing', async (t) => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 3000 })
  const opens = fc.property(bytes, (bytes) => {
    const sealed = sealing.seal(key, bytes)
    return new Sealing(SECRET).open(key, sealed).equals(bytes) && !sealed.equals(sealing.seal(key, bytes))
  })
  fc.assert(opens)
  t.notOk(sealing.seal(key, Buffer.from('private_key: abcdefgh')).includes('abcdefgh'))
})

function failureOf(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}

t.test('what was changed or put elsewhere is not opened', async (t) => {
  const sealed = sealing.seal(key, Buffer.from('some bytes'))
  const flipped = (at: number) => sealed.map((byte, i) => (i === at ? byte ^ (1 << (at % 8)) : byte))
  const positions = [...sealed.keys()]
  t.same(
    positions.filter((at) => !failureOf(() => sealing.open(key, flipped(at)))),
    [],
    'no byte',
  )
  const cut = (length: number) => failureOf(() => sealing.open(key, sealed.subarray(0, length)))
  t.ok(
    positions.every((length) => cut(length) instanceof Unreadable),
    'nothing cut off',
  )
  t.ok(failureOf(() => sealing.open(keyOf('.keys', 'other'), sealed)) instanceof Unreadable, 'not as another document')
})

t.test('another secret is told from damage, and a short one is refused', async (t) => {
  const sealed = sealing.seal(key, Buffer.from('x'))
  const other = failureOf(() => new Sealing(`${SECRET}.`).open(key, sealed))
  t.ok(other instanceof BadConfig)
  t.match(other, { message: /CMS_SECRET is another/ })
  const short = failureOf(() => new Sealing('ä'.repeat(15)))
  t.ok(short instanceof BadConfig)
  t.match(short, { hint: /openssl rand -base64 32/ })
  t.ok(new Sealing('ä'.repeat(16)), 'bytes are counted')
})

t.test('what is sealed', async (t) => {
  t.same(
    ['.keys', '.webhook-secrets', '.tokens', 'posts'].map((kind) => sealing.isSealed(kind)),
    [true, true, false, false],
  )
})
