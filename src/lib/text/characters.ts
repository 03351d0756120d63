/** Returns whether a text has more characters (code points) than `most`. The characters of a much longer text are not counted. */
export function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && [...text].length > most)
}
