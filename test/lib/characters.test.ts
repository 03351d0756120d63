import fc from 'fast-check'
import t from 'tap'
import { isLonger } from '#lib/text/characters.ts'

t.test('characters are counted, not their halves', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '👋', 'e\u0301'), maxLength: 20 })
  fc.assert(fc.property(text, fc.nat(25), (text, most) => isLonger(text, most) === [...text].length > most))
  t.pass('held')
})

t.test('those of a text that is much longer are not', async (t) => {
  const endless = {
    length: 2_000_000,
    [Symbol.iterator]: () => t.fail('it is looked through'),
  }
  t.ok(isLonger(endless as unknown as string, 200))
})
