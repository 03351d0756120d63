/** Where the line that `at` is on begins. */
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

/** How many characters stand before `at` on its line. */
export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at)
}

/** The text with a line end behind its last line. */
export function ended(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol
}
