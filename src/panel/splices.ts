import { wordDiff } from '#lib/text/word-diff.ts'
import type { TextSplice } from './editor/options.ts'

/** A text as it was sent, as it was saved (with what others changed meanwhile), and as it reads by now. */
export interface Sides {
  readonly sent: string
  readonly saved: string
  readonly now: string
}

/**
 * Returns the splices, in their order, that bring what was saved into a text which was typed on since it was sent. Undefined where
 * both changed one place.
 */
export function splicesFor({ sent, saved, now }: Sides): TextSplice[] | undefined {
  const typed = spliceOf(sent, now)
  const edits = editsOf(sent, saved)
  if (!typed) return edits
  const by = typed.insert.length - (typed.to - typed.from)
  const moved = edits.flatMap(({ from, to, insert }) => {
    if (from >= typed.to) return [{ from: from + by, to: to + by, insert }]
    return to <= typed.from ? [{ from, to, insert }] : []
  })
  return moved.length === edits.length ? moved : undefined
}

/** Returns the one splice that makes `after` of `before`, without what both begin and end with; undefined where they are the same. */
function spliceOf(before: string, after: string): TextSplice | undefined {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let tail = 0
  while (tail < most - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  if (from + tail === before.length && before.length === after.length) return undefined
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) }
}

/** Returns the splices that make `after` of `before`, word by word: a place between two of them stays where it is. */
function editsOf(before: string, after: string): TextSplice[] {
  const whole = spliceOf(before, after)
  if (!whole) return []
  const edits: TextSplice[] = []
  let at = whole.from
  for (const { kind, text } of wordDiff(before.slice(whole.from, whole.to), whole.insert)) {
    const to = kind === 'add' ? at : at + text.length
    const last = edits.at(-1)
    if (kind !== 'same') {
      const insert = kind === 'add' ? text : ''
      if (last?.to === at) edits[edits.length - 1] = { from: last.from, to, insert: last.insert + insert }
      else edits.push({ from: at, to, insert })
    }
    at = to
  }
  return edits
}
