import fc from 'fast-check'
import t from 'tap'
import { Numbering } from '#stores/files/committing/numbering.ts'

/** A write, after the clock went on by `passed` milliseconds, or back; of a process of its own if `restarts`. */
interface Written {
  files: string[]
  passed: number
  restarts: boolean
}

const written: fc.Arbitrary<Written> = fc.record({
  files: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }),
  passed: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: -1_000, max: 1_000 })),
  restarts: fc.boolean(),
})

t.test('a number is above the last of its file, whatever the clock does and whenever the process is a new one', async (t) => {
  const story = fc.property(fc.array(written, { maxLength: 60 }), (writes) => {
    const lasts = new Map<string, number>()
    let numbering = new Numbering()
    let now = 1_795_410_062_000
    let tip = 0
    for (const { files, passed, restarts } of writes) {
      now += passed
      if (restarts) {
        numbering = new Numbering()
        numbering.seen(tip)
      }
      tip = numbering.next(files, now)
      for (const file of files) {
        if (tip <= (lasts.get(file) ?? 0)) throw new Error(`${file}: ${tip} comes after ${lasts.get(file)}`)
        lasts.set(file, tip)
      }
    }
  })
  await t.resolves(async () => fc.assert(story, { numRuns: 2_000 }))
})

t.test('files that are written in the same millisecond may have one number', async (t) => {
  const numbering = new Numbering()
  t.equal(numbering.next(['a'], 1_000), numbering.next(['b'], 1_000))
})

t.test('no number is below the last of its file where more files were written than are kept', async (t) => {
  const numbering = new Numbering()
  const first = numbering.next(['first'], 2_000)
  for (let file = 0; file < 10_001; file++) numbering.next([String(file)], 1_000)
  t.ok(numbering.next(['first'], 1_000) > first)
})
