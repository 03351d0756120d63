import type { Shape } from '../content-type.ts'
import type { Fields } from '../json.ts'

const INSTANTS: ReadonlySet<string> = new Set(['published_at', 'expires_at', 'created_at', 'updated_at'])

/** The kinds of value that Quire brings into a form of its own. */
export type Sense = 'text' | 'status' | 'terms' | 'strings' | 'instant' | 'any'

/** Quire's name for a front matter key: those of other tools and those of the type's `map` are understood. */
export function canonicalName(key: string, shape: Shape): string {
  if (!shape.record) return key
  if (Object.hasOwn(shape.map, key)) return shape.map[key] ?? key
  if (key === 'date') return 'published_at'
  if (key === 'lastmod' || key === 'updated') return 'updated_at'
  for (const taxonomy of shape.taxonomies) {
    if (key === taxonomy.singular) return taxonomy.name
  }
  return key
}

/** How the value of a field is to be understood. */
export function senseOf(name: string, shape: Shape): Sense {
  if (!shape.record) return 'any'
  if (name === 'title' || name === 'slug') return 'text'
  if (name === 'status') return 'status'
  if (name === 'aliases') return 'strings'
  if (INSTANTS.has(name) || shape.instants.includes(name)) return 'instant'
  return shape.taxonomies.some((taxonomy) => taxonomy.name === name) ? 'terms' : 'any'
}

/** The keys of a file that mean the field `name`, the one that is read first: Quire's own name, else the first in the file. */
export function keysOf(name: string, data: Readonly<Fields>, shape: Shape): string[] {
  const keys = Object.keys(data).filter((key) => canonicalName(key, shape) === name)
  return keys.includes(name) ? [name, ...keys.filter((key) => key !== name)] : keys
}

/** What `draft` says, also where YAML 1.1 would have read a boolean; undefined where it says neither. */
export function draftOf(data: Readonly<Fields>): boolean | undefined {
  const value = data.draft
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase()
  if (word === 'true' || word === 'yes' || word === 'on') return true
  return word === 'false' || word === 'no' || word === 'off' ? false : undefined
}
