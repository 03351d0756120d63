/** Returns the start of the line that contains `at`. */
export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** After the end of the line that `at` is on. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** After the last line of a value that ends at `at`; one that takes its line end along (`|`, `>`) is over already. */
export function valueLineEnd(text: string, at: number): number {
  return at > 0 && text.charAt(at - 1) === '\n' ? at : lineEnd(text, at)
}

/** Returns the number of characters before `at` on its line. */
export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at)
}

/** The text with a line end behind its last line. */
export function ended(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol
}

const [LF, CR] = [10, 13]

/** UTF-8 with LF for every line end; the bytes themselves where they have no other. */
export function unifiedLines(bytes: Buffer): Buffer {
  if (!bytes.includes(CR)) return bytes
  const made = Buffer.allocUnsafe(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    made[length++] = byte === CR ? LF : byte
    if (byte === CR && bytes[at + 1] === LF) at++
  }
  return made.subarray(0, length)
}

/** UTF-8 whose line ends are LF with others in their place. */
export function withLineEnds(bytes: Buffer, eol: string): Buffer {
  if (eol === '\n') return bytes
  const [first = LF, second] = Buffer.from(eol)
  const made = Buffer.allocUnsafe(bytes.length * eol.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    made[length++] = byte === LF ? first : byte
    if (byte === LF && second !== undefined) made[length++] = second
  }
  return Buffer.from(made.subarray(0, length))
}
