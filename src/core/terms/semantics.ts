import type { Fields, Json } from '#lib/json.ts'
import type { Head } from '../document.ts'
import { OPERATORS, wantedBy } from '../queries/operators.ts'
import type { Condition, Query } from '../queries/query.ts'
import type { Taxonomy } from '../types/content-type.ts'
import { termId } from './terms.ts'
import type { TermSynonyms } from './tree.ts'

/** The synonyms of each taxonomy that has any, by its name. */
export type Synonyms = ReadonlyMap<string, TermSynonyms>

/**
 * Tells the terms that records mean from what their files say, and the other way round, by the synonyms there are at one time.
 */
export class TermSemantics {
  readonly #synonyms: Synonyms
  /** Other names of each term, by taxonomy and id. */
  readonly #said = new Map<string, Map<string, string[]>>()
  readonly #heads = new WeakMap<Head, Head>()

  constructor(synonyms: Synonyms) {
    this.#synonyms = synonyms
    for (const [taxonomy, terms] of synonyms) {
      const said = new Map<string, string[]>()
      for (const [synonym, id] of terms) {
        const others = said.get(id)
        if (others) others.push(synonym)
        else said.set(id, [synonym])
      }
      this.#said.set(taxonomy, said)
    }
  }

  /** Returns whether any of these taxonomies has a synonym. If not, all terms mean themselves. */
  bearsOn(taxonomies: readonly Taxonomy[]): boolean {
    return taxonomies.some(({ name }) => this.#synonyms.has(name))
  }

  /** The same head, or document, bearing the terms that it means: the same object each time. */
  of<T extends Head>(head: T, taxonomies: readonly Taxonomy[]): T {
    let fields: Fields | undefined
    for (const { name } of taxonomies) {
      const ids = this.#ids(name, head.fields[name])
      if (ids) fields = { ...(fields ?? head.fields), [name]: ids }
    }
    if (!fields) return head
    const known = this.#heads.get(head) as T | undefined
    if (known) return known
    const made = { ...head, fields, saidElsewhere: true as const }
    this.#heads.set(head, made)
    return made
  }

  /** The query that finds, by what files say, what was asked for by ids. */
  query(query: Query, taxonomies: readonly Taxonomy[]): Query {
    if (!query.where?.some(({ field }) => this.#isOf(field, taxonomies))) return query
    const where = query.where.flatMap((one) => (this.#isOf(one.field, taxonomies) ? this.#conditions(one) : one))
    return { ...query, where }
  }

  /**
   * Returns the terms to write to a file: the file's current word for each term, else the id of the term that is meant.
   * `declared` terms mean themselves.
   */
  said(taxonomy: string, terms: Json, now: Json | undefined, declared: ReadonlySet<string> = new Set()): Json {
    const held = new Map<string, string>()
    for (const other of (Array.isArray(now) ? now : []).map(String)) {
      const id = this.#meant(taxonomy, other)
      if (!held.has(id)) held.set(id, other)
    }
    const one = (term: Json): Json => {
      if (typeof term !== 'string') return term
      const said = termId(term)
      const id = declared.has(said) ? said : this.#meant(taxonomy, said)
      return held.get(id) ?? (id === said ? term : id)
    }
    return Array.isArray(terms) ? terms.map(one) : one(terms)
  }

  /** Returns the ids of a taxonomy that records with these counts write in several ways, each with all of its names. */
  merged(taxonomy: string, counts: ReadonlyMap<string, number>): Map<string, string[]> {
    const merged = new Map<string, string[]>()
    for (const [id, synonyms] of this.#said.get(taxonomy) ?? []) {
      const said = [id, ...synonyms].filter((one) => counts.has(one))
      if (said.some((one) => one !== id)) merged.set(id, said)
    }
    return merged
  }

  #isOf(field: string, taxonomies: readonly Taxonomy[]): boolean {
    return this.#synonyms.has(field) && taxonomies.some(({ name }) => name === field)
  }

  /** Returns the ids that are meant; undefined if these are the values as written. */
  #ids(taxonomy: string, value: Json | undefined): string[] | undefined {
    const synonyms = this.#synonyms.get(taxonomy)
    if (!synonyms || !Array.isArray(value) || !value.some((said) => synonyms.has(String(said)))) return undefined
    return [...new Set(value.map((said) => this.#meant(taxonomy, String(said))))]
  }

  #meant(taxonomy: string, said: string): string {
    return this.#synonyms.get(taxonomy)?.get(said) ?? said
  }

  #conditions(condition: Condition): Condition[] {
    const { equals, takes } = OPERATORS[condition.op]
    if (equals === undefined) return [condition]
    const said = wantedBy(condition).flatMap((id): Json[] => (typeof id === 'string' ? this.#all(condition.field, id) : [id]))
    if (equals === 'none') return said.map((one) => ({ ...condition, op: 'ne', value: one }))
    const isOne = takes === 'value' && said.length === 1
    return [isOne ? { ...condition, value: said[0] ?? null } : { ...condition, op: 'in', value: said }]
  }

  #all(taxonomy: string, said: string): string[] {
    const id = this.#meant(taxonomy, said)
    return [id, ...(this.#said.get(taxonomy)?.get(id) ?? [])]
  }
}
