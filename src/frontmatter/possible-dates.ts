import type { Json } from '#lib/json.ts'
import { isObject } from './changes.ts'

/** The year of Quire's first release: what names an earlier one alone was past then. */
const FIRST_YEAR = 2026
const DAY_FIRST = /^\d\d?([./-])\d\d?\1\d\d(?!\d)/
const WORDS = /^(?:soon|later|tomorrow|tonight|next\s.+|not yet|never|upcoming|pending|to be \w+|tb[acd])[.!]?$/i
const LINK = /^[a-z][a-z\d+.-]*:\/\//i
const NUMBER = /(\p{Nd}+)(?=(-\p{Nd})?)/gu

/** True where a value may say a time to come, in whatever form: a year that is not past, a count of seconds, `next week`. */
export function mayBeToCome(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(mayBeToCome)
  if (isObject(value)) return Object.values(value).some(mayBeToCome)
  if (typeof value === 'number') return yearsOf(String(value)).some(isToCome)
  if (typeof value !== 'string') return false
  const text = value.trim()
  if (LINK.test(text)) return false
  return DAY_FIRST.test(text) || WORDS.test(text) || yearsOf(text).some(isToCome)
}

/** The years that the numbers of a text may mean; NaN for one that can't be told. */
function yearsOf(text: string): number[] {
  return [...text.matchAll(NUMBER)].flatMap(([, digits = '', month]) => yearOf(digits, month !== undefined) ?? [])
}

/** The year of a number: alone, with its month and day, or as seconds or milliseconds since 1970. */
function yearOf(digits: string, isBeforeMonth: boolean): number | undefined {
  const { length } = digits
  if (length === 4) return Number(digits)
  if (length === 8) return Number(digits.slice(0, 4))
  if (length === 9 || length === 10) return new Date(Number(digits) * 1000).getUTCFullYear()
  if (length === 12 || length === 13) return new Date(Number(digits)).getUTCFullYear()
  return (length === 5 || length === 6) && isBeforeMonth ? Number.NaN : undefined
}

/** Digits of other scripts are no number here, and may be any year. */
function isToCome(year: number): boolean {
  return !(year < FIRST_YEAR)
}
