import type { Presence } from './clauses.ts'

/** The most characters (code points) of a query that are read. */
const MOST_CHARACTERS = 256

/** A stretch of a query that is alike throughout: what stands between quotes, or what stands between spaces. */
export interface Part {
  readonly text: string
  readonly presence: Presence
  /** True if its words must follow each other: it is in quotes, or has a sign before it. */
  readonly isWhole: boolean
  readonly isQuoted: boolean
  /** True if more may be typed to it: neither a space nor a quote follows. */
  readonly isOpen: boolean
}

const QUOTES = '"“”„‟«»＂「」『』'
const SPACE = /\s/
/** A sign counts before a word or a quote alone: `--flag` and `- ` are no syntax. */
const SIGN = new RegExp(`[+-](?=[\\p{L}\\p{N}\\p{M}${QUOTES}])`, 'uy')
const SIGNS: Readonly<Record<string, Presence>> = { '-': 'prohibited', '+': 'required' }

/** The parts of a query, in order. A quote that is not closed ends with the text. */
export function partsOf(query: string): Part[] {
  const text =
    query.length > MOST_CHARACTERS ? [...query.slice(0, 2 * MOST_CHARACTERS)].slice(0, MOST_CHARACTERS).join('') : query
  const parts: Part[] = []
  let at = 0
  let mayBeSigned = true
  while (at < text.length) {
    const character = text.charAt(at)
    if (SPACE.test(character)) {
      at++
      mayBeSigned = true
      continue
    }
    const presence = mayBeSigned ? signAt(text, at) : undefined
    const start = presence === undefined ? at : at + 1
    const isQuoted = QUOTES.includes(text.charAt(start))
    const from = isQuoted ? start + 1 : start
    const end = isQuoted ? endOf(text, from, isQuote) : endOf(text, from, isQuoteOrSpace)
    parts.push({
      text: text.slice(from, end),
      presence: presence ?? (isQuoted ? 'required' : 'optional'),
      isWhole: isQuoted || presence !== undefined,
      isQuoted,
      isOpen: end === text.length,
    })
    at = isQuoted ? end + 1 : end
    mayBeSigned = false
  }
  return parts
}

function signAt(text: string, at: number): Presence | undefined {
  SIGN.lastIndex = at
  return SIGN.test(text) ? SIGNS[text.charAt(at)] : undefined
}

function endOf(text: string, from: number, ends: (character: string) => boolean): number {
  let at = from
  while (at < text.length && !ends(text.charAt(at))) at++
  return at
}

function isQuote(character: string): boolean {
  return QUOTES.includes(character)
}

function isQuoteOrSpace(character: string): boolean {
  return isQuote(character) || SPACE.test(character)
}
