import { matchAt } from './match-at.ts'

/** Returns the offset of the next occurrence of a needle, or −1 if there is none. */
type Find = (needle: string, from: number) => number

/** Addresses and titles that end with another character than they begin with; they have none of the two within. */
const BRACKETED = /<[^<>\n]*>/y
const PARENTHESES = /\([^()]*\)[ \t\n]*/y
const SPACE = /[ \t\n]*/y
/** The parentheses within each other that an address may have. */
const MOST_NESTED = 32

/** After the `)` of a link whose target, with or without a title, begins at `from`; −1 where it is no target. */
export function endOfTarget(text: string, from: number, find: Find): number {
  const start = pastSpace(text, from)
  const end = text[start] === '<' ? after(matchAt(BRACKETED, text, start)) : endOfAddress(text, start)
  const at = end < 0 ? -1 : pastTitle(text, pastSpace(text, end), find)
  return at >= 0 && text[at] === ')' ? at + 1 : -1
}

function pastSpace(text: string, from: number): number {
  return after(matchAt(SPACE, text, from))
}

/** After a title and the space behind it, if there is one; −1 where it does not end. */
function pastTitle(text: string, at: number, find: Find): number {
  const quote = text.charAt(at)
  if (quote === '(') return after(matchAt(PARENTHESES, text, at))
  if (quote !== '"' && quote !== "'") return at
  const end = find(quote, at + 1)
  return end < 0 ? -1 : pastSpace(text, end + 1)
}

function endOfAddress(text: string, from: number): number {
  let nested = 0
  let at = from
  for (; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (character === '(') nested++
    else if (character === ')') nested--
    if (nested < 0 || character === ' ' || character === '\n' || character === '\t') return at
    if (nested > MOST_NESTED) return -1
  }
  return at
}

function after(match: RegExpExecArray | null): number {
  return match ? match.index + match[0].length : -1
}
