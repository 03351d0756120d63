import { type Key, keyOf } from '#core/key.ts'
import type { Shape } from '#core/types/content-type.ts'

/** A shape as a type without a schema has it. */
export const shape: Shape = {
  record: true,
  map: { headline: 'summary' },
  defaultStatus: 'published',
  liveStatus: 'published',
  taxonomies: [
    { name: 'categories', singular: 'category', hierarchical: true },
    { name: 'tags', singular: 'tag', hierarchical: false },
  ],
  statuses: new Map(),
  instants: { starts: true },
  claimed: [],
  timezone: 'UTC',
}

export const key: Key = keyOf('posts', '2026~hello-world')
export const md = { extension: 'md' }
