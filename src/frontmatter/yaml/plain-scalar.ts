import type { Json } from '#lib/json.ts'

/** The result of the strict reader if it is not sure. The full parser decides then. */
export const UNSURE: unique symbol = Symbol('unsure')

/** A value, or that the strict reader is not sure of it. */
export type Sure<T> = T | typeof UNSURE

const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['~', null],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ['FALSE', false],
])

const DECIMAL = /^-?[0-9]{1,15}(?:\.[0-9]{1,15})?$/
const NEGATIVE_ZERO = /^-0+(?:\.0+)?$/
/** Matches anything that may be a number of the core schema, in whole or in part. The full parser reads these. */
const NUMERIC = /^(?:0[ox][0-9a-fA-F]*|[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]*)?)$/

/** The value of a one-line plain scalar of YAML 1.2's core schema, given without spaces around it; UNSURE for all but the common ones. */
export function plainScalar(text: string): Sure<Json> {
  const first = text.charCodeAt(0)
  const isDigit = isDigitCode(first)
  if ((isDigit && NUMERIC.test(text)) || (first === 45 && isDigitCode(text.charCodeAt(1)))) {
    return DECIMAL.test(text) && !NEGATIVE_ZERO.test(text) ? Number(text) : UNSURE
  }
  if (!isDigit && !isStart(first) && !isSignedStart(text)) return text === '~' ? null : UNSURE
  for (let i = 1; i < text.length; i++) {
    if (!isInside(text, i)) return UNSURE
  }
  const word = text.length <= 5 ? WORDS.get(text) : undefined
  return word === undefined ? text : word
}

function isDigitCode(code: number): boolean {
  return code >= 48 && code <= 57
}

/** `./a`, `../a` and `-a`: a sign that is YAML's own only before something else. */
function isSignedStart(text: string): boolean {
  return /^(?:\.\.?\/|-[A-Za-z])/.test(text)
}

/** Letters, and what is no sign of YAML's; the odd spaces and line ends of Unicode are left to the whole parser. */
function isStart(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 47 || code === 40
  return isLetterLike(code)
}

function isLetterLike(code: number): boolean {
  return code > 0xa0 && code !== 0x2028 && code !== 0x2029 && code !== 0xfeff && code < 0xfffe
}

function isInside(text: string, i: number): boolean {
  const code = text.charCodeAt(i)
  if (code === 58) return i + 1 < text.length && text.charCodeAt(i + 1) !== 32
  if (code === 35) return text.charCodeAt(i - 1) !== 32
  return (code >= 32 && code < 127) || isLetterLike(code)
}
