/** The weight of a word in each field: title, tags, body. */
export const BOOSTS = [10, 5, 1] as const

const K1 = 1.2
const B = 0.75

/**
 * Returns the weight of a term by the number of documents that have it. As in Lunr, a document counts once for each field that
 * has it.
 */
export function inverseFrequency(documents: number, having: number): number {
  return Math.log(1 + Math.abs((documents - having + 0.5) / (having + 0.5)))
}

/**
 * Returns the weight of a term in one field of a document, as in Lunr 2.3 (BM25 with k1 = 1.2 and b = 0.75, times the field's
 * boost, to three places). The term occurs `frequency` times in `length` words, where `average` are usual.
 */
export function weightOf(inverse: number, frequency: number, length: number, average: number, boost: number): number {
  const score = (inverse * ((K1 + 1) * frequency)) / (K1 * (1 - B + B * (length / average)) + frequency)
  return Math.round(score * boost * 1000) / 1000
}
