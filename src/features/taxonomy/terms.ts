import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Asked, Note } from '#core/history/revision.ts'
import { parseKey } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes, Taxonomy } from '#core/types/content-type.ts'
import { mustMatch } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { unreadable } from '../records/unreadable.ts'
import { Batch } from './batch.ts'
import { planChange, replaceTerm, stated } from './changing.ts'
import { conflictOf } from './conflicts.ts'
import { readNewTerm, readTermChange } from './input.ts'
import { mustBeTaxonomy, mustMayRead, mustMayWrite } from './kinds.ts'
import { listTerms, type TermListing } from './listing.ts'
import { IMPLIED, mustNotMeet, PastTerms, type TermsDeps, type TermValues } from './past.ts'
import { placeBelow, removeFrom, replacement, taken } from './placing.ts'
import type { TermView } from './schema.ts'
import { TermCounts } from './term-counts.ts'
import { type TermTree, treeOf } from './tree.ts'

/** A term as it is answered; `version` is that of its document, and `implied` where it has none. */
export interface TermAnswer {
  readonly taxonomy: Taxonomy
  readonly view: TermView
  readonly version: string
}

/** The options of a change: `base` is the version it started from, `implied` for that of a term without a document. */
export interface TermOptions extends WriteOptions {
  readonly base?: string | undefined
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

const LONGEST_NOTE = 72

/**
 * The terms of a site, for one reader at a time, as `Records`: a term that is used only by records that the reader may not see
 * does not exist. A change of a term's id, and its removal, is one write over all records that use it, also those that the reader
 * may not see: the right taxonomy:write is for the taxonomy as a whole. Unreadable records stay as they are.
 */
export class Terms {
  readonly #deps: TermsDeps
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #past: PastTerms
  readonly #mutex = new KeyedMutex()

  constructor(deps: TermsDeps) {
    this.#deps = deps
    this.#store = deps.store
    this.#types = deps.types
    this.#past = new PastTerms(deps)
  }

  /** A part of a taxonomy's terms, those whose name or id has `text`; `params` are `page per_page sort parent`. */
  async list(access: Access, kind: string, params: QueryParams = {}, text = ''): Promise<TermListing> {
    return listTerms(await this.#read(access, kind), params, text)
  }

  /** A part of a taxonomy's terms as a tree, each after the one that it is below; `params` are `page` and `per_page`. */
  async tree(access: Access, kind: string, params: QueryParams = {}): Promise<TermTree> {
    return treeOf(await this.#read(access, kind), params)
  }

  async get(access: Access, kind: string, id: string): Promise<TermAnswer> {
    const counts = await this.#read(access, kind)
    await this.#mustBe(access, counts, id)
    this.#past.remember(await this.#document(counts, id))
    return answerOf(counts, id)
  }

  /** The document that declares a term; undefined where none does. */
  async source(access: Access, kind: string, id: string): Promise<Document | undefined> {
    const counts = await this.#read(access, kind)
    await this.#mustBe(access, counts, id)
    return this.#document(counts, id)
  }

  /** The values of a term in a version of its document; undefined where that is not known any more. */
  async inVersion(access: Access, kind: string, id: string, version: string): Promise<TermValues | undefined> {
    const counts = await this.#read(access, kind)
    await this.#mustBe(access, counts, id)
    return this.#past.inVersion(counts, id, version)
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
   * below. With `base`, Conflict with the three sides where others have changed the same since.
   */
  async update(access: Access, kind: string, id: string, input: Fields, options: TermOptions = {}): Promise<TermAnswer> {
    const taxonomy = this.#writable(access, kind)
    return this.#alone(taxonomy, options, async () => {
      const counts = await this.#counts(access, taxonomy)
      await this.#mustBe(access, counts, id)
      checkMatch(counts, id, options)
      const view = await counts.view(id)
      const change = readTermChange(taxonomy, input, view)
      if (options.base !== undefined && options.base !== versionOf(counts, id))
        mustNotMeet(view, change, await this.#past.inVersion(counts, id, options.base))
      if (Object.keys(change).length === 0) return answerOf(counts, id)
      const { batch, message } = await planChange(this.#deps, counts, id, change)
      await this.#write(access, batch, message, options.asked)
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
      await replaceTerm(this.#deps, batch, taxonomy, { id, by: other })
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

  /** One change of a taxonomy at a time; anew where another came before it. */
  #alone<T>(taxonomy: Taxonomy, options: WriteOptions, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(taxonomy.name, () => untilFirst(options, work))
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

  async #document({ terms }: TermCounts, id: string): Promise<Document | undefined> {
    const head = terms.get(id)?.heads[0]
    return head && this.#store.get(head.key)
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
