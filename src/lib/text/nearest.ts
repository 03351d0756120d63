/** Names that are looked at for one answer: whoever sends a thousand that there are not has no use for a hint to each. */
const MOST_HINTS = 10

/**
 * The one of `words` that `word` was most likely meant to be: the fewest insertions, deletions, replacements and swaps of
 * neighbours (Damerau–Levenshtein, optimal string alignment), letters' case aside. Undefined where none is near: more than a
 * third of the letters differ, or all but one. Who asks for each of many names that others chose takes `Nearest`.
 */
export function nearest(word: string, words: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase().slice(0, 100)
  let best: string | undefined
  let least = Math.min(Math.ceil(wanted.length / 3), wanted.length - 1) + 1
  for (const candidate of words) {
    if (Math.abs(candidate.length - wanted.length) >= least) continue
    const cost = distance(wanted, candidate.toLowerCase())
    if (cost >= least) continue
    best = candidate
    least = cost
  }
  return best
}

/** As `nearest` for one answer, in which others choose how many names are asked for: after ten of them no word is near. */
export class Nearest {
  readonly #words: readonly string[]
  #left = MOST_HINTS

  constructor(words: Iterable<string>) {
    this.#words = [...words]
  }

  to(word: string): string | undefined {
    return this.#left-- > 0 ? nearest(word, this.#words) : undefined
  }
}

/** Counts the insertions, deletions, replacements and swaps of neighbouring letters that make `b` from `a`. */
export function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) row.push(cell(a, b, i, j, row, last, before))
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

function cell(a: string, b: string, i: number, j: number, row: number[], last: number[], before: number[]): number {
  const same = a[i - 1] === b[j - 1] ? 0 : 1
  const least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
  return swapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least
}
