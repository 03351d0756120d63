import type { Access } from '#core/access/access.ts'
import { namesField } from '#core/queries/comparison.ts'
import { extentOf, narrowedTo } from '#core/queries/extent.ts'
import type { Store } from '#core/store.ts'
import { TermNames } from '#core/terms/names.ts'
import {
  childrenOf,
  type DeclaredTerm,
  type DeclaredTerms,
  declaredTerms,
  family,
  lineage,
  synonymsOf,
  type TermSynonyms,
} from '#core/terms/tree.ts'
import type { ContentType, ContentTypes, Taxonomy } from '#core/types/content-type.ts'
import { readableOf, typesWith } from './kinds.ts'
import type { TermView } from './schema.ts'

/** The dependencies of the counts of terms. */
export interface TermCountsDeps {
  readonly store: Store
  readonly types: ContentTypes
}

/**
 * The terms of one taxonomy that exist for one reader: those that are declared, those that records visible to the reader use, and
 * the terms above either. Other records do not count, and name nothing.
 */
export class TermCounts {
  readonly taxonomy: Taxonomy
  readonly terms: DeclaredTerms
  /** Those whose records the reader may read. */
  readonly types: readonly ContentType[]
  readonly #store: Store
  readonly #access: Access
  readonly #children: ReadonlyMap<string, readonly string[]>
  readonly #ids: ReadonlySet<string>
  readonly #synonyms: TermSynonyms
  /** Number of records that have a term itself. */
  readonly #used: ReadonlyMap<string, number>
  /** Those of terms that are not declared. */
  readonly #names: TermNames

  static async of({ store, types }: TermCountsDeps, access: Access, taxonomy: Taxonomy): Promise<TermCounts> {
    const { items } = await store.heads(`taxonomy/${taxonomy.name}`, {})
    const readable = readableOf(access, await typesWith(store, types, taxonomy))
    const terms = declaredTerms(taxonomy, items)
    const names = new TermNames(terms)
    const used = new Map<string, number>()
    for (const type of readable) {
      const extent = narrowedTo(extentOf(access, type.name))
      for (const [id, count] of await store.count(type.name, extent, taxonomy.name)) used.set(id, (used.get(id) ?? 0) + count)
      for (const [name, count] of await store.count(type.name, extent, namesField(taxonomy.name))) names.add(name, count)
    }
    return new TermCounts({ store, access, taxonomy, types: readable, terms, used, names })
  }

  private constructor(parts: {
    store: Store
    access: Access
    taxonomy: Taxonomy
    types: readonly ContentType[]
    terms: DeclaredTerms
    used: ReadonlyMap<string, number>
    names: TermNames
  }) {
    this.taxonomy = parts.taxonomy
    this.terms = parts.terms
    this.#store = parts.store
    this.#access = parts.access
    this.types = parts.types
    this.#synonyms = synonymsOf(this.terms)
    this.#children = childrenOf(this.terms)
    this.#used = parts.used
    this.#names = parts.names
    this.#ids = new Set([...this.terms.keys(), ...parts.used.keys()].flatMap((id) => lineage(id, this.terms)))
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** The id of the term that is meant by what `termId` makes of a name or an id. */
  meantBy(id: string): string {
    return this.#synonyms.get(id) ?? id
  }

  get ids(): Iterable<string> {
    return this.#ids
  }

  /** The ids of the terms right below one. */
  below(id: string): readonly string[] {
    return this.#children.get(id) ?? []
  }

  /** Returns the declared name, else the one that files visible to the reader write most often. */
  nameOf(id: string): string {
    return this.terms.get(id)?.name ?? this.#names.mostFrequent(id, this.#used.get(id) ?? 0)
  }

  parentOf(id: string): string | undefined {
    return this.terms.get(id)?.parent
  }

  async view(id: string): Promise<TermView> {
    const term: DeclaredTerm | undefined = this.terms.get(id)
    return {
      id,
      type: this.taxonomy.singular,
      name: this.nameOf(id),
      slug: id,
      description: term?.description || null,
      parent: term?.parent ?? null,
      count: await this.count(id),
      declared: term !== undefined,
    }
  }

  /** Counts the records that have the term or one below it, each once. */
  async count(id: string): Promise<number> {
    const used = [...family([id], this.#children)].filter((one) => this.#used.has(one))
    const [only = id, ...others] = used
    if (others.length === 0) return this.#used.get(only) ?? 0
    const where = [{ field: this.taxonomy.name, op: 'in' as const, value: used, as: 'text' as const }]
    let count = 0
    for (const type of this.types) {
      count += (await this.#store.heads(type.name, { where, ...narrowedTo(extentOf(this.#access, type.name)), limit: 0 })).total
    }
    return count
  }
}
