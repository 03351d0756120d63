import type { Access } from '#core/access.ts'
import type { ContentTypes, Taxonomy } from '#core/content-type.ts'
import { parseKey } from '#core/key.ts'
import type { Asked, Note } from '#core/revision.ts'
import type { Store } from '#core/store.ts'
import { termId } from '#core/terms.ts'
import { mustMatch } from '#http/etag.ts'
import type { QueryParams } from '#http/query.ts'
import { untilFirst } from '#http/until-first.ts'
import type { WriteOptions } from '#http/write-options.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { KeyedMutex } from '#lib/keyed-mutex.ts'
import { unreadable } from '../records/unreadable.ts'
import { Batch } from './batch.ts'
import { conflictOf } from './conflicts.ts'
import { readNewTerm, readTermChange, type TermInput } from './input.ts'
import { mustBeTaxonomy, mustMayRead, mustMayWrite, typesWith } from './kinds.ts'
import { listTerms, type TermListing } from './listing.ts'
import { checkFree, placeBelow, removeFrom, replacement, taken } from './placing.ts'
import type { TermView } from './schema.ts'
import { TermCounts } from './term-counts.ts'

/** A term as it is answered; `version` is that of its document, and `implied` where it has none. */
export interface TermAnswer {
  readonly taxonomy: Taxonomy
  readonly view: TermView
  readonly version: string
}

/** The options for removing a term; with `replaceWith`, an id or a name, that term takes its place. */
export interface RemoveOptions extends WriteOptions {
  readonly replaceWith?: string | undefined
}

/** A term that is gone, and what took its place. */
export interface RemovedTerm {
  readonly taxonomy: Taxonomy
  readonly id: string
  readonly replacedWith: string | undefined
}

/** Name for the version of a term without a document in `If-Match`. */
const IMPLIED = 'implied'
const LONGEST_NOTE = 72

/**
 * The terms of a site, for one reader at a time, as `Records`: a term that is used only by records that the reader may not see
 * does not exist. A change of a term's id, and its removal, is one write over all records that use it, also those that the reader
 * may not see: the right taxonomy:write is for the taxonomy as a whole. Unreadable records stay as they are.
 */
export class Terms {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #mutex = new KeyedMutex()

  constructor({ store, types }: { store: Store; types: ContentTypes }) {
    this.#store = store
    this.#types = types
  }

  /** A part of a taxonomy's terms; `params` are `page per_page sort parent`. */
  async list(access: Access, kind: string, params: QueryParams = {}): Promise<TermListing> {
    return listTerms(await this.#read(access, kind), params)
  }

  async get(access: Access, kind: string, id: string): Promise<TermAnswer> {
    const counts = await this.#read(access, kind)
    await this.#mustBe(access, counts, id)
    return answerOf(counts, id)
  }

  /** Declares a term, also one that records imply already. Conflict where it is declared. */
  async create(access: Access, input: Fields, asked?: Asked): Promise<TermAnswer> {
    mustMayWrite(access)
    const { taxonomy, id, ...term } = readNewTerm(this.#types, input)
    return this.#alone(taxonomy, {}, async () => {
      const counts = await this.#counts(access, taxonomy)
      if (counts.terms.has(id)) throw taken(taxonomy, id)
      const batch = new Batch(taxonomy, counts.terms)
      batch.declare(id, { name: term.name, ...stated(counts, term) })
      placeBelow(counts, batch, id, term.parent)
      await this.#write(access, batch, `Create ${taxonomy.name}/${id}`, asked)
      return this.#fresh(access, taxonomy, id)
    })
  }

  /** The term that was made for what `once` stands for, where the store knows of it. */
  async written(access: Access, once: string): Promise<TermAnswer | undefined> {
    mustMayWrite(access)
    for (const { key } of (await this.#store.written(once)) ?? []) {
      const taxonomy = this.#types.taxonomies().find(({ name }) => key.kind === `taxonomy/${name}`)
      if (taxonomy) return this.#fresh(access, taxonomy, key.id)
    }
    return undefined
  }

  /**
   * Changes what is sent; a term that was implied is declared by it. Another slug is another id, in all records and for the terms
   * below.
   */
  async update(access: Access, kind: string, id: string, input: Fields, options: WriteOptions = {}): Promise<TermAnswer> {
    const taxonomy = this.#writable(access, kind)
    return this.#alone(taxonomy, options, async () => {
      const counts = await this.#counts(access, taxonomy)
      await this.#mustBe(access, counts, id)
      checkMatch(counts, id, options)
      const change = readTermChange(taxonomy, input, await counts.view(id))
      if (Object.keys(change).length === 0) return answerOf(counts, id)
      await this.#change(access, counts, id, change, options.asked)
      return this.#fresh(access, taxonomy, change.id ?? id)
    })
  }

  /**
   * Takes a term out of all records, or puts another in its place. The terms below it go below what was above it, or below the
   * other.
   */
  async remove(access: Access, kind: string, id: string, options: RemoveOptions = {}): Promise<RemovedTerm> {
    const taxonomy = this.#writable(access, kind)
    return this.#alone(taxonomy, options, async () => {
      const counts = await this.#counts(access, taxonomy)
      await this.#mustBe(access, counts, id)
      checkMatch(counts, id, options)
      const other = options.replaceWith === undefined ? undefined : replacement(counts, id, options.replaceWith)
      const batch = new Batch(taxonomy, counts.terms)
      removeFrom(counts, batch, id, other)
      await this.#replace(batch, taxonomy, id, other)
      const what = other === undefined ? 'Delete' : 'Merge'
      await this.#write(
        access,
        batch,
        `${what} ${taxonomy.name}/${id}${other === undefined ? '' : ` into ${other}`}`,
        options.asked,
      )
      return { taxonomy, id, replacedWith: other }
    })
  }

  async #change(access: Access, counts: TermCounts, id: string, change: TermInput, asked?: Asked): Promise<void> {
    const { taxonomy, terms } = counts
    const batch = new Batch(taxonomy, terms)
    const term = terms.get(id)
    const to = change.id ?? id
    if (to !== id) checkFree(counts, id, to)
    const set = { ...stated(counts, change), ...(await this.#aliases(counts, id, change)) }
    if (term) batch.change(term, set, to)
    else batch.declare(to, { name: counts.nameOf(id), ...set })
    if (to !== id) {
      batch.moveChildren(id, () => to)
      await this.#replace(batch, taxonomy, id, to)
    }
    placeBelow(counts, batch, id, change.parent)
    const message = to === id ? `Update ${taxonomy.name}/${id}` : `Rename ${taxonomy.name}/${id} to ${to}`
    await this.#write(access, batch, message, asked)
  }

  /**
   * The earlier ids of a term that changes, where there are more: files that say it by its old id, or by its old name, still mean
   * it.
   */
  async #aliases(counts: TermCounts, id: string, { id: to = id, name }: TermInput): Promise<Fields> {
    const term = counts.terms.get(id)
    const before = new Set(term?.aliases)
    const aliases = new Set([...before].filter((alias) => alias !== to))
    if (to !== id) aliases.add(id)
    const called = term === undefined || name === undefined ? to : termId(term.name)
    if (called !== to && counts.meantBy(called) === id && (await this.#isSaid(counts, called))) aliases.add(called)
    return [...aliases].every((alias) => before.has(alias)) ? {} : { aliases: [...aliases] }
  }

  /** Checks whether a record may refer to a term by this value. The condition `contains` compares with the values in files. */
  async #isSaid({ taxonomy }: TermCounts, value: string): Promise<boolean> {
    const where = [{ field: taxonomy.name, op: 'contains' as const, value, as: 'text' as const }]
    for (const type of await typesWith(this.#store, this.#types, taxonomy)) {
      if ((await this.#store.heads(type.name, { where, limit: 0 })).total > 0) return true
    }
    return false
  }

  /** One change of a taxonomy at a time; anew where another came before it. */
  #alone<T>(taxonomy: Taxonomy, options: WriteOptions, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(taxonomy.name, () => untilFirst(options, work))
  }

  async #replace(batch: Batch, taxonomy: Taxonomy, id: string, by: string | undefined): Promise<void> {
    await batch.replace(this.#store, await typesWith(this.#store, this.#types, taxonomy), id, by)
  }

  async #write(access: Access, batch: Batch, message: string, asked: Asked = {}): Promise<void> {
    const changes = batch.changes()
    const letters = [...message]
    const line = letters.length > LONGEST_NOTE ? `${letters.slice(0, LONGEST_NOTE - 1).join('')}…` : message
    const note: Note = { message: line, ...asked }
    if (changes.length === 0) return
    await this.#store.write(changes, access.author, note).catch((error: unknown) => {
      throw error instanceof Conflict ? conflictOf(access, changes, error) : error
    })
  }

  #writable(access: Access, kind: string): Taxonomy {
    const taxonomy = mustBeTaxonomy(this.#types, kind)
    mustMayWrite(access)
    return taxonomy
  }

  async #read(access: Access, kind: string): Promise<TermCounts> {
    const counts = await this.#counts(access, mustBeTaxonomy(this.#types, kind))
    mustMayRead(access, counts.types)
    return counts
  }

  #counts(access: Access, taxonomy: Taxonomy): Promise<TermCounts> {
    return TermCounts.of({ store: this.#store, types: this.#types }, access, taxonomy)
  }

  async #fresh(access: Access, taxonomy: Taxonomy, id: string): Promise<TermAnswer> {
    return answerOf(await this.#counts(access, taxonomy), id)
  }

  async #mustBe(access: Access, counts: TermCounts, id: string): Promise<void> {
    const { taxonomy, terms } = counts
    if (terms.has(id)) return
    const key = parseKey(`taxonomy/${taxonomy.name}`, id)
    const problem = key && (await this.#store.get(key))?.problem
    if (key && problem?.severity === 'error') throw unreadable(access, problem, key.kind)
    if (!counts.has(id)) throw new NotFound(`The ${taxonomy.singular} was not found.`)
  }
}

async function answerOf(counts: TermCounts, id: string): Promise<TermAnswer> {
  return { taxonomy: counts.taxonomy, view: await counts.view(id), version: versionOf(counts, id) }
}

function versionOf({ terms }: TermCounts, id: string): string {
  return terms.get(id)?.heads[0].version ?? IMPLIED
}

function checkMatch(counts: TermCounts, id: string, { ifMatch }: WriteOptions): void {
  mustMatch(ifMatch, versionOf(counts, id), `The ${counts.taxonomy.singular} has changed since you read it.`)
}

/** Returns the fields of a term's document for an input. */
function stated(counts: TermCounts, { name, description, parent }: TermInput): Fields {
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(parent !== undefined && { parent: parent && counts.meantBy(parent) }),
  }
}
