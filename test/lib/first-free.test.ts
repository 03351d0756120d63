import fc from 'fast-check'
import t from 'tap'
import { firstFree } from '#lib/text/first-free.ts'

t.test('the first that is free after those that are taken, by few questions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), async (taken) => {
      let asked = 0
      const found = await firstFree(async (n) => {
        asked++
        return n <= taken
      })
      return found === taken + 1 && asked <= 2 * Math.log2(taken + 2) + 2
    }),
  )
})

t.test('with gaps, one that is free all the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 200 })), async (list) => {
      const taken = new Set(list)
      const found = await firstFree(async (n) => taken.has(n))
      return !taken.has(found) && (found === 1 || taken.has(found - 1))
    }),
  )
})
