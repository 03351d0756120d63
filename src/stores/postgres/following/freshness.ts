import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type Key, type Kind, keyText } from '#core/key.ts'
import type { Database } from '../database.ts'

/** From so many changes on that this node does not know of, all that is kept is let go rather than looked through. */
const MOST_BEHIND = 1000

/** Number of changed documents that are remembered: more than usually change while one query is answered. */
const REMEMBERED = 50_000

/** Told of documents that changed, by the texts of their keys and by their kinds; of undefined where all may have. */
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
 * Keeps what is in memory true. Whoever reads asks `now` first: all nodes' writes that were answered before it have then been taken note of, and what
 * was kept of the documents they changed is gone. Those who ask at once share one question to the database.
 */
export class Freshness {
  readonly #database: Database
  readonly #forgetters: Forget[] = []
  readonly #touched = new LRUCache<string, number>({ max: REMEMBERED, dispose: (place, _, why) => this.#unremember(place, why) })
  #name = ''
  /** The last place that what is kept is true of; undefined where nothing can be kept yet. */
  #place: number | undefined
  /** The last place up to which anything may have changed: everything was let go there, or what changed until then is not remembered any more. */
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

  /** Has `forget` called with what changed. */
  forgetting(forget: Forget): void {
    this.#forgetters.push(forget)
  }

  /** Has `onNews` called after anything changed, whoever did it. */
  telling(onNews: () => void): void {
    this.#onNews = onNews
  }

  /** Brings what is kept up to date with a moment after the call; gives the place it is then true of. */
  now(): Promise<number> {
    this.#gathering ??= this.#gather()
    return this.#gathering
  }

  /** Returns whether no change of a document or kind is known since `asOf`. Data that was read then may be kept. */
  isUntouched(name: string, asOf: number): boolean {
    return asOf >= this.#cleared && (this.#touched.peek(name) ?? 0) <= asOf
  }

  /** Takes note of this node's own changes at the places from `first` on, so that they need not be asked for; not where others' are still unknown. */
  wrote(first: number, keys: readonly Key[]): void {
    if (this.#place !== first - 1) return
    this.#forget(keys.map((key, at) => ({ key: keyText(key), kind: key.kind, place: first + at })))
    this.#place = first + keys.length - 1
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
    const known = this.#place ?? 0
    const site = await this.#database.read((db) => sql<Site>`/* prepared */ select name, place from site`.execute(db))
    const { name, place: last } = site.rows[0] ?? { name: '', place: 0 }
    if (this.#place !== undefined && name === this.#name && last >= known && last <= this.#place) return last
    const { rows } = await this.#database.read((db) =>
      sql<ChangeRow>`/* prepared */ select place, kind, id from changes where place > ${known} and place <= ${last}
        order by place limit ${MOST_BEHIND}`.execute(db),
    )
    return this.#take({ name, last }, rows, known)
  }

  /** `asked` is the place that was known when the question was sent: since then this node may have taken note of writes of its own. */
  #take({ name, last }: { name: string; last: number }, changes: readonly ChangeRow[], asked: number): number {
    const known = this.#place
    // A database that was set back to an earlier state is another one.
    const isNew = known === undefined || name !== this.#name || last < asked
    if (!isNew && last <= known) return last
    const unknown = isNew ? [] : changes.filter(({ place }) => place > known)
    if (isNew || unknown.length !== last - known) this.#forgetAll(last)
    else this.#forget(unknown.map(({ kind, id, place }) => ({ key: `${kind}/${id}`, kind, place })))
    this.#name = name
    this.#place = last
    if (known !== undefined) this.#onNews()
    return last
  }

  #forget(changes: readonly { readonly key: string; readonly kind: Kind; readonly place: number }[]): void {
    for (const { key, kind, place } of changes) {
      this.#touched.set(key, place)
      this.#touched.set(kind, place)
    }
    const kinds = new Set(changes.map(({ kind }) => kind))
    for (const forget of this.#forgetters)
      forget(
        changes.map(({ key }) => key),
        kinds,
      )
  }

  /** One write can change more than is remembered: what was asked before it is then not kept, whatever it is about. */
  #unremember(place: number, why: LRUCache.DisposeReason): void {
    if (why === 'evict') this.#cleared = Math.max(this.#cleared, place)
  }

  #forgetAll(place: number): void {
    this.#cleared = place
    for (const forget of this.#forgetters) forget(undefined, new Set())
  }
}
