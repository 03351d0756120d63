import { taxonomyIn } from '#core/queries/comparison.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import { nearest } from '#lib/text/nearest.ts'
import { RECORD_FIELDS } from './reading/present.ts'

/** Front matter that Quire itself acts on, beside the fields every record has. */
export const ACTED_ON: readonly string[] = ['expires_at', 'permalink', 'aliases', 'noindex', 'unlisted', 'own']

/** Fields that no index has. */
const NOT_INDEXED: ReadonlySet<string> = new Set(['body', 'url', 'version', 'type', 'own'])

/** Names of the fields that records of every type can be filtered and sorted by. */
export const COMMON_INDEXED: readonly string[] = [...RECORD_FIELDS, ...ACTED_ON].filter((name) => !NOT_INDEXED.has(name))

/** Names of the fields a record of the type may be answered with, as far as they are declared. */
export function readableFields(type: ContentType): string[] {
  const terms = type.taxonomies.map((kind) => kind.name)
  return [...new Set([...RECORD_FIELDS, ...terms, ...ACTED_ON, ...type.fields.keys()])]
}

/** Names of the fields the type can be filtered and sorted by, as far as they are declared. */
export function indexedFields(type: ContentType): string[] {
  return readableFields(type).filter((name) => !NOT_INDEXED.has(name))
}

/**
 * Returns the reason why a field can't be filtered or sorted by, as a sentence; undefined if it can. An open type that declares
 * no fields accepts any name.
 */
export function indexFault(type: ContentType, name: string): string | undefined {
  const isBarred = NOT_INDEXED.has(name) || taxonomyIn(name) !== undefined
  if (isBarred && !type.fields.has(name)) return `The field "${name}" can't be filtered or sorted by.`
  const isOpen = type.additionalFields && type.fields.size === 0
  return isOpen || indexedFields(type).includes(name) ? undefined : unknownField(name, indexedFields(type))
}

/** As `indexFault`, for a sort key. */
export const sortFault = indexFault

/** Returns the reason why a field can't be requested by `fields`, as a sentence; undefined if it can. */
export function fieldFault(type: ContentType, name: string): string | undefined {
  const known = readableFields(type)
  return type.additionalFields || known.includes(name) ? undefined : unknownField(name, known)
}

/** Returns the reason why a field can't be included, as a sentence; undefined if it is a declared reference. */
export function includeFault(type: ContentType, name: string): string | undefined {
  const references = [...type.fields.values()].filter((field) => targetOf(field) !== undefined).map((field) => field.name)
  if (references.includes(name)) return undefined
  if (references.length === 0) return `The field "${name}" can't be included: the type declares no references.`
  return unknownField(name, references)
}

/** A sentence that names the nearest known field. */
export function unknownField(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return `There is no field "${name}".${near ? ` Did you mean "${near}"?` : ` Known are ${known.join(', ')}.`}`
}
