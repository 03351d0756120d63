import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { cacheKey, type KeyPart } from '#lib/cache-key.ts'

/** Few and short, of what keys are made of, so that two are often nearly the same. */
const texts = fc.string({
  unit: fc.constantFrom('a', '"', ',', ':', '[', ']', '{', '}', '\\', ' ', '\n', '\0', '1', '\ud800'),
  maxLength: 4,
})
const { part } = fc.letrec<{ part: KeyPart }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 2 },
    texts,
    fc.constantFrom('null', 'undefined', 'true', 'NaN', '1', '[]', '{}'),
    fc.constantFrom(
      0,
      1,
      11,
      -1,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      null,
      undefined,
      true,
      false,
    ),
    fc.array(tie('part'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.tuple(texts, tie('part')), { maxLength: 2, selector: ([name]) => name })
      .map((all) => Object.fromEntries(all)),
  ),
}))

t.test('a key is equal for equal parts alone', async (t) => {
  const parts = fc.array(part, { maxLength: 3 })
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      const areSame = isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other)
      return (cacheKey(...one) === cacheKey(...other)) === areSame
    }),
    { numRuns: 20_000 },
  )
  fc.assert(fc.property(parts, (one) => cacheKey(...one) === cacheKey(...structuredClone(one))))
  t.not(cacheKey('a', 'b'), cacheKey('a,b'))
  t.not(cacheKey('a', ['b']), cacheKey('a', 'b'))
  t.not(cacheKey(Number.POSITIVE_INFINITY), cacheKey(null))
  t.not(cacheKey({ a: '1\nb=2' }), cacheKey({ a: '1', b: '2' }))
})

t.test('what is no plain data is no part of a key', async (t) => {
  for (const one of [new Map(), new Date(0), /a/, () => 1, Symbol('a'), 1n]) t.throws(() => cacheKey(one as KeyPart), TypeError)
  t.equal(cacheKey(Object.assign(Object.create(null), { a: 1 })), cacheKey({ a: 1 }))
})
