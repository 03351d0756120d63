import fc from 'fast-check'
import t from 'tap'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'

t.test('a list that is sorted in slices is as sorted at once, equals in their order', async (t) => {
  const compare = (a: readonly number[], b: readonly number[]) => (a[0] ?? 0) - (b[0] ?? 0)
  const lists = fc.tuple(fc.integer({ min: 0, max: 4500 }), fc.integer({ min: 1, max: 50 }), fc.integer())
  await fc.assert(
    fc.asyncProperty(lists, async ([length, values, seed]) => {
      const list = Array.from({ length }, (_, n) => [((n * 7919 + Math.abs(seed)) % 10_007) % values, n])
      const sorted = await sortedInSlices([...list], compare, new Slices())
      t.strictSame(sorted, [...list].sort(compare))
    }),
    { numRuns: 30 },
  )
})

t.test('others have the processor while a long list is sorted', async (t) => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const list = Array.from({ length: 300_000 }, (_, n) => String((n * 7919) % 999_983))
  await sortedInSlices(list, (a, b) => (a < b ? -1 : 1), new Slices())
  clearInterval(timer)
  t.ok(turns >= 3, `${turns} turns`)
})
