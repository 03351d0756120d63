import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Key, type Kind, keyText } from '#core/key.ts'
import type { Database } from '../database.ts'

/** Number of changes unknown to this node from which on the caches are dropped whole. */
const MOST_BEHIND = 1000

/** Number of changed documents that are remembered: more than usually change while one query is answered. */
const REMEMBERED = 50_000

/** A callback for documents that changed: the texts of their keys, undefined if all may have changed, and their kinds. */
type Forget = (texts: readonly string[] | undefined, kinds: ReadonlySet<Kind>) => void

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
 * Keeps caches true. Readers await `now` first: it has then taken note of all nodes' writes that were answered before the call,
 * and what was cached of the documents they changed is dropped. Callers at the same time share one query.
 */
export class Freshness {
  readonly #database: Database
  readonly #forgetters: Forget[] = []
  readonly #touched = new LRUCache<string, number>({ max: REMEMBERED, dispose: (at, _, why) => this.#unremember(at, why) })
  #name = ''
  /** The sequence up to which the caches are true; undefined if nothing can be cached yet. */
  #sequence: number | undefined
  /** The sequence up to which anything may have changed: all was dropped there, or those changes are not remembered any more. */
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

  /** Registers a callback for changes. */
  forgetting(forget: Forget): void {
    this.#forgetters.push(forget)
  }

  /** Has `onNews` called after any change, by any node. */
  telling(onNews: () => void): void {
    this.#onNews = onNews
  }

  /** Brings the caches up to date with a moment after the call; returns the sequence it is then true of. */
  now(): Promise<number> {
    this.#gathering ??= this.#gather()
    return this.#gathering
  }

  /** Returns whether no change of a document or kind is known since `asOf`. Data that was read then may be kept. */
  isUntouched(name: string, asOf: number): boolean {
    return asOf >= this.#cleared && (this.#touched.peek(name) ?? 0) <= asOf
  }

  /**
   * Takes note of this node's own changes from sequence `first` on, so that they need no query; not if others' are still unknown.
   */
  wrote(first: number, keys: readonly Key[]): void {
    if (this.#sequence !== first - 1) return
    this.#forget(keys.map((key, at) => ({ key: keyText(key), kind: key.kind, sequence: first + at })))
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
    if (isNew || unknown.length !== last - known) this.#forgetAll(last)
    else this.#forget(unknown.map(({ kind, id, place }) => ({ key: `${kind}/${id}`, kind, sequence: place })))
    this.#name = name
    this.#sequence = last
    if (known !== undefined) this.#onNews()
    return last
  }

  #forget(changes: readonly { readonly key: string; readonly kind: Kind; readonly sequence: number }[]): void {
    for (const { key, kind, sequence } of changes) {
      this.#touched.set(key, sequence)
      this.#touched.set(kind, sequence)
    }
    const kinds = new Set(changes.map(({ kind }) => kind))
    for (const forget of this.#forgetters)
      forget(
        changes.map(({ key }) => key),
        kinds,
      )
  }

  /** One write can change more than is remembered: answers from before it are then not cached. */
  #unremember(sequence: number, why: LRUCache.DisposeReason): void {
    if (why === 'evict') this.#cleared = Math.max(this.#cleared, sequence)
  }

  #forgetAll(sequence: number): void {
    this.#cleared = sequence
    for (const forget of this.#forgetters) forget(undefined, new Set())
  }
}
