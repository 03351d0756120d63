import { matches } from './myers.ts'

/** One line of a hunk, without its end. `no_newline` is there where a text ends with it and without a line end. */
export interface HunkLine {
  readonly op: 'keep' | 'remove' | 'add'
  readonly text: string
  readonly no_newline?: true
}

/** Neighbouring changes with the lines around them, as in a unified diff. Starts count lines from 1; of an empty side it is the line before. */
export interface Hunk {
  readonly before_start: number
  readonly before_count: number
  readonly after_start: number
  readonly after_count: number
  readonly lines: readonly HunkLine[]
}

/** A line that is kept, or one that only one text has, with its number (from 0) in both. */
interface Step {
  readonly op: HunkLine['op']
  readonly line: string
  readonly before: number
  readonly after: number
}

const CONTEXT = 3
/** Texts of more lines than this between their first and last change are not compared line by line. */
const MAX_LINES = 20_000

/**
 * What makes `after` of `before`, line by line: none where they are equal. Texts that have little in common (over 1,000 lines changed)
 * come as one hunk that takes out the one and puts in the other.
 */
export function lineDiff(before: string, after: string): Hunk[] {
  if (before === after) return []
  const steps = stepsBetween(linesOf(before), linesOf(after))
  const hunks: Hunk[] = []
  for (let at = 0; ; ) {
    let first = at
    while (steps[first]?.op === 'keep') first++
    if (first >= steps.length) return hunks
    const end = endOf(steps, first)
    hunks.push(hunkOf(steps.slice(Math.max(at, first - CONTEXT), end)))
    at = end
  }
}

/** Lines with their ends: a text that lacks the last one differs from one that has it. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Where a hunk that begins its changes at `first` ends: after its context, where no change is near. */
function endOf(steps: readonly Step[], first: number): number {
  let last = first
  for (let n = first; n < steps.length && n - last <= 2 * CONTEXT + 1; n++) if (steps[n]?.op !== 'keep') last = n
  return Math.min(steps.length, last + CONTEXT + 1)
}

function hunkOf(steps: readonly Step[]): Hunk {
  const removed = steps.filter(({ op }) => op !== 'add').length
  const added = steps.filter(({ op }) => op !== 'remove').length
  const [first] = steps
  return {
    before_start: (first?.before ?? 0) + (removed > 0 ? 1 : 0),
    before_count: removed,
    after_start: (first?.after ?? 0) + (added > 0 ? 1 : 0),
    after_count: added,
    lines: steps.map(({ op, line }) => ({
      op,
      text: line.replace(/\n$/, ''),
      ...(!line.endsWith('\n') && { no_newline: true as const }),
    })),
  }
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const [one, other] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  const isLong = one.length + other.length > MAX_LINES
  const found = (isLong ? undefined : matches(one, other)) ?? []
  const places = before.map((_, n) => {
    if (n < head) return n
    if (n >= before.length - tail) return n + after.length - before.length
    const place = found[n - head]
    return place === undefined ? undefined : place + head
  })
  return walk(before, after, places)
}

/** `places` has, for each line before, where it stands after. */
function walk(before: readonly string[], after: readonly string[], places: readonly (number | undefined)[]): Step[] {
  const steps: Step[] = []
  let to = 0
  const addUntil = (end: number, from: number) => {
    for (; to < end; to++) steps.push({ op: 'add', line: after[to] ?? '', before: from, after: to })
  }
  for (const [from, line] of before.entries()) {
    const place = places[from]
    if (place === undefined) {
      steps.push({ op: 'remove', line, before: from, after: to })
      continue
    }
    addUntil(place, from)
    steps.push({ op: 'keep', line, before: from, after: to })
    to++
  }
  addUntil(after.length, before.length)
  return steps
}
