import fc from 'fast-check'
import t from 'tap'
import { Cache, type State } from '#lib/cache.ts'

t.test('a value is found for its key alone, whatever texts its parts hold', (t) => {
  const cache = new Cache<string>({ most: 10 })
  cache.set(['posts', 'status=published'], 'one')
  t.equal(cache.get(['posts', 'status=published']), 'one')
  for (const key of [['posts,"status=published"'], ['posts', 'status', 'published'], ['posts', ['status=published']]])
    t.equal(cache.get(key), undefined)
  cache.delete(['posts', 'status=published'])
  t.equal(cache.size, 0)
  t.end()
})

t.test('a value is found in the state and the term that it is true of, and in no other', async () => {
  const state = fc.constantFrom<State | undefined>(undefined, 0, 1, '0', '1')
  const time = fc.integer({ min: 0, max: 3 })
  const term = fc.option(fc.record({ from: time, until: fc.oneof(time, fc.constant(Number.POSITIVE_INFINITY)) }), {
    nil: undefined,
  })
  fc.assert(
    fc.property(state, term, state, fc.option(time, { nil: undefined }), (made, kept, asked, now) => {
      const cache = new Cache<string>({ most: 1 })
      cache.set('a', 'value', made, kept)
      const isTrue = made === asked && (!kept || (now !== undefined && kept.from <= now && now < kept.until))
      const found = [cache.get('a', asked, now), cache.get('a', asked, now)]
      return found.every((value) => value === (isTrue ? 'value' : undefined))
    }),
  )
})

t.test('what was used least recently makes room, by number or by bytes, with those of the key', (t) => {
  const few = new Cache<number>({ most: 2 })
  for (const [n, key] of ['a', 'b'].entries()) few.set(key, n)
  few.get('a')
  few.set('c', 2)
  t.strictSame(
    ['a', 'b', 'c'].map((key) => few.get(key)),
    [0, undefined, 2],
  )
  t.strictSame([...few.values()], [2, 0])

  const gone: unknown[] = []
  const evicted = (...told: unknown[]) => void gone.push(told)
  const small = new Cache<string>({ bytes: 10_000, sizeOf: (text) => text.length, longest: 6_000, evicted })
  small.set('a', 'x'.repeat(5_000), 'v1')
  small.set('long', 'x'.repeat(6_000))
  small.set('k'.repeat(3_000), 'x')
  t.strictSame([small.get('a', 'v1')?.length, small.get('long'), small.size], [5_000, undefined, 1])
  small.set('b', 'x'.repeat(5_000))
  t.strictSame(gone, [['a', 'x'.repeat(5_000), 'v1']])
  small.clear()
  t.strictSame([small.size, gone.length], [0, 1])
  t.end()
})
