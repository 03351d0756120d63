import fc from 'fast-check'
import t from 'tap'
import { instantsOf, spelledInstants, withInstants } from '#core/format/instants-within.ts'
import type { Instants } from '#core/types/content-type.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { Json } from '#lib/json.ts'
import { cpuMs } from '#support/cpu.ts'

const VIENNA = 'Europe/Vienna'
const INSTANTS: Instants = { of: { fields: { at: true, all: { of: true }, in: { fields: { at: true } } } } }

t.test('the instants of a field are found at any depth', async (t) => {
  const dated = { type: 'datetime' } as const
  t.equal(instantsOf(fieldOf('a', dated)), true)
  t.equal(instantsOf(fieldOf('a', { type: 'list' })), undefined)
  t.equal(instantsOf(fieldOf('a', { type: 'object', fields: { at: { type: 'date' } } })), undefined)
  const parts = {
    at: dated,
    all: { type: 'list', of: dated },
    in: { type: 'object', fields: { at: dated } },
    no: { type: 'text' },
  }
  t.strictSame(instantsOf(fieldOf('a', { type: 'list', of: { type: 'object', fields: parts as never } })), INSTANTS)
})

t.test('what is no date stays, and what nothing changes is the same', async (t) => {
  const value: Json = [{ at: 'someday', all: [1, null, ''], other: '2026-01-05' }, '2026-01-05', { all: { at: '2026-01-05' } }]
  t.equal(withInstants(value, INSTANTS, VIENNA), value)
  t.strictSame(withInstants([{ all: ['2026-01-05', 'x'] }], INSTANTS, VIENNA), [{ all: ['2026-01-04T23:00:00.000Z', 'x'] }])
})

t.test('a text that is no date takes the place of another', async (t) => {
  t.strictSame(spelledInstants([''], ['x'], { of: true }, VIENNA), [''])
  t.strictSame(spelledInstants('someday', 'x', true, VIENNA), 'someday')
})

t.test('however a file spells them, they mean what was written', async (t) => {
  const text = fc.oneof(
    fc.constantFrom('2026-01-05', '2026/1/5', '2026-07-05 10:00', '2026-01-04T23:00:00.000Z', '2026-07-04T22:00:00Z', 'x', ''),
    fc.date({ noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2050-01-01') }).map((date) => date.toISOString()),
  )
  const leaf = fc.oneof(text, fc.constantFrom(1, null, true))
  const inner = fc.record({ at: leaf }, { requiredKeys: [], noNullPrototype: true })
  const item = fc.record(
    { at: leaf, all: fc.oneof(fc.array(leaf, { maxLength: 4 }), leaf), in: inner, no: leaf },
    // JSON and YAML make objects that have a prototype.
    { requiredKeys: [], noNullPrototype: true },
  )
  const value = fc.oneof(fc.array(fc.oneof(item, leaf), { maxLength: 4 }), item, leaf)
  const property = fc.property(value, fc.option(value, { nil: undefined }), (value, old) => {
    const meant = withInstants(value, INSTANTS, VIENNA)
    const spelled = spelledInstants(value, old, INSTANTS, VIENNA)
    t.strictSame(withInstants(spelled, INSTANTS, VIENNA), meant)
    t.strictSame(withInstants(meant, INSTANTS, VIENNA), meant)
    // What a client sends back as it was read is spelled as it was.
    const again = spelledInstants(meant, value, INSTANTS, VIENNA)
    t.strictSame(withInstants(again, INSTANTS, VIENNA), meant)
    return t.passing()
  })
  fc.assert(property, { numRuns: 300 })
})

t.test('a list of a hundred thousand takes no longer than two thousand of them', async (t) => {
  const many = Array.from({ length: 100_000 }, (_, n) => `${2000 + (n % 90)}-01-05 10:00`)
  const began = cpuMs()
  const read = withInstants(many, { of: true }, VIENNA) as string[]
  t.ok(cpuMs() - began < 1000, `${cpuMs() - began}`)
  t.equal(read[1999]?.at(-1), 'Z')
  t.equal(read[2000], many[2000])
})
