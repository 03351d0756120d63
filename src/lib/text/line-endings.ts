import { differing } from './line-diff.ts'
import { matches } from './myers.ts'

/** A line's end. */
export type LineEnding = '\n' | '\r\n' | '\r'

const [LF, CR] = [10, 13]

/** A text as lines, and the ends between them: the end of line n is `ends[n]`, the last line has none. */
interface Lines {
  readonly lines: readonly string[]
  readonly ends: readonly LineEnding[]
}

/** Returns a text with LF for each line end, be it CRLF, CR or LF. */
export function withLf(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text
}

/** Returns the line ends that a text has, each once. */
export function lineEndingsOf(text: string): ReadonlySet<LineEnding> {
  if (!text.includes('\r')) return new Set(text.includes('\n') ? ['\n'] : [])
  return new Set(endsIn(text))
}

/**
 * Returns the text that `edited` makes of `raw`, whatever line ends it is sent with. Lines that stay keep the ends they have in
 * `raw`. A line in the place of another has its end, any other the commonest; `fallback` where `raw` has none.
 */
export function withLineEndings(edited: string, raw: string, fallback: LineEnding = '\n'): string {
  const [text, before] = [withLf(edited), withLf(raw)]
  if (text === before) return raw
  const kinds = lineEndingsOf(raw)
  if (kinds.size > 1) return spliced(text, before, raw)
  const [end = fallback] = kinds
  return end === '\n' ? text : text.replaceAll('\n', end)
}

/** The lines that differ, between those of `raw` that both have at their beginnings and ends. */
function spliced(text: string, before: string, raw: string): string {
  const { head, beforeEnd, afterEnd } = differing(before, text)
  const start = rawIndex(raw, head)
  const end = rawIndex(raw, beforeEnd - head, start)
  const old = raw.slice(start, end)
  const lines = text.slice(head, afterEnd).split('\n')
  const ends = endsOf(lines, { lines: before.slice(head, beforeEnd).split('\n'), ends: endsIn(old) }, () =>
    commonestOf(endsIn(raw)),
  )
  return [joined(lines, ends), raw.slice(end)].reduce(behind, raw.slice(0, start))
}

/** Returns the place in a text where so many of its characters, counted from `at` on with each line end as one, have gone by. */
function rawIndex(raw: string, count: number, at = 0): number {
  let index = at
  for (let n = 0; n < count; n++) index += raw.charCodeAt(index) === CR && raw.charCodeAt(index + 1) === LF ? 2 : 1
  return index
}

/**
 * Returns a text that ends with a line end if `before` does, and with none if it does not. One of which there was nothing before,
 * or is nothing now, stays as it is.
 */
export function withFinalNewline(text: string, before: string): string {
  if (text === '' || before === '') return text
  const isEnded = /[\r\n]$/.test(text)
  if (/[\r\n]$/.test(before)) return isEnded ? text : `${text}\n`
  let length = text.length
  while (isEnded && length > 0 && (text[length - 1] === '\n' || text[length - 1] === '\r')) length--
  return text.slice(0, length)
}

function endsIn(text: string): LineEnding[] {
  return (text.match(/\r\n?|\n/g) ?? []) as LineEnding[]
}

/** Returns an end for each line but the last, from those of the lines that were there; `other` gives that of a line between. */
function endsOf(lines: readonly string[], old: Lines, other: () => LineEnding): LineEnding[] {
  const origins = originsOf(old.lines.slice(0, -1), lines.slice(0, -1))
  let commonest: LineEnding | undefined
  return lines.slice(0, -1).map((_, n) => {
    const end = old.ends[origins[n] ?? -1]
    if (end !== undefined) return end
    commonest ??= other()
    return commonest
  })
}

/** Returns for each line the number of the one it is, or stands in the place of; undefined for those that came between. */
function originsOf(before: readonly string[], after: readonly string[]): (number | undefined)[] {
  const origins: (number | undefined)[] = new Array(after.length).fill(undefined)
  const found = matches(before, after) ?? []
  let [from, to] = [0, 0]
  const replace = (end: number, afterEnd: number) => {
    for (let n = 0; from + n < end && to + n < afterEnd; n++) origins[to + n] = from + n
  }
  for (const [n, place] of found.entries()) {
    if (place === undefined) continue
    replace(n, place)
    origins[place] = n
    ;[from, to] = [n + 1, place + 1]
  }
  replace(before.length, after.length)
  return origins
}

function commonestOf(ends: readonly LineEnding[]): LineEnding {
  const counts = new Map<LineEnding, number>()
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['\n', 0] as [LineEnding, number])[0]
}

function joined(lines: readonly string[], ends: readonly LineEnding[]): string {
  const parts: string[] = []
  for (const [n, line] of lines.entries()) {
    const end = ends[n] ?? ''
    parts.push(line, line === '' && end === '\n' && ends[n - 1] === '\r' ? '\r\n' : end)
  }
  return parts.join('')
}

/** A CR that comes to stand before an LF would be one line end with it: another CR keeps them two. */
function behind(text: string, rest: string): string {
  return text.endsWith('\r') && rest.startsWith('\n') ? `${text}\r${rest}` : text + rest
}
