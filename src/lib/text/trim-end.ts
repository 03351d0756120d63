/**
 * Returns `text` without the characters of `those` at its end. Takes time with what is removed, where an expression such as
 * `/ +$/` takes time with the square of each run of them, wherever it stands.
 */
export function trimEnd(text: string, those: string): string {
  let end = text.length
  while (end > 0 && those.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
