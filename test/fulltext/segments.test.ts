import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { buildSegment } from '#fulltext/segments/build.ts'
import { mergeSegments } from '#fulltext/segments/merge.ts'
import { PostingReader } from '#fulltext/segments/postings.ts'
import { AS_STEM, type Segment } from '#fulltext/segments/segment.ts'
import { VarintReader, VarintWriter } from '#fulltext/segments/varints.ts'
import { termOf } from '#fulltext/word.ts'
import { compareText } from '#lib/text/compare.ts'
import { longTest } from '#support/long.ts'
import { draft, WORDS } from './drafts.ts'

const english = new Analyser('en')
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 })

function stemOf(word: string): string {
  let stem = ''
  english.read(word, (one) => {
    stem = one.stem
  })
  return stem
}

t.test(
  'terms are in the order of code points, and each is found: hashes, stop words, letters beyond the basic plane',
  async (t) => {
    const hashes = Array.from({ length: 300 }, (_, n) => createHash('sha1').update(`${n}`).digest('hex'))
    for (const more of [[], ['𐌰𐌱', '﨎﨎']]) {
      const { stems, forms } = buildSegment(
        [draft(1, 'The rivers', [], [...hashes, ...more, 'ran', 'at', 'a', 'gate'].join(' '))],
        english,
      )
      for (const list of [stems, forms]) {
        const all = Array.from({ length: list.length }, (_, n) => list.word(n))
        t.strictSame(all, all.toSorted(compareText))
        t.equal(new Set(all).size, all.length)
        for (const word of [...hashes, ...more])
          t.ok(list.find(word.startsWith('﨎') ? '﨎﨎' : word) >= 0 || list === stems, word)
      }
      t.ok(stems.find(termOf({ form: 'the', stem: '' })) >= 0, 'a stop word, for phrases')
      t.equal(forms.find('the'), -1, 'and no form of any')
      for (const hash of hashes) t.ok(stems.find(stemOf(hash)) >= 0, hash)
    }
  },
)

longTest('what is merged holds what a segment made of the same documents holds', async (t) => {
  const texts = fc.record({ title: words, tags: words, body: words })
  fc.assert(
    fc.property(
      fc.array(fc.array(texts, { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
      fc.func(fc.boolean()),
      (groups, isGone) => {
        let next = 0
        const made = groups.map((group) =>
          group.map((text) => draft(next++, text.title.join(' '), text.tags, text.body.join(' '))),
        )
        const left = made.flat().filter(({ facts }) => !isGone(facts.key))
        const parts = made.map((drafts) => ({
          segment: buildSegment(drafts, english),
          gone: Uint8Array.from(drafts, ({ facts }) => (isGone(facts.key) ? 1 : 0)),
        }))
        t.strictSame(contents(mergeSegments(parts)), contents(buildSegment(left, english)))
      },
    ),
    { numRuns: 200 },
  )
})

/** All that a segment says, in a form that does not depend on how it is packed. */
function contents(segment: Segment) {
  const { stems, forms, postingStarts, positionStarts } = segment
  const list = (length: number, of: (n: number) => unknown) => Array.from({ length }, (_, n) => of(n))
  return {
    facts: list(segment.size, (n) => segment.factsOf(n)),
    lengths: [...segment.lengths],
    stems: list(stems.length, (n) => [
      stems.word(n),
      Buffer.from(segment.postings.subarray(postingStarts[n], postingStarts[n + 1])).toString('hex'),
      Buffer.from(segment.positions.subarray(positionStarts[n], positionStarts[n + 1])).toString('hex'),
    ]),
    forms: list(forms.length, (n) => [forms.word(n), stems.word(segment.formStems[n] ?? 0), documentsOf(segment, n)]),
  }
}

/** The documents that have a form. */
function documentsOf(segment: Segment, form: number): number[] {
  const [start = AS_STEM, stem = 0] = [segment.formStarts[form], segment.formStems[form]]
  const documents: number[] = []
  if (start === AS_STEM) {
    const postings = new PostingReader(segment.postings)
    postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
    while (postings.next()) documents.push(postings.document)
  } else {
    const distances = new VarintReader(segment.formPostings)
    distances.from(start, segment.formEnds[form] ?? start)
    while (!distances.isOver) documents.push((documents.at(-1) ?? -1) + distances.read())
  }
  return documents
}

t.test('numbers are written and read again', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffffffff })), (numbers) => {
      const writer = new VarintWriter()
      for (const number of numbers) writer.write(number)
      const reader = new VarintReader(writer.bytes().slice())
      reader.from(0, writer.length)
      t.strictSame(
        numbers.map(() => reader.read()),
        numbers,
      )
      t.ok(reader.isOver)
      reader.from(0, writer.length)
      reader.skip(numbers.length)
      t.ok(reader.isOver)
    }),
    { numRuns: 100 },
  )
})
