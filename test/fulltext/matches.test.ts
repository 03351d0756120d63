import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { Matches } from '#fulltext/matching/matches.ts'
import { SegmentSet } from '#fulltext/matching/segment-set.ts'
import { buildSegment } from '#fulltext/segments/build.ts'
import { compareText } from '#lib/text/compare.ts'
import { draft } from './drafts.ts'

const english = new Analyser('en')
const KINDS = ['pages', 'posts']

t.test('of matches the best of a page are kept, equal ones by key, and all are counted by kind', async (t) => {
  const set = new SegmentSet(() => true)
  for (const numbers of [[7, 1, 12, 3], [5, 2, 30, 11, 4], [9]]) {
    const drafts = numbers.map((n) => draft(n, '', [], 'x'))
    const facts = drafts.map(({ facts }, n) => ({ ...facts, kind: KINDS[(numbers[n] ?? 0) % 2] ?? '' }))
    set.add(
      buildSegment(
        drafts.map((one, n) => ({ ...one, facts: facts[n] ?? one.facts })),
        english,
      ),
    )
  }
  const places = set.all.flatMap((held) => Array.from({ length: held.segment.size }, (_, document) => ({ held, document })))
  const property = fc.property(
    fc.array(fc.integer({ min: 0, max: 3 }), { minLength: places.length, maxLength: places.length }),
    fc.record({
      offset: fc.nat(12),
      limit: fc.option(fc.nat(12), { nil: undefined }),
      kind: fc.constantFrom(undefined, 'posts', 'pages', 'nothing'),
      isOdd: fc.boolean(),
    }),
    (scores, { offset, limit, kind, isOdd }) => {
      const fits = isOdd ? (_: unknown, document: number) => document % 2 === 1 : undefined
      const matches = new Matches({ offset, limit, ...(kind !== undefined && { kind }), ...(fits && { fits }) })
      for (const held of set.all) {
        matches.begin(held)
        // As they are touched: in no order.
        for (const [n, place] of [...places.entries()].reverse()) {
          const score = scores[n] ?? 0
          if (place.held === held && score > 0) matches.add(place.document, score)
        }
      }
      const found = places
        .map(({ held, document }, n) => ({
          document,
          key: held.segment.keyOf(document),
          kind: held.segment.kindOf(document),
          score: scores[n] ?? 0,
        }))
        .filter(({ document, score }) => score > 0 && (!isOdd || document % 2 === 1))
      const wanted = found
        .filter((one) => kind === undefined || one.kind === kind)
        .sort((a, b) => b.score - a.score || compareText(a.key, b.key))
      const keys = matches.hits.map(({ held, document }) => held.segment.keyOf(document))
      deepStrictEqual(
        keys,
        wanted.slice(offset, limit === undefined ? undefined : offset + limit).map(({ key }) => key),
      )
      deepStrictEqual(matches.total, wanted.length)
      const counts = KINDS.map((name) => [name, found.filter((one) => one.kind === name).length] as const)
      deepStrictEqual(matches.kinds, new Map(counts.filter(([, count]) => count > 0)))
    },
  )
  await t.resolves(async () => fc.assert(property, { numRuns: 500 }))
})
