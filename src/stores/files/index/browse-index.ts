import type { Head } from '#core/document.ts'
import type { Key, Kind } from '#core/key.ts'
import type { Page, Query } from '#core/queries/query.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { KindIndex } from './kind-index.ts'

/** Answers lists, counts and questions of uniqueness from memory, by the clock's now. */
export class BrowseIndex {
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #kinds = new Map<Kind, KindIndex>()

  constructor(types: ContentTypes, clock: Clock) {
    this.#types = types
    this.#clock = clock
  }

  set(head: Head): void {
    const { kind } = head.key
    const index = this.#kinds.get(kind) ?? new KindIndex(this.#types.shape(kind).statuses)
    this.#kinds.set(kind, index)
    index.set(head, this.#clock.now())
  }

  /** As `set` for a head that may differ from the one there in its dates alone; whether it does. */
  redate(head: Head): boolean {
    return this.#kinds.get(head.key.kind)?.redate(head) ?? false
  }

  remove({ kind, id }: Key): void {
    this.#kinds.get(kind)?.remove(id)
  }

  page(kind: Kind, query: Query): Page<Head> {
    const rows = this.#kinds.get(kind)?.find(query, this.#clock.now()) ?? []
    const offset = query.offset ?? 0
    const items = rows.slice(offset, offset + (query.limit ?? rows.length)).map(({ head }) => head)
    return { items, total: rows.length }
  }

  count(kind: Kind, query: Query, by: string): Map<string, number> {
    return new Map(this.#kinds.get(kind)?.count(query, by, this.#clock.now()))
  }

  /** The ids of a kind's documents that have this text in a field. */
  holders(kind: Kind, field: string, value: string): string[] {
    return [...(this.#kinds.get(kind)?.holders(field, value, this.#clock.now()) ?? [])].map(({ head }) => head.key.id)
  }
}
