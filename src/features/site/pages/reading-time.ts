/** Words that are read in a minute, and signs of scripts that write without spaces (Brysbaert 2019, rounded). */
const WORDS_A_MINUTE = 238
const SIGNS_A_MINUTE = 500

const SIGNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu
const WORD = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu

/** Returns the minutes that it takes to read a text, at least one. Linear in its length. */
export function minutesOf(text: string): number {
  let signs = 0
  // Run by run: a step for each sign would hold the event loop at a million of them.
  const others = text.replace(SIGNS, (run) => {
    signs += pointsIn(run)
    return ' '
  })
  return Math.max(1, Math.round(wordsIn(others) / WORDS_A_MINUTE + signs / SIGNS_A_MINUTE))
}

/** Counts code points: of a pair of surrogates the first counts. */
function pointsIn(run: string): number {
  let count = 0
  for (let at = 0; at < run.length; at++) if ((run.charCodeAt(at) & 0xfc00) !== 0xdc00) count++
  return count
}

function wordsIn(text: string): number {
  let count = 0
  WORD.lastIndex = 0
  while (WORD.test(text)) count++
  return count
}
