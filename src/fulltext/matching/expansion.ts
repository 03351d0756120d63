import { compareText } from '#lib/text/compare.ts'
import { type Clause, MOST_TERMS, type WordClause } from '../clauses.ts'
import { AS_STEM } from '../segments/segment.ts'
import type { HeldSegment } from './segment-set.ts'
import type { VisibilityMask } from './visibility-mask.ts'

/** The terms that each word of a query stands for: stems that a visible document has. A phrase has none here. */
export function expand(
  clauses: readonly Clause[],
  segments: readonly HeldSegment[],
  mask: VisibilityMask,
): ReadonlyMap<Clause, string[]> {
  const terms = new Map<Clause, string[]>()
  let left = MOST_TERMS
  for (const clause of clauses) {
    if ('phrase' in clause) continue
    const own = segments.some((held) => hasStem(held, clause.stem, mask)) ? [clause.stem] : []
    const more = moreOf(clause, own, segments, mask, left)
    left -= more.length
    terms.set(clause, [...own, ...more])
  }
  return terms
}

function moreOf(
  clause: WordClause,
  own: string[],
  segments: readonly HeldSegment[],
  mask: VisibilityMask,
  most: number,
): string[] {
  const begun = clause.isBeginning ? stemsOf(beginning(segments, clause.form), own, mask, most) : []
  if (begun.length + own.length > 0 || clause.edits === 0) return begun
  return stemsOf(near(segments, clause.form, clause.edits), own, mask, most)
}

/** A form in a segment. */
interface FoundForm {
  readonly held: HeldSegment
  readonly index: number
  readonly form: string
  /** In code points. */
  readonly length: number
  readonly distance: number
}

function* beginning(segments: readonly HeldSegment[], prefix: string): Generator<FoundForm> {
  for (const held of segments) {
    const { from, to } = held.segment.forms.beginning(prefix)
    for (let index = from; index < to; index++) yield foundForm(held, index, 0)
  }
}

function* near(segments: readonly HeldSegment[], form: string, edits: 1 | 2): Generator<FoundForm> {
  for (const held of segments) {
    for (const { index, distance } of held.segment.forms.near(form, edits)) yield foundForm(held, index, distance)
  }
}

function foundForm(held: HeldSegment, index: number, distance: number): FoundForm {
  const form = held.segment.forms.word(index)
  return { held, index, form, distance, length: lengthOf(form) }
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

/** The stems of the nearest, then shortest forms that a visible document has. */
function stemsOf(found: Iterable<FoundForm>, own: readonly string[], mask: VisibilityMask, most: number): string[] {
  const sorted = [...found].sort((a, b) => a.distance - b.distance || a.length - b.length || compareText(a.form, b.form))
  const stems = new Set<string>()
  for (const { held, index } of sorted) {
    if (stems.size >= most) break
    const stem = held.segment.stems.word(held.segment.formStems[index] ?? 0)
    if (!stems.has(stem) && !own.includes(stem) && isFormSeen(held, index, mask)) stems.add(stem)
  }
  return [...stems]
}

function hasStem(held: HeldSegment, stem: string, mask: VisibilityMask): boolean {
  const index = stem === '' ? -1 : held.segment.stems.find(stem)
  return index >= 0 && isStemSeen(held, index, mask)
}

function isStemSeen(held: HeldSegment, stem: number, mask: VisibilityMask): boolean {
  const { segment, postings } = held
  const seen = mask.seen.get(held)
  postings.from(segment.postingStarts[stem] ?? 0, segment.postingStarts[stem + 1] ?? 0)
  while (postings.next()) if (seen?.[postings.document] === 1) return true
  return false
}

function isFormSeen(held: HeldSegment, form: number, mask: VisibilityMask): boolean {
  const { segment, formPostings } = held
  const start = segment.formStarts[form] ?? AS_STEM
  if (start === AS_STEM) return isStemSeen(held, segment.formStems[form] ?? 0, mask)
  const seen = mask.seen.get(held)
  formPostings.from(start, segment.formEnds[form] ?? start)
  for (let document = -1; !formPostings.isOver; ) {
    document += formPostings.read()
    if (seen?.[document] === 1) return true
  }
  return false
}
