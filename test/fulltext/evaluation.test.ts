import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Clause } from '#fulltext/clauses.ts'
import { Evaluation } from '#fulltext/matching/evaluation.ts'
import { SegmentSet } from '#fulltext/matching/segment-set.ts'
import { queryOf } from '#fulltext/query.ts'
import { buildSegment } from '#fulltext/segments/build.ts'
import { longTest } from '#support/long.ts'
import { draft } from './drafts.ts'

const english = new Analyser('en')
const THAI = 'ภาษาไทยเป็นภาษาที่มีระดับเสียง'

/** Returns what finds the numbers of those of some texts that meet clauses. */
function finderIn(texts: readonly string[]): (clauses: readonly Clause[]) => Promise<number[]> {
  const set = new SegmentSet(() => true)
  const held = set.add(
    buildSegment(
      texts.map((text, n) => draft(n, '', [], text)),
      english,
    ),
  )
  const seen = new Map([[held, new Uint8Array(texts.length).fill(1)]])
  const mask = { number: 1, seen, count: texts.length, averages: [1, 1, 1], until: Number.POSITIVE_INFINITY }
  const evaluation = new Evaluation()
  return async (clauses) => {
    const { hits } = await evaluation.run(clauses, set.all, mask, { offset: 0, limit: undefined })
    return hits.map(({ document }) => Number(held.segment.keyOf(document).slice(7)))
  }
}

/** The processor's time that some work takes, at least, in milliseconds. */
async function leastOf(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < 5; n++) {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return Math.max(least, 1)
}

longTest('a phrase is found in long texts of few words', async (t) => {
  const letter = fc.constantFrom('xa', 'xb', 'the')
  const words = (min: number, max: number) => fc.array(letter, { minLength: min, maxLength: max })
  const text = fc.oneof(
    words(1, 40),
    fc.tuple(words(1, 3), fc.integer({ min: 1, max: 900 }), words(0, 30)).map(([unit, times, rest]) => {
      return [...Array.from({ length: times }, () => unit).flat(), ...rest]
    }),
  )
  const property = fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), words(2, 12), async (texts, phrase) => {
    const find = finderIn(texts.map((text) => text.join(' ')))
    const found = await find(queryOf(`"${phrase.join(' ')}"`, english))
    const having = texts.flatMap((text, n) => (` ${text.join(' ')} `.includes(` ${phrase.join(' ')} `) ? n : []))
    deepStrictEqual(
      found.sort((a, b) => a - b),
      having,
    )
  })
  await t.resolves(fc.assert(property, { numRuns: 300 }))
})

longTest('phrases that many texts have let others have their turn, one query at a time', async (t) => {
  const find = finderIn(Array.from({ length: 1500 }, () => THAI.repeat(20)))
  const clauses = queryOf(Array.from({ length: 8 }, (_, n) => THAI.slice(n, n + 28)).join(' '), english)
  let [turns, isOver] = [0, false]
  const most: number[] = []
  let last = process.cpuUsage()
  const count = () => {
    const { user, system } = process.cpuUsage(last)
    most.push((user + system) / 1000)
    last = process.cpuUsage()
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const all = await Promise.all(Array.from({ length: 10 }, () => find(clauses)))
  isOver = true
  for (const found of all) t.equal(found.length, 1500)
  t.ok(turns > 20, `${turns} turns`)
  const [, ...after] = most
  after.sort((a, b) => a - b)
  t.ok((after[after.length >> 1] ?? 0) < 40, 'of those that are under way, one has a slice')
})

t.test('a phrase that is asked for again and again is looked for once', async (t) => {
  const find = finderIn(Array.from({ length: 500 }, () => THAI.repeat(20)))
  const one = queryOf(`${THAI} `, english)
  const once = await leastOf(() => find(one))
  const often = await leastOf(() => find(Array.from({ length: 8 }, () => one).flat()))
  t.ok(often < once * 3, `${once.toFixed(0)} ms once, ${often.toFixed(0)} ms for eight`)
})
