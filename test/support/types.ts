import type { ContentTypes } from '#core/types/content-type.ts'
import { contentTypes, type TypeInput } from '#core/types/types.ts'

/** The types of a site whose configuration says nothing but, perhaps, these types. For tests that need no configuration. */
export function plainTypes(types: Readonly<Record<string, TypeInput>> = {}, timezone = 'UTC'): ContentTypes {
  return contentTypes({
    types,
    taxonomies: { categories: { singular: 'category', hierarchical: true }, tags: { singular: 'tag', hierarchical: false } },
    statuses: {
      draft: { live: false, to: ['in_review', 'published'] },
      in_review: { live: false, to: ['draft', 'published'] },
      published: { live: true, to: ['draft', 'archived'] },
      archived: { live: false, to: ['draft'] },
    },
    timezone,
  })
}
