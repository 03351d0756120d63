import { matches } from './myers.ts'

/** One line of a hunk, without its end. `no_newline` is there where a text ends with it and without a line end. */
export interface HunkLine {
  readonly op: 'keep' | 'remove' | 'add'
  readonly text: string
  readonly no_newline?: true
}

/**
 * Neighbouring changes with the lines around them, as in a unified diff. Starts count lines from 1; of an empty side it is the
 * line before.
 */
export interface Hunk {
  readonly before_start: number
  readonly before_count: number
  readonly after_start: number
  readonly after_count: number
  readonly lines: readonly HunkLine[]
}

/**
 * Lines of the one text, from `before` on, in place of which the other has those from `after` on: numbers count from 0, ends are
 * behind the last.
 */
interface Change {
  readonly before: number
  readonly beforeEnd: number
  readonly after: number
  readonly afterEnd: number
}

const CONTEXT = 3
/** Texts of more lines than this between their first and last change are not compared line by line. */
const MAX_LINES = 20_000
const LF = 10

/**
 * Returns what makes `after` of `before`, line by line: none where they are equal. Texts that have little in common (over 1,000
 * lines changed) come as one hunk that takes out the one and puts in the other. Undefined where over 20,000 lines stand between
 * the first change and the last.
 */
export function lineDiff(before: string, after: string): Hunk[] | undefined {
  if (before === after) return []
  const { head, beforeEnd, afterEnd } = differing(before, after)
  if (lineCount(before, head, beforeEnd) + lineCount(after, head, afterEnd) > MAX_LINES) return undefined
  let start = head
  for (let n = 0; n < CONTEXT && start > 0; n++) start = start < 2 ? 0 : before.lastIndexOf('\n', start - 2) + 1
  let tail = 0
  for (let n = 0; n < CONTEXT && beforeEnd + tail < before.length; n++) {
    const newline = before.indexOf('\n', beforeEnd + tail)
    tail = (newline < 0 ? before.length : newline + 1) - beforeEnd
  }
  const [one, other] = [linesOf(before.slice(start, beforeEnd + tail)), linesOf(after.slice(start, afterEnd + tail))]
  const above = lineCount(before, 0, start)
  const hunks: Hunk[] = []
  let near: Change[] = []
  for (const change of changesBetween(one, other)) {
    const last = near.at(-1)
    if (last && change.before - last.beforeEnd > 2 * CONTEXT) {
      hunks.push(hunkOf(near, one, other, above))
      near = []
    }
    near.push(change)
  }
  hunks.push(hunkOf(near, one, other, above))
  return hunks
}

/**
 * Returns the whole lines that two texts do not have in common at their beginnings and ends: from `head` on in both, up to an end
 * in each. Lines end with LF.
 */
export function differing(before: string, after: string): { head: number; beforeEnd: number; afterEnd: number } {
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same++
  const head = same === 0 ? 0 : before.lastIndexOf('\n', same - 1) + 1
  let tail = 0
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)) tail++
  const isLine = (text: string) => text.length - tail === head || text.charCodeAt(text.length - tail - 1) === LF
  if (!isLine(before) || !isLine(after)) {
    const newline = before.indexOf('\n', before.length - tail)
    tail = newline < 0 ? 0 : before.length - newline - 1
  }
  return { head, beforeEnd: before.length - tail, afterEnd: after.length - tail }
}

/** Counts the lines of a part of a text; one without an end counts. */
function lineCount(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = from; at < to; lines++) {
    const newline = text.indexOf('\n', at)
    at = newline < 0 ? to : newline + 1
  }
  return lines
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

/** Changes that are near each other, with the lines around them; `above` lines stand before those that are given. */
function hunkOf(changes: readonly Change[], one: readonly string[], other: readonly string[], above: number): Hunk {
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
    before_start: above + start + (count > 0 ? 1 : 0),
    before_count: count,
    after_start: above + afterStart + (count + grown > 0 ? 1 : 0),
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
