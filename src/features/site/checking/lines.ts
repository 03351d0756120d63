import type { Document } from '#core/document.ts'
import { rawOf } from '#core/format/written.ts'

/** The line of its file that a record's body begins on; undefined where the body is a value in it. */
export function firstLine(document: Document): number | undefined {
  const raw = rawOf(document)
  if (!raw || raw.parts.data || !document.source) return undefined
  return document.source.toString('utf8', 0, raw.parts.bodyStart).split(/\r\n|\n|\r/).length
}

/** The line and column in a file of what begins at `start` in a body, whose own first line is `first`; nothing without that. */
export function placeIn(body: string, start: number, first: number | undefined): { line?: number; column?: number } {
  if (first === undefined) return {}
  const before = body.slice(0, start)
  return { line: first + before.split('\n').length - 1, column: start - before.lastIndexOf('\n') }
}
