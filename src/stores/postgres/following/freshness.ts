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

/** The changes that a node had taken note of at a moment: up to a sequence, in one of the databases there were. */
export interface AsOf {
  readonly database: number
  readonly sequence: number
}

/** The subject of a cached value: the text of a key, a kind or `ALL_KINDS`, and what was known before it was read. */
interface Reading {
  readonly of: string
  readonly asOf: AsOf
  /** Of what the clock changes. */
  readonly term?: Term
}

/**
 * The end of the feed, as it was once: its last sequence, and the stamp of the change with it (see `ChangeTable`). A database that
 * was set back gives the sequence to another change.
 */
export interface FeedEnd {
  readonly sequence: number
  readonly stamp: string | null
}

/** The end of the feed, before a write and after it. */
export interface Landed {
  readonly before: FeedEnd
  readonly after: FeedEnd
}

interface Site {
  readonly name: string
  readonly place: number
  readonly stamp: string | null
}

interface ChangeRow extends Pick<Site, 'place' | 'stamp'> {
  readonly kind: string
  readonly id: string
}

const BEGINNING: FeedEnd = { sequence: 0, stamp: null }

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
  /** The end of what is taken note of; undefined before the first. */
  #end: FeedEnd | undefined
  /** The sequence up to which anything may have changed: those changes are unknown, or not remembered any more. */
  #cleared = 0
  #gathering: Promise<AsOf> | undefined
  #sent: Promise<AsOf> | undefined
  #onNews: () => void = () => undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** The name of the database in cursors; known once `now` has resolved. */
  get site(): string {
    return this.#name
  }

  /** The end of the feed as of the last change that is taken note of. */
  get end(): FeedEnd {
    return this.#end ?? BEGINNING
  }

  /** Has `onNews` called after any change, by any node. */
  telling(onNews: () => void): void {
    this.#onNews = onNews
  }

  /** Tells which of the databases there were the last one taken note of is. */
  get database(): number {
    return this.#databases
  }

  /** Takes note of all changes before a moment after the call; returns what is known then. */
  now(): Promise<AsOf> {
    this.#gathering ??= this.#gather()
    return this.#gathering
  }

  /** Returns the state of all there was at a moment. */
  stateAt({ database, sequence }: AsOf): State {
    return `${database} ${sequence}`
  }

  /** Returns the state of a document (by its key's text), of a kind, or of `ALL_KINDS`: it is another one after each change. */
  stateOf(name: string): State {
    return `${this.#databases} ${this.#lastChange(name)}`
  }

  /** Caches what was read of a document or kind under its state, unless it has changed since. */
  keep<V extends {}>(cache: Cache<V>, key: CacheKey, value: V, { of, asOf, term }: Reading): void {
    // What another database said, or this one before it was set back, is not true of it.
    if (asOf.database === this.#databases && this.#lastChange(of) <= asOf.sequence) cache.set(key, value, this.stateOf(of), term)
  }

  /** Takes note of this node's own changes, so that they need no query; not if others' are still unknown. */
  wrote({ before, after }: Landed, keys: readonly Key[]): void {
    if (!this.#end || !isSame(this.#end, before)) return
    this.#touch(keys.map((key, at) => ({ key: keyText(key), kind: key.kind, place: before.sequence + 1 + at })))
    this.#end = after
    if (keys.length > 0) this.#onNews()
  }

  /** Asks once for all callers that come until the query is sent. One under way may have been answered before they came. */
  async #gather(): Promise<AsOf> {
    await setImmediate()
    await this.#sent?.catch(() => undefined)
    this.#gathering = undefined
    this.#sent = this.#ask()
    return this.#sent
  }

  async #ask(): Promise<AsOf> {
    const asked = this.#end ?? BEGINNING
    const found = await this.#database.read((db) =>
      sql<Site>`/* prepared */ select name, place, (select stamp from changes where place = site.place) as stamp from site`.execute(
        db,
      ),
    )
    const { name, place: last, stamp } = found.rows[0] ?? { name: '', place: 0, stamp: null }
    const site = { name, end: { sequence: last, stamp } }
    if (this.#isKnown(site, asked)) return this.#asOf(last)
    // With the change that was the last one known: so it shows whether the feed still goes on from there.
    const { rows } = await this.#database.read((db) =>
      sql<ChangeRow>`/* prepared */ select place, stamp, kind, id from changes where place >= ${asked.sequence} and place <= ${last}
        order by place limit ${MOST_BEHIND}`.execute(db),
    )
    return this.#take(site, rows, asked)
  }

  /** Returns whether nothing is new. Since `asked` was the end, this node may have taken note of its own writes. */
  #isKnown({ name, end }: { name: string; end: FeedEnd }, asked: FeedEnd): boolean {
    if (!this.#end || name !== this.#name) return false
    if (end.sequence === asked.sequence) return isSame(end, asked)
    if (end.sequence === this.#end.sequence) return isSame(end, this.#end)
    return end.sequence > asked.sequence && end.sequence < this.#end.sequence
  }

  #take({ name, end }: { name: string; end: FeedEnd }, changes: readonly ChangeRow[], asked: FeedEnd): AsOf {
    const [known, last] = [this.#end, end.sequence]
    const isNew =
      !known || name !== this.#name || !goesOn(changes, asked) || (last <= known.sequence && !this.#isKnown({ name, end }, asked))
    if (!isNew && last <= known.sequence) return this.#asOf(last)
    const unknown = isNew ? [] : changes.filter(({ place }) => place > known.sequence)
    if (isNew) this.#databases++
    if (isNew || unknown.length !== last - known.sequence) this.#clear(last)
    else this.#touch(unknown.map(({ kind, id, place }) => ({ key: `${kind}/${id}`, kind, place })))
    this.#name = name
    this.#end = end
    if (known !== undefined) this.#onNews()
    return this.#asOf(last)
  }

  #asOf(sequence: number): AsOf {
    return { database: this.#databases, sequence }
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

function isSame(one: FeedEnd, other: FeedEnd): boolean {
  return one.sequence === other.sequence && one.stamp === other.stamp
}

/** Returns whether the feed goes on from what was its end; one that lets go of old changes may not have that any more. */
function goesOn([first]: readonly ChangeRow[], { sequence, stamp }: FeedEnd): boolean {
  return first?.place !== sequence || first.stamp === stamp
}
