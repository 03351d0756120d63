import type { Access } from '#core/access/access.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes, Taxonomy } from '#core/types/content-type.ts'
import { Forbidden, NotFound } from '#lib/errors.ts'
import { nearest } from '#lib/text/nearest.ts'

/** Returns the taxonomy that a request names, in singular or plural; undefined if there is none. */
export function taxonomyNamed(types: ContentTypes, name: string): Taxonomy | undefined {
  const all = types.taxonomies()
  return all.find((one) => one.name === name) ?? all.find((one) => one.singular === name)
}

/** As `taxonomyNamed`; NotFound, naming those there are. */
export function mustBeTaxonomy(types: ContentTypes, name: string): Taxonomy {
  const found = taxonomyNamed(types, name)
  if (!found) throw new NotFound(noTaxonomy(types, name))
  return found
}

/** Returns a sentence for an unknown taxonomy, with a similar name or those there are. */
export function noTaxonomy(types: ContentTypes, name: string): string {
  const known = types.taxonomies()
  const near = nearest(
    name,
    known.flatMap((one) => [one.name, one.singular]),
  )
  const names = known.map((one) => one.name).join(', ')
  return `There is no taxonomy "${name}". ${near ? `Did you mean "${near}"?` : names === '' ? 'The site has none.' : `Known are ${names}.`}`
}

/**
 * Returns every type whose records have the taxonomy's terms, among those that are declared or that have a folder in the content.
 */
export async function typesWith(store: Store, types: ContentTypes, taxonomy: Taxonomy): Promise<ContentType[]> {
  const declared = types.declared()
  const names = new Set(declared.map((type) => type.name))
  const implied = (await store.kinds()).filter((kind) => !names.has(kind)).flatMap((kind) => types.get(kind) ?? [])
  return [...declared, ...implied].filter((type) => type.taxonomies.some((one) => one.name === taxonomy.name))
}

/** Of some types those whose records the reader may read. */
export function readableOf(access: Access, types: readonly ContentType[]): ContentType[] {
  return types.filter((type) => access.sees(type.name) && access.may('content:read', type.name))
}

/**
 * Throws Forbidden, naming the right, for a caller who may read nothing; `readable` are the types of which something may be read.
 */
export function mustMayRead(access: Access, readable: readonly ContentType[]): void {
  if (readable.length === 0 && !access.may('content:read')) throw new Forbidden('This needs the right content:read.')
}

/** Throws Forbidden, naming the right, for a caller who may not change terms. */
export function mustMayWrite(access: Access): void {
  if (!access.may('taxonomy:write')) throw new Forbidden('This needs the right taxonomy:write.')
}
