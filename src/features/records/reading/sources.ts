import type { Document } from '#core/document.ts'
import type { Page, Query } from '#core/queries/query.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'

/** The source of a list: all records that match a request, in its order. */
export interface Source {
  /** Type of its records. */
  readonly type: ContentType
  page(offset: number, limit: number): Promise<Page<Document>>
  /** Counts its records by the value of a field. */
  count(field: string): Promise<ReadonlyMap<string, number>>
  /** The time that a record's status is read at, in milliseconds since 1970; absent where it is now. */
  readonly asOf?: (document: Document) => number
}

/** Returns a source of the current records. */
export function presentSource(store: Store, type: ContentType, query: Query): Source {
  return {
    type,
    page: (offset, limit) => store.browse(type.name, { ...query, offset, limit }),
    count: (field) => store.count(type.name, query, field),
  }
}
