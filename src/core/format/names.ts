import {
  type DraftWord,
  draftWords,
  isDraftWord,
  isLaterKey,
  nameInQuire,
  plainName,
  saysLater,
} from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Shape } from '../types/content-type.ts'

const INSTANTS: ReadonlySet<string> = new Set(['published_at', 'expires_at', 'created_at', 'updated_at'])

/** Fields by which a record may be kept from the public. */
const HIDING: ReadonlySet<string> = new Set([
  ...['status', 'published_at', 'expires_at', 'unlisted', 'hidden', 'headless', 'permalink', 'noindex'],
])

/** Keys of a file that are names of computed fields: their values in the file are in the field `own`. */
export const OWN_KEYS: readonly string[] = ['id', 'type', 'url', 'version', 'body', 'own']

/** The kinds of value that Quire brings into a form of its own. */
export type Sense = 'text' | 'status' | 'terms' | 'strings' | 'instant' | 'instants' | 'any'

/** Quire's name for a front matter key with this value: those of other tools and those of the type's `map` are understood. */
export function canonicalName(key: string, value: Json | undefined, shape: Shape): string {
  if (!shape.record) return key
  const mapped = mappedName(key, shape)
  if (mapped !== undefined) return mapped
  if (shape.claimed.includes(key)) return key
  const known = isLaterKey(key) && !isLater(key, value, shape) ? undefined : nameInQuire(key, value)
  if (known !== undefined) return known
  for (const taxonomy of shape.taxonomies) {
    if (key === taxonomy.singular) return taxonomy.name
  }
  return key
}

/**
 * The name that the type's `map` gives to a key. One that may keep a text from the public is given in any letters, as Quire's own
 * words are, unless the key is one of these.
 */
export function mappedName(key: string, { map }: Shape): string | undefined {
  if (Object.hasOwn(map, key)) return map[key]
  for (const name in map) {
    const isMeant = HIDING.has(map[name] ?? '') && plainName(name) === plainName(key)
    if (isMeant && !isLaterKey(key) && plainName(key) !== 'draft' && nameInQuire(key, undefined) === undefined) return map[name]
  }
  return undefined
}

/** True where a key of a file says when the text is published at the earliest. */
export function isLater(key: string, value: Json | undefined, shape: Shape): boolean {
  return shape.record && !Object.hasOwn(shape.map, key) && saysLater(key, value)
}

/** True where a key of a file is no field, because it says whether the text is a draft. */
export function isSpent(key: string, value: Json, shape: Shape): boolean {
  return shape.record && !shape.claimed.includes(key) && !Object.hasOwn(shape.map, key) && isDraftWord(key, value)
}

/** True for a key whose value is in `own`. */
export function isOwnKey(key: string, value: Json | undefined, shape: Shape): boolean {
  return shape.record && OWN_KEYS.includes(key) && canonicalName(key, value, shape) === key
}

/** Returns the type by which to interpret the value of a field. */
export function senseOf(name: string, shape: Shape): Sense {
  if (!shape.record) return 'any'
  if (name === 'title' || name === 'slug') return 'text'
  if (name === 'status') return 'status'
  if (name === 'aliases') return 'strings'
  if (INSTANTS.has(name)) return 'instant'
  if (Object.hasOwn(shape.instants, name)) return shape.instants[name] === true ? 'instant' : 'instants'
  return shape.taxonomies.some((taxonomy) => taxonomy.name === name) ? 'terms' : 'any'
}

/** The keys of a file that mean the field `name`, the one that is read first: Quire's own name, else the first in the file. */
export function keysOf(name: string, data: Readonly<Fields>, shape: Shape): string[] {
  const keys = Object.keys(data).filter((key) => {
    const value = data[key] ?? null
    return canonicalName(key, value, shape) === name && !isSpent(key, value, shape) && !isOwnKey(key, value, shape)
  })
  const first = keys.includes(name) ? [name] : keys.filter((key) => !isLater(key, data[key], shape)).slice(0, 1)
  return [...first, ...keys.filter((key) => !first.includes(key))]
}

/**
 * The keys of a file that say whether the text is a draft and nothing else: one that the type has as a field of its own is left
 * to that.
 */
export function spentWords(data: Readonly<Fields>, shape: Shape): DraftWord[] {
  return draftWords(data).filter(({ key }) => isSpent(key, data[key] ?? null, shape))
}

/**
 * Returns whether the file is marked as a draft, or undefined if it is marked as neither. An unclear value counts as a draft. A
 * field of the type's own publishes nothing.
 */
export function draftOf(data: Readonly<Fields>, shape: Shape): boolean | undefined {
  const words = draftWords(data).filter(({ key, drafts }) => drafts || isSpent(key, data[key] ?? null, shape))
  return words.length === 0 ? undefined : words.some(({ drafts }) => drafts)
}
