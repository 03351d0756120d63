/** The lines that matter, each from its beginning: the three of a conflict, and fences of code. */
const LINES = /^(?:(<{7})(?![^ \r\n])|(={7})(?![^\r\n])|(>{7})(?![^ \r\n])| {0,3}(`{3,}|~{3,})([^\r\n]*))/gm

/**
 * Returns the place at which git left both sides of a merge in a body, in bytes from the start of the file; -1 where it did not.
 * That is all three lines of a conflict in their order, the first of them outside of fenced code: a text may show any of them,
 * and a heading may be underlined by one.
 */
export function bodyConflictAt(bytes: Buffer, bodyStart: number): number {
  const first = bytes.indexOf('<<<<<<<', bodyStart)
  if (first < 0 || bytes.indexOf('>>>>>>>', first) < 0) return -1
  // One character a byte.
  const body = bytes.toString('latin1', bodyStart)
  let fence = ''
  let [begun, isParted] = [-1, false]
  for (const { 1: opens, 2: parts, 3: ends, 4: marks, 5: rest = '', index } of body.matchAll(LINES)) {
    if (marks !== undefined) fence = fenceAfter(fence, marks, rest)
    else if (opens) [begun, isParted] = [fence === '' ? index : -1, false]
    else if (parts) isParted = begun >= 0
    else if (ends && isParted) return bodyStart + begun
  }
  return -1
}

/** The fence that the text is in after a line with one; '' outside of code. */
function fenceAfter(fence: string, marks: string, rest: string): string {
  if (fence === '') return marks.startsWith('`') && rest.includes('`') ? '' : marks
  return marks.startsWith(fence) && rest.trim() === '' ? '' : fence
}
