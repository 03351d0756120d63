import type { Document } from '#core/document.ts'
import type { Extent } from '#core/queries/extent.ts'
import type { Condition, Query } from '#core/queries/query.ts'
import type { SearchIndex } from '#core/queries/search.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { queryOf } from '#fulltext/query.ts'
import { composed } from '#lib/text/normal-form.ts'
import { presentSource, type Source } from './sources.ts'

/** The dependencies of a search for records by their words. */
export interface ListSearch {
  /** Asked for when it is first needed, and not closed here. */
  readonly index: () => SearchIndex
  /** The language of the texts, as `site.locale` has it. */
  readonly locale: string
}

/** Lists of what a search finds. Loaded at the first of them: the words of a language take a while to learn. */
export class FoundLists {
  readonly #store: Store
  readonly #index: SearchIndex
  readonly #analyser: Analyser

  constructor(store: Store, { index, locale }: ListSearch) {
    this.#store = store
    this.#index = index()
    this.#analyser = new Analyser(locale)
  }

  /** Finds the matching part of a query's list, in the order of the query, or else best match first. */
  async source(type: ContentType, q: string, { sort, ...query }: Query): Promise<Source> {
    const { hits } = await this.#index.find({
      clauses: queryOf(composed(q), this.#analyser),
      readable: new Map([[type.name, extentIn(query)]]),
      kind: type.name,
      offset: 0,
      limit: undefined,
    })
    const ids = hits.map(({ key }) => key.id)
    const found = among(query, ids)
    if (sort) return presentSource(this.#store, type, { ...found, sort })
    const there = await this.#store.count(type.name, found, 'id')
    const best = ids.filter((id) => there.has(id))
    return {
      type,
      page: async (offset, limit) => ({
        items: await this.#best(type, query, best.slice(offset, offset + limit)),
        total: best.length,
      }),
      count: (field) => this.#store.count(type.name, found, field),
    }
  }

  async #best(type: ContentType, query: Query, ids: readonly string[]): Promise<Document[]> {
    const { items } = await this.#store.browse(type.name, among(query, ids))
    const byId = new Map(items.map((document) => [document.key.id, document]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
}

function extentIn({ live, own }: Query): Extent {
  if (!live) return 'all'
  return own === undefined ? 'live' : { own }
}

function among(query: Query, ids: readonly string[]): Query {
  const named: Condition = { field: 'id', op: 'in', value: [...ids], as: 'text' }
  return { ...query, where: [...(query.where ?? []), named] }
}
