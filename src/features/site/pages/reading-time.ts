/** Words that are read in a minute, and signs of scripts that write without spaces (Brysbaert 2019, rounded). */
const WORDS_A_MINUTE = 238
const SIGNS_A_MINUTE = 500

const SIGN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu

/** Returns the minutes that it takes to read a text, at least one. Linear in its length. */
export function minutesOf(text: string): number {
  const signs = countOf(SIGN, text)
  const words = countOf(WORD, signs > 0 ? text.replace(SIGN, ' ') : text)
  return Math.max(1, Math.round(words / WORDS_A_MINUTE + signs / SIGNS_A_MINUTE))
}

function countOf(pattern: RegExp, text: string): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}
