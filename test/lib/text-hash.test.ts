import fc from 'fast-check'
import t from 'tap'
import { textHash } from '#lib/text/hash.ts'

t.test('texts that differ have hashes that differ', async (t) => {
  t.equal(textHash(''), textHash(''))
  t.match(textHash(''), /^[0-9a-f]{16}$/)
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const hash = textHash(text)
      const known = seen.get(hash)
      seen.set(hash, text)
      return /^[0-9a-f]{16}$/.test(hash) && (known === undefined || known === text)
    }),
    { numRuns: 200 },
  )
  t.not(textHash('a\nb'), textHash('a b'))
  t.not(textHash('ab'), textHash('ba'))
})
