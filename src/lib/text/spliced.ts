/** A part of a text, from `start` to `end`, that becomes another. */
export interface Splice {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns a text with some of its parts replaced; they are in order and do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let at = 0
  const parts: string[] = []
  for (const one of splices) {
    parts.push(text.slice(at, one.start), one.text)
    at = one.end
  }
  return parts.join('') + text.slice(at)
}
