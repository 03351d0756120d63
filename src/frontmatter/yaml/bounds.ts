import { Fault } from '../fault.ts'

/** At each line of spaces after a value `yaml` looks through all that follow. */
const MOST_BLANK = 1000

/**
 * Maximum number of tokens for `yaml`. It takes 2 to 6 µs for each, valid or not, so this many block a thread for less than 100
 * ms.
 */
const MOST_MARKS = 16_000

/** Throws Fault for what `yaml` would read too slowly: most texts are read without it. */
export function refuseSlow(text: string): void {
  const blank = blankLinesAt(text)
  if (blank >= 0) throw new Fault(`There are over ${MOST_BLANK} lines of spaces here.`, blank, 'Remove them.')
  const { count, at } = marksIn(text, MOST_MARKS)
  if (count <= MOST_MARKS) return
  throw new Fault(
    'There is too much here for the way it is written.',
    at,
    'Write plain `key: value` lines and `- item` lists, without & anchors, * aliases, tags, and brackets or texts over several lines; or divide the file.',
  )
}

/**
 * Counts the possible tokens of a text: line ends, brackets, and the indicators of keys, items and references. Stops at the first
 * one over `most` and returns its offset.
 */
export function marksIn(text: string, most: number): { count: number; at: number } {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    if (!isMark(text.charCodeAt(at)) || ++count <= most) continue
    return { count, at }
  }
  return { count, at: text.length }
}

/** Line ends and `! & * , - : ? [ ] { }`; quotes, `|` and `>` stand beside one of them. */
function isMark(code: number): boolean {
  if (code < 64) {
    return code === 10 || code === 33 || code === 38 || code === 42 || code === 44 || code === 45 || code === 58 || code === 63
  }
  return code === 91 || code === 93 || code === 123 || code === 125
}

/** The offset of a line with more than MOST_BLANK lines of spaces before it, or -1. */
function blankLinesAt(text: string): number {
  let lines = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length : end + 1
    let first = at
    while (first < next && (text.charCodeAt(first) === 32 || text.charCodeAt(first) === 9)) first++
    const isBlank = first === next - 1 || (text.charCodeAt(first) === 13 && first === next - 2)
    if (!isBlank) lines = 0
    else if (first > at && ++lines > MOST_BLANK) return at
    at = next
  }
  return -1
}
