/** Whether a text has more characters (code points) than `most`. Those of one that is much longer are not counted. */
export function isLonger(text: string, most: number): boolean {
  return text.length > 2 * most || (text.length > most && [...text].length > most)
}
