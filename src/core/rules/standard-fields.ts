import { isObject } from '#frontmatter/changes.ts'
import { isDraftWord, nameInQuire } from '#frontmatter/other-tools.ts'
import type { Json } from '#lib/json.ts'
import { canonicalName, OWN_KEYS } from '../format/names.ts'
import { isClockStatus } from '../status.ts'
import { COMPUTED_FIELDS, type ContentType, STANDARD_FIELDS } from '../types/content-type.ts'
import { booleanFault, instantFault, slugFault, stringFault, type ValueCheck } from '../types/values.ts'
import { LIMITS } from './limits.ts'

/** Fields that every type takes in addition to the standard ones, because the site or the clock understand them. */
const UNDERSTOOD: readonly string[] = ['expires_at', 'permalink', 'aliases', 'noindex', 'unlisted', 'own']

/** Names that a record of this type can always be sent with. */
export function commonNames(type: ContentType): string[] {
  const standard = STANDARD_FIELDS.filter((name) => name !== 'categories' && name !== 'tags')
  return [...new Set([...standard, ...type.taxonomies.map((kind) => kind.name), ...COMPUTED_FIELDS, ...UNDERSTOOD])]
}

/**
 * The field that a front matter key of another tool stands for in this type; undefined for any other name. Writing one would go
 * past the checks of that field.
 */
export function meantBy(type: ContentType, name: string, value: Json): string | undefined {
  if (type.fields.has(name)) return undefined
  const meant = isDraftWord(name, value) ? 'status' : canonicalName(name, value, type)
  return meant === name ? undefined : meant
}

/**
 * Returns the fault of a field that every record has, as the end of a sentence. Undefined if there is none, or if the name is no
 * such field.
 */
export function commonFault(type: ContentType, name: string, value: Json): string | undefined {
  if (name === 'status') return statusFault(type, value)
  if (value === null) return undefined
  if (type.taxonomies.some((kind) => kind.name === name)) return termsFault(value)
  // A declared author is what its type says, for instance a reference.
  if (type.fields.has(name) && name === 'author') return undefined
  return Object.hasOwn(CHECKS, name) ? CHECKS[name]?.(value) : undefined
}

const CHECKS: Readonly<Record<string, ValueCheck>> = {
  title: (value) => {
    if (typeof value !== 'string') return 'must be a string.'
    if (value.trim() === '') return 'must not be empty.'
    if (/\p{Cc}/u.test(value)) return 'must not hold a control character.'
    return [...value].length > LIMITS.title ? `must not be greater than ${LIMITS.title} characters.` : undefined
  },
  slug: slugFault,
  body: (value) => {
    if (typeof value !== 'string') return 'must be a string.'
    return Buffer.byteLength(value) > LIMITS.body ? 'must not be greater than 1 MiB.' : undefined
  },
  author: (value) => (isTexts(value) ? undefined : 'must be a string.'),
  published_at: instantFault,
  expires_at: instantFault,
  permalink: (value) => (value === false ? undefined : (stringFault(value) ?? pathFault(value))),
  aliases: (value) => (isTexts(value) ? undefined : 'must be an array of paths.'),
  noindex: booleanFault,
  unlisted: booleanFault,
  own: ownFault,
}

/** A file's own keys of these names; an address in `url` would be the page's. */
function ownFault(value: Json): string | undefined {
  if (!isObject(value)) return 'must be an object.'
  const unknown = Object.keys(value).find((key) => !OWN_KEYS.includes(key))
  if (unknown !== undefined)
    return `has the key "${unknown}": it holds only ${OWN_KEYS.join(', ')}. Other keys are fields by their own names.`
  return nameInQuire('url', value.url) === undefined
    ? undefined
    : 'has a path as its url: that is the address of the page. Set permalink.'
}

function statusFault(type: ContentType, value: Json): string | undefined {
  const known = [...type.statuses.keys()]
  // One that the clock made, sent back, means the stored one.
  if (typeof value === 'string' && (known.includes(value) || isClockStatus(value))) return undefined
  return `must be one of ${known.join(', ')}.`
}

function termsFault(value: Json): string | undefined {
  if (!Array.isArray(value) || !isTexts(value)) return 'must be an array of strings.'
  return value.some((term) => [...String(term)].length > LIMITS.title)
    ? `must not hold a name of more than ${LIMITS.title} characters.`
    : undefined
}

function pathFault(value: Json): string | undefined {
  return String(value).startsWith('/') ? undefined : 'must begin with "/".'
}

function isTexts(value: Json): boolean {
  return [value].flat().every((item) => typeof item === 'string' && item.trim() !== '' && !/\p{Cc}/u.test(item))
}
