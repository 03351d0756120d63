import type { Document } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'

/** The line of its file that a record's body begins on; undefined where the body is a value in it. */
export function firstLine(document: Document): number | undefined {
  const raw = rawOf(document)
  if (!raw || raw.parts.data || !document.source) return undefined
  return document.source.toString('utf8', 0, raw.parts.bodyStart).split(/\r\n|\n|\r/).length
}

/** Returns a function that gives the line and column in its file of what begins at an offset in a document's body. */
export function placesIn(document: Document): (start: number) => { line?: number; column?: number } {
  const first = firstLine(document)
  const starts = [0]
  for (let end = document.body.indexOf('\n'); end >= 0; end = document.body.indexOf('\n', end + 1)) starts.push(end + 1)
  return (start) => {
    if (first === undefined) return {}
    let [from, to] = [0, starts.length]
    while (to - from > 1) {
      const middle = (from + to) >> 1
      if ((starts[middle] ?? 0) <= start) from = middle
      else to = middle
    }
    return { line: first + from, column: start - (starts[from] ?? 0) + 1 }
  }
}
