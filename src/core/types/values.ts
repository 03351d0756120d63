import type { Json } from '#lib/json.ts'
import { idFault, segmentFault } from '../key.ts'
import { leadsElsewhere } from '../links/resolve.ts'
import { isAttachmentName } from '../media/attachments.ts'
import type { Field, FieldType } from './content-type.ts'

/** Says what is wrong with a value, as the end of a sentence that begins with the field's name; undefined where nothing is. */
export type ValueCheck = (value: Json) => string | undefined

const check =
  (fits: (value: Json) => boolean, fault: string): ValueCheck =>
  (value) =>
    fits(value) ? undefined : fault

const isString = (value: Json): value is string => typeof value === 'string'

/** A string. */
export const stringFault = check(isString, 'must be a string.')

/** A number, and no string that looks like one. */
export const numberFault = check(Number.isFinite, 'must be a number.')

/** A whole number that JSON carries without loss. */
export const integerFault = check(Number.isSafeInteger, 'must be an integer.')

/** true or false. */
export const booleanFault = check((value) => typeof value === 'boolean', 'must be true or false.')

/** A list. */
export const arrayFault = check(Array.isArray, 'must be an array.')

/** A map of names and values. */
export const objectFault = check(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object.',
)

/** A day, `YYYY-MM-DD` (RFC 3339 full-date). */
export const dayFault = check((value) => isString(value) && isDay(value), 'must be a date such as 2026-11-20.')

/** An instant, RFC 3339 with an offset, or a day, which is its beginning in UTC. */
export const instantFault = check(
  (value) => isString(value) && (isDay(value) || isInstant(value)),
  'must be a date and time with an offset, such as 2026-11-20T12:00:00Z.',
)

/** A day or an instant. */
export const dateFault = check((value) => isString(value) && (isDay(value) || isInstant(value)), 'is not a valid date.')

/** One plain address, at most 254 characters, 64 before the @ (RFC 5321), without display name or comments. */
export const emailFault = check((value) => isString(value) && isEmail(value), 'must be a valid email address.')

/** An absolute http or https address. */
export const urlFault = check((value) => isString(value) && isUrl(value), 'must be a valid URL.')

/** The value of a field of type url: an absolute address, a path of the site (`/about`), or one from its page on (`./cat.jpg`). */
const linkFault = check(
  (value) => isString(value) && (isUrl(value) || isSiteLink(value)),
  'must be a valid URL, or a path of the site such as /about or ./photo.jpg.',
)

/** One segment of an address, at most 100 characters. */
export const slugFault: ValueCheck = (value) => {
  if (!isString(value)) return 'must be a string.'
  const fault = segmentFault(value)
  if (fault) return `is not a valid slug: it ${fault}.`
  return [...value].length > 100 ? 'must not be greater than 100 characters.' : undefined
}

/** The id of a record. */
export const referenceFault: ValueCheck = (value) => {
  if (!isString(value)) return 'must be the id of a record.'
  const fault = idFault(value)
  return fault ? `must be the id of a record: "${value}" ${fault}.` : undefined
}

const colorFault = check(
  (value) => isString(value) && /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(value),
  'must be a color such as #1a2b3c.',
)
const mediaFault = check(
  (value) => isString(value) && value !== '' && !/\p{Cc}/u.test(value),
  'must be the path or id of a file.',
)

const CHECKS: Readonly<Record<FieldType, ValueCheck>> = {
  text: stringFault,
  markdown: stringFault,
  number: numberFault,
  integer: integerFault,
  boolean: booleanFault,
  date: dayFault,
  datetime: instantFault,
  select: stringFault,
  list: arrayFault,
  object: objectFault,
  reference: referenceFault,
  media: mediaFault,
  slug: slugFault,
  email: emailFault,
  url: linkFault,
  color: colorFault,
  json: () => undefined,
}

/** Returns the fault of a value of a declared field, apart from its rules. Nothing is coerced: `"1"` is not a number. */
export function valueFault(field: Field, value: Json): string | undefined {
  const fault = CHECKS[field.type](value)
  if (fault || field.type !== 'select' || !field.options) return fault
  return field.options.includes(String(value)) ? undefined : `must be one of ${field.options.join(', ')}.`
}

function isDay(text: string): boolean {
  return /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && isOnCalendar(text)
}

function isInstant(text: string): boolean {
  const match = /^([0-9-]{10})[Tt]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))$/.exec(
    text,
  )
  if (!match || !isDay(match[1] ?? '')) return false
  const [hour, minute, second, offsetHour, offsetMinute] = match.slice(2).map((part) => Number(part ?? 0))
  return within(hour, 23) && within(minute, 59) && within(second, 59) && within(offsetHour, 23) && within(offsetMinute, 59)
}

function within(value: number | undefined, most: number): boolean {
  return (value ?? 0) <= most
}

/** Date.parse takes February 30th for March 2nd. */
function isOnCalendar(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

function isEmail(text: string): boolean {
  const local = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
  const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]{0,61}[\\p{L}\\p{N}])?'
  return (
    text.length <= 254 &&
    text.indexOf('@') <= 64 &&
    new RegExp(`^${local}(?:\\.${local})*@${label}(?:\\.${label})*$`, 'u').test(text)
  )
}

/** A name alone is one only by its ending: `example.org` is a host whose scheme was left out. */
function isSiteLink(text: string): boolean {
  // To a browser a backslash is a slash, and two of these begin a host.
  if (leadsElsewhere(text) || /[\s\p{Cc}<>"\\]/u.test(text)) return false
  return /^\.{0,2}\//.test(text) || isAttachmentName(text.split(/[?#]/, 1)[0] ?? '')
}

function isUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#]/i.test(text) || /[\s\p{Cc}<>"]/u.test(text)) return false
  return URL.canParse(text)
}
