import type { ContentType } from '#core/content-type.ts'
import type { Document } from '#core/document.ts'
import type { Page, Query } from '#core/query.ts'
import type { Store } from '#core/store.ts'

/** What a list is taken from: all that meets what is asked for, in its order. */
export interface Source {
  /** What its records are of. */
  readonly type: ContentType
  page(offset: number, limit: number): Promise<Page<Document>>
  /** How many of it have each value of a field. */
  count(field: string): Promise<ReadonlyMap<string, number>>
  /** The time that a record's status is read at, in milliseconds since 1970; absent where it is now. */
  readonly asOf?: (document: Document) => number
}

/** What is there now. */
export function presentSource(store: Store, type: ContentType, query: Query): Source {
  return {
    type,
    page: (offset, limit) => store.browse(type.name, { ...query, offset, limit }),
    count: (field) => store.count(type.name, query, field),
  }
}
