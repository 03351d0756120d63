import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Key, type Kind, keyText } from '#core/key.ts'
import type { Cache, CacheKey, State, Term } from '#lib/cache.ts'
import type { Database } from '../database.ts'

/** Number of changes unknown to this node from which on anything counts as changed. */
const MOST_BEHIND = 1000

/** Number of documents and kinds whose last changes are remembered. */
const REMEMBERED = 50_000

/** The name of the list of kinds; it is no kind and no key. */
export const ALL_KINDS = ''

/** The subject of a cached value: the text of a key, a kind or `ALL_KINDS`, and the sequence that was known before it was read. */
interface Reading {
  readonly of: string
  readonly asOf: number
  /** Of what the clock changes. */
  readonly term?: Term
}

interface Site {
  readonly name: string
  readonly place: number
}

interface ChangeRow {
  readonly place: number
  readonly kind: string
  readonly id: string
}

/**
 * Tells the state of documents and kinds, for caches. Readers await `now` first: it has then taken note of all nodes' writes that
 * were answered before the call. Callers at the same time share one query.
 */
export class Freshness {
  readonly #database: Database
  /** The sequence of the last change of documents and kinds, by the texts of keys and by kind. */
  readonly #touched = new Map<string, number>()
  #name = ''
  /** Counts the databases there were: sequences of one say nothing of another. */
  #databases = 0
  /** The last sequence that is taken note of; undefined before the first. */
  #sequence: number | undefined
  /** The sequence up to which anything may have changed: those changes are unknown, or not remembered any more. */
  #cleared = 0
  #gathering: Promise<number> | undefined
  #sent: Promise<number> | undefined
  #onNews: () => void = () => undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The name of the database in cursors; known once `now` has resolved. */
  get site(): string {
    return this.#name
  }

  /** Has `onNews` called after any change, by any node. */
  telling(onNews: () => void): void {
    this.#onNews = onNews
  }

  /** Takes note of all changes before a moment after the call; returns their last sequence. */
  now(): Promise<number> {
    this.#gathering ??= this.#gather()
    return this.#gathering
  }

  /** Returns the state of a document (by its key's text), of a kind, or of `ALL_KINDS`: it is another one after each change. */
  stateOf(name: string): State {
    return `${this.#databases} ${this.#lastChange(name)}`
  }

  /** Caches what was read of a document or kind under its state, unless it has changed since. */
  keep<V extends {}>(cache: Cache<V>, key: CacheKey, value: V, { of, asOf, term }: Reading): void {
    if (this.#lastChange(of) <= asOf) cache.set(key, value, this.stateOf(of), term)
  }

  /**
   * Takes note of this node's own changes from sequence `first` on, so that they need no query; not if others' are still unknown.
   */
  wrote(first: number, keys: readonly Key[]): void {
    if (this.#sequence !== first - 1) return
    this.#touch(keys.map((key, at) => ({ key: keyText(key), kind: key.kind, place: first + at })))
    this.#sequence = first + keys.length - 1
    if (keys.length > 0) this.#onNews()
  }

  /** Asks once for all callers that come until the query is sent. One under way may have been answered before they came. */
  async #gather(): Promise<number> {
    await setImmediate()
    await this.#sent?.catch(() => undefined)
    this.#gathering = undefined
    this.#sent = this.#ask()
    return this.#sent
  }

  async #ask(): Promise<number> {
    const known = this.#sequence ?? 0
    const site = await this.#database.read((db) => sql<Site>`/* prepared */ select name, place from site`.execute(db))
    const { name, place: last } = site.rows[0] ?? { name: '', place: 0 }
    if (this.#sequence !== undefined && name === this.#name && last >= known && last <= this.#sequence) return last
    const { rows } = await this.#database.read((db) =>
      sql<ChangeRow>`/* prepared */ select place, kind, id from changes where place > ${known} and place <= ${last}
        order by place limit ${MOST_BEHIND}`.execute(db),
    )
    return this.#take({ name, last }, rows, known)
  }

  /** `asked` is the sequence that was known when the query was sent: this node may have taken note of its own writes since. */
  #take({ name, last }: { name: string; last: number }, changes: readonly ChangeRow[], asked: number): number {
    const known = this.#sequence
    // A database that was set back to an earlier state is another one.
    const isNew = known === undefined || name !== this.#name || last < asked
    if (!isNew && last <= known) return last
    const unknown = isNew ? [] : changes.filter(({ place }) => place > known)
    if (isNew) this.#databases++
    if (isNew || unknown.length !== last - known) this.#clear(last)
    else this.#touch(unknown.map(({ kind, id, place }) => ({ key: `${kind}/${id}`, kind, place })))
    this.#name = name
    this.#sequence = last
    if (known !== undefined) this.#onNews()
    return last
  }

  #lastChange(name: string): number {
    return this.#touched.get(name) ?? this.#cleared
  }

  #touch(changes: readonly { readonly key: string; readonly kind: Kind; readonly place: number }[]): void {
    for (const { key, kind, place } of changes) {
      // A kind stays one when the last of it is gone.
      if (!this.#touched.has(kind)) this.#touched.set(ALL_KINDS, place)
      this.#touched.set(kind, place)
      this.#touched.set(key, place)
    }
    if (this.#touched.size > REMEMBERED) this.#clear(changes.at(-1)?.place ?? this.#cleared)
  }

  #clear(sequence: number): void {
    this.#cleared = sequence
    this.#touched.clear()
  }
}
