import { type Clause, MOST_TERMS, type WordClause } from '#fulltext/clauses.ts'
import { AS_STEM } from '#fulltext/segments/segment.ts'
import { compareText } from '#lib/compare-text.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'

/** The terms that each word of a query stands for: stems that a document in sight has. A phrase has none here. */
export function expand(
  clauses: readonly Clause[],
  holdings: readonly HeldSegment[],
  sight: VisibilityMask,
): ReadonlyMap<Clause, string[]> {
  const terms = new Map<Clause, string[]>()
  let left = MOST_TERMS
  for (const clause of clauses) {
    if ('phrase' in clause) continue
    const own = holdings.some((holding) => hasStem(holding, clause.stem, sight)) ? [clause.stem] : []
    const more = moreOf(clause, own, holdings, sight, left)
    left -= more.length
    terms.set(clause, [...own, ...more])
  }
  return terms
}

function moreOf(
  clause: WordClause,
  own: string[],
  holdings: readonly HeldSegment[],
  sight: VisibilityMask,
  most: number,
): string[] {
  const begun = clause.isBeginning ? stemsOf(beginning(holdings, clause.form), own, sight, most) : []
  if (begun.length + own.length > 0 || clause.edits === 0) return begun
  return stemsOf(near(holdings, clause.form, clause.edits), own, sight, most)
}

/** A form in a segment. */
interface FoundForm {
  readonly holding: HeldSegment
  readonly index: number
  readonly form: string
  /** In code points. */
  readonly length: number
  readonly distance: number
}

function* beginning(holdings: readonly HeldSegment[], prefix: string): Generator<FoundForm> {
  for (const holding of holdings) {
    const { from, to } = holding.segment.forms.beginning(prefix)
    for (let index = from; index < to; index++) yield foundForm(holding, index, 0)
  }
}

function* near(holdings: readonly HeldSegment[], form: string, edits: 1 | 2): Generator<FoundForm> {
  for (const holding of holdings) {
    for (const { index, distance } of holding.segment.forms.near(form, edits)) yield foundForm(holding, index, distance)
  }
}

function foundForm(holding: HeldSegment, index: number, distance: number): FoundForm {
  const form = holding.segment.forms.word(index)
  return { holding, index, form, distance, length: lengthOf(form) }
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The stems of the nearest, then shortest forms that a document in sight has. */
function stemsOf(found: Iterable<FoundForm>, own: readonly string[], sight: VisibilityMask, most: number): string[] {
  const sorted = [...found].sort((a, b) => a.distance - b.distance || a.length - b.length || compareText(a.form, b.form))
  const stems = new Set<string>()
  for (const { holding, index } of sorted) {
    if (stems.size >= most) break
    const stem = holding.segment.stems.word(holding.segment.formStems[index] ?? 0)
    if (!stems.has(stem) && !own.includes(stem) && isFormSeen(holding, index, sight)) stems.add(stem)
  }
  return [...stems]
}

function hasStem(holding: HeldSegment, stem: string, sight: VisibilityMask): boolean {
  const index = stem === '' ? -1 : holding.segment.stems.find(stem)
  return index >= 0 && isStemSeen(holding, index, sight)
}

function isStemSeen(holding: HeldSegment, stem: number, sight: VisibilityMask): boolean {
  const { segment, postings } = holding
  const seen = sight.seen.get(holding)
  postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
  while (postings.next()) if (seen?.[postings.document] === 1) return true
  return false
}

function isFormSeen(holding: HeldSegment, form: number, sight: VisibilityMask): boolean {
  const { segment, formPostings } = holding
  const start = segment.formStarts[form] ?? AS_STEM
  if (start === AS_STEM) return isStemSeen(holding, segment.formStems[form] ?? 0, sight)
  const seen = sight.seen.get(holding)
  formPostings.from(start, segment.formEnds[form] ?? start)
  for (let document = -1; !formPostings.isOver; ) {
    document += formPostings.read()
    if (seen?.[document] === 1) return true
  }
  return false
}
