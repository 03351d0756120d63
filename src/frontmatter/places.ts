/** Maximum number of lines that are looked at. */
export const MOST_LINES = 50

/** Returns the offset of the first visible character. */
export function afterBlanks(bytes: Buffer, start: number): number {
  let at = start
  for (let width = blankAt(bytes, at); width > 0; width = blankAt(bytes, at)) at += width
  return at
}

/** Returns the width in bytes of a space, line end or invisible mark at an offset, or 0 if there is none. */
export function blankAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if ((first >= 9 && first <= 13) || first === 32) return 1
  if (first < 0xc2) return 0
  const width = first < 0xe0 ? 2 : 3
  return /^[\s\u0085\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]$/.test(bytes.toString('utf8', at, at + width)) ? width : 0
}

/** Returns the offset behind comments of HTML and what is not seen; the same one where they do not end. */
export function afterComments(bytes: Buffer, from: number): number {
  let at = from
  while (bytes.toString('latin1', at, at + 4) === '<!--') {
    const end = bytes.indexOf('-->', at + 4)
    if (end < 0) return from
    at = afterBlanks(bytes, end + 3)
  }
  return at
}

/** Returns the line from a place on without the blanks around it; its beginning where it is long. */
export function lineAt(bytes: Buffer, at: number): string {
  return bytes.toString('utf8', at, lineEnd(bytes, at, at + 200)).trim()
}

/** Returns the next line that is neither blank nor a remark. */
export function lineAfter(bytes: Buffer, from: number): string {
  let at = afterBlanks(bytes, lineEnd(bytes, from))
  for (let n = 0; n < MOST_LINES && bytes[at] === 35; n++) at = afterBlanks(bytes, lineEnd(bytes, at))
  return lineAt(bytes, at)
}

/** Returns the offset of the end of a line, `most` at the most. */
export function lineEnd(bytes: Buffer, from: number, most = bytes.length): number {
  let at = from
  while (at < bytes.length && at < most && bytes[at] !== 10 && bytes[at] !== 13) at++
  return at
}

/** Returns the offset of the next line. */
export function nextLine(bytes: Buffer, from: number): number {
  const end = lineEnd(bytes, from)
  return end + (bytes[end] === 13 && bytes[end + 1] === 10 ? 2 : 1)
}
