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

/** Lines of the one text, from `before` on, in place of which the other has those from `after` on: numbers count from 0, ends are behind the last. */
interface Change {
  readonly before: number
  readonly beforeEnd: number
  readonly after: number
  readonly afterEnd: number
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
  const [one, other] = [linesOf(before), linesOf(after)]
  const hunks: Hunk[] = []
  let near: Change[] = []
  for (const change of changesBetween(one, other)) {
    const last = near.at(-1)
    if (last && change.before - last.beforeEnd > 2 * CONTEXT) {
      hunks.push(hunkOf(near, one, other))
      near = []
    }
    near.push(change)
  }
  hunks.push(hunkOf(near, one, other))
  return hunks
}

/** Lines with their ends: a text that lacks the last one differs from one that has it. */
function linesOf(text: string): string[] {
  const lines: string[] = []
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline + 1
    lines.push(text.slice(at, end))
    at = end
  }
  return lines
}

/** Changes that are near each other, with the lines around them. */
function hunkOf(changes: readonly Change[], one: readonly string[], other: readonly string[]): Hunk {
  const start = Math.max((changes[0]?.before ?? 0) - CONTEXT, 0)
  const end = Math.min((changes.at(-1)?.beforeEnd ?? 0) + CONTEXT, one.length)
  const lead = (changes[0]?.before ?? 0) - start
  const lines: HunkLine[] = []
  let at = start
  const put = (op: HunkLine['op'], from: readonly string[], first: number, last: number) => {
    for (let n = first; n < last; n++) lines.push(lineOf(op, from[n] ?? ''))
  }
  for (const { before, beforeEnd, after, afterEnd } of changes) {
    put('keep', one, at, before)
    put('remove', one, before, beforeEnd)
    put('add', other, after, afterEnd)
    at = beforeEnd
  }
  put('keep', one, at, end)
  const afterStart = (changes[0]?.after ?? 0) - lead
  const count = end - start
  const grown = changes.reduce((sum, { before, beforeEnd, after, afterEnd }) => sum + afterEnd - after - (beforeEnd - before), 0)
  return {
    before_start: start + (count > 0 ? 1 : 0),
    before_count: count,
    after_start: afterStart + (count + grown > 0 ? 1 : 0),
    after_count: count + grown,
    lines,
  }
}

function lineOf(op: HunkLine['op'], line: string): HunkLine {
  return line.endsWith('\n') ? { op, text: line.slice(0, -1) } : { op, text: line, no_newline: true }
}

function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const [beforeEnd, afterEnd] = [before.length - tail, after.length - tail]
  const whole: Change = { before: head, beforeEnd, after: head, afterEnd }
  if (beforeEnd + afterEnd - 2 * head > MAX_LINES) return [whole]
  const found = matches(before.slice(head, beforeEnd), after.slice(head, afterEnd))
  return found ? within(whole, found) : [whole]
}

/** The parts of a change in which no line has its match: `found` has, for each line of it, where it stands on the other side. */
function within({ before, beforeEnd, after, afterEnd }: Change, found: readonly (number | undefined)[]): Change[] {
  const changes: Change[] = []
  let [from, to] = [before, after]
  for (let n = before; n <= beforeEnd; n++) {
    const match = n < beforeEnd ? found[n - before] : afterEnd - after
    if (match === undefined) continue
    const place = match + after
    if (n > from || place > to) changes.push({ before: from, beforeEnd: n, after: to, afterEnd: place })
    from = n + 1
    to = place + 1
  }
  return changes
}
