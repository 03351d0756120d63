import { BOOSTS } from '#fulltext/segments/scoring.ts'

/** Page numbers are below this: three characters of base64url. */
export const ID_SPACE = 2 ** 18

const ID_BITS = 18
const ID_MASK = ID_SPACE - 1

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]))
const TOP = DIGITS.length - 1

/** Words of a title, of the terms and of a text that are usual: weights go by these, so that a change of one page changes none of another. */
const USUAL = [6, 3, 300] as const
const K1 = 1.2
const B = 0.75
/** The weight of level 0, and the logarithm of the ratio of one level to the one below it. `templates/site/search/search.js` has them, too. */
const LEAST = 0.01
const STEP = 0.14

/**
 * Returns how much a word counts in a page, from 0 to 63, by how often it occurs in the title, the terms and the text, and how many
 * words each of them has: BM25 with the boosts of the other searches, on a scale of logarithms.
 */
export function levelOf(counts: readonly number[], lengths: readonly number[]): number {
  let weight = 0
  for (const [field, boost] of BOOSTS.entries()) {
    const [count = 0, length = 0] = [counts[field], lengths[field]]
    weight += (boost * (K1 + 1) * count) / (K1 * (1 - B + (B * length) / USUAL[field as 0 | 1 | 2]) + count)
  }
  return Math.max(0, Math.min(TOP, Math.round(Math.log(weight / LEAST) / STEP)))
}

/** The character of a level. */
export function digitOf(level: number): string {
  return DIGITS.charAt(level)
}

/** The level that a character stands for. */
export function levelOfDigit(digit: string): number {
  return VALUES.get(digit) ?? 0
}

/** A page that has a word, and how much that counts there, as one number: the higher the level, the less it is. */
export function posting(id: number, level: number): number {
  return ((TOP - level) << ID_BITS) | id
}

/** The number of the page of a posting. */
export function idOf(posting: number): number {
  return posting & ID_MASK
}

/**
 * Postings of a word, in ascending order, as a text: for each level, the highest first, its character and the numbers of its pages in
 * three characters each, with a dot between levels.
 */
export function encoded(postings: readonly number[]): string {
  let text = ''
  let last = -1
  for (const one of postings) {
    const level = TOP - (one >>> ID_BITS)
    if (level !== last) text += (last < 0 ? '' : '.') + digitOf(level)
    text += digitOf((one >>> 12) & TOP) + digitOf((one >>> 6) & TOP) + digitOf(one & TOP)
    last = level
  }
  return text
}

/** Reads what `encoded` made. */
export function decoded(code: string): number[] {
  const postings: number[] = []
  for (const part of code === '' ? [] : code.split('.')) {
    const level = levelOfDigit(part.charAt(0))
    for (let at = 1; at < part.length; at += 3) postings.push(posting(numberAt(part, at), level))
  }
  return postings
}

function numberAt(text: string, at: number): number {
  return (levelOfDigit(text.charAt(at)) << 12) | (levelOfDigit(text.charAt(at + 1)) << 6) | levelOfDigit(text.charAt(at + 2))
}
