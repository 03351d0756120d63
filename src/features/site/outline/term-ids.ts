import type { ContentType } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'

/** Returns the ids of the terms that a record names, by taxonomy, of those of its type that have any. */
export function termIdsOf(type: ContentType, fields: Readonly<Fields>): Record<string, readonly string[]> {
  const terms: Record<string, readonly string[]> = {}
  for (const { name } of type.taxonomies) {
    const ids = fields[name]
    if (Array.isArray(ids) && ids.length > 0) terms[name] = ids.filter((id) => typeof id === 'string')
  }
  return terms
}
