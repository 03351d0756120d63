import { compareText } from '#lib/text/compare.ts'

/** So many units of a word say mostly where it belongs. */
const BEGINNING = 3

/**
 * Words in the order of code points, by their beginnings first: to compare long ones that are much alike, as hashes are, is what
 * sorting takes. `hasPairs` tells that some may have characters beyond the basic plane.
 */
export function sortedWords(words: Iterable<string>, hasPairs: boolean): string[] {
  const compare = hasPairs ? compareText : undefined
  const byBeginning = new Map<string, string[]>()
  for (const word of words) {
    const beginning = word.slice(0, BEGINNING)
    const others = byBeginning.get(beginning)
    if (others) others.push(word)
    else byBeginning.set(beginning, [word])
  }
  return [...byBeginning.keys()].sort(compare).flatMap((beginning) => byBeginning.get(beginning)?.sort(compare) ?? [])
}

/** Two sorted lists as one. */
export function mergedWords(one: readonly string[], other: readonly string[]): string[] {
  const all: string[] = []
  let at = 0
  for (const word of one) {
    for (let next = other[at]; next !== undefined && compareText(next, word) < 0; next = other[++at]) all.push(next)
    all.push(word)
  }
  return [...all, ...other.slice(at)]
}
