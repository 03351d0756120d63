import type { Access } from '#core/access/access.ts'
import { bytesOf, type Document, type Version } from '#core/document.ts'
import type { Revision } from '#core/history/revision.ts'
import { noHistory } from '#core/history/revision-name.ts'
import { type Key, keyOf } from '#core/key.ts'
import { type Extent, extentOf, isOwn, isWithin } from '#core/queries/extent.ts'
import { wasLive } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { NotFound } from '#lib/errors.ts'

/** The history of a record, as far as one reader may know. Lists are newest first. */
export interface History {
  readonly key: Key
  /** The record as it is now; undefined where it was removed. */
  readonly document: Document | undefined
  /** Every revision there is. */
  readonly all: readonly Revision[]
  /** Those that exist for the reader. */
  readonly visible: readonly Revision[]
}

const MOST_BYTES = 16 * 1024 * 1024
const VERSION = /^[0-9a-f]{40}$/

/**
 * The revisions of records, for one reader at a time: without content:drafts, only what is live now, and of it what was live
 * then. Whose content:drafts is for their own has beside what is their own now, and of it what was live or their own then.
 */
export class Histories {
  readonly #store: Store
  readonly #clock: Clock
  /** A revision never changes: what was read of one is good as long as it is kept. */
  readonly #read = new Cache<Document>({ bytes: MOST_BYTES, sizeOf: bytesOf })

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Throws NotFound where no revisions are kept of this type's records. */
  async mustBeKept(type: ContentType): Promise<void> {
    if (!(await this.#store.history(keyOf(type.name, 'index'), { limit: 0 }))) throw noHistory()
  }

  /**
   * Resolves with the history of a record. Throws NotFound if revisions are not kept, and if the record never existed, or does
   * not exist for the reader.
   */
  async of(access: Access, type: ContentType, key: Key): Promise<History> {
    const page = await this.#store.history(key, {})
    if (!page) throw noHistory()
    const document = await this.#store.get(key)
    const all = page.items
    const extent = extentOf(access, type.name)
    const history = { key, document, all, visible: all }
    if (extent === 'all') {
      if (!document && all.length === 0) throw new NotFound()
      return history
    }
    if (!(await this.#isThere(type, history, extent))) throw new NotFound()
    const visible: Revision[] = []
    for await (const revision of this.#visible(type, history, extent)) visible.push(revision)
    return { ...history, visible }
  }

  /** Resolves with the last revision that exists for a reader of what does; only the last `limit` ones are looked at. */
  async last(access: Access, type: ContentType, key: Key, limit: number): Promise<Revision | undefined> {
    const all = (await this.#store.history(key, { limit }))?.items ?? []
    const extent = extentOf(access, type.name)
    if (extent === 'all') return all[0]
    for await (const revision of this.#visible(type, { key, document: undefined, all, visible: all }, extent)) return revision
    return undefined
  }

  /** Checks whether a record exists for the reader. One that was removed, and not moved away, exists for its last owner. */
  async #isThere(type: ContentType, history: History, extent: Exclude<Extent, 'all'>): Promise<boolean> {
    const { document, all } = history
    if (document) return isWithin(extent, document.fields, type.statuses, this.#clock.now())
    const [newest] = all
    const last = all.find(({ version }) => version !== undefined)
    if (extent === 'live' || !last || newest?.action === 'moved') return false
    const was = await this.document(history, last)
    return was !== undefined && isOwn(was.fields, extent.own)
  }

  /**
   * The record as it was in a revision, with the dates that the history has for it where its bytes have none; undefined where it
   * was removed in it.
   */
  async document({ key, all }: History, revision: Revision): Promise<Document | undefined> {
    if (revision.version === undefined) return undefined
    const name = [key.kind, key.id, revision.number, revision.version]
    const known = this.#read.get(name)
    if (known) return known
    const found = await this.#store.at(key, revision.number)
    if (!found) return undefined
    const document = { ...datesOf(all, revision), ...found }
    this.#read.set(name, document)
    return document
  }

  /** The record in a version that it once had; undefined where it had none of that name, or the history does not go so far. */
  async inVersion(access: Access, type: ContentType, key: Key, version: Version): Promise<Document | undefined> {
    if (!VERSION.test(version) || !(await this.#store.history(key, { limit: 0 }))) return undefined
    const history = await this.of(access, type, key)
    const revision = history.visible.find((one) => one.version === version)
    const document = revision && (await this.document(history, revision))
    return document?.problem?.severity === 'error' ? undefined : document
  }

  /** Those that were public, or the reader's own. A revision was the record from its own time to that of the next. */
  async *#visible(type: ContentType, history: History, extent: Exclude<Extent, 'all'>): AsyncGenerator<Revision> {
    const own = extent === 'live' ? undefined : extent.own
    let until = this.#clock.now()
    for (const revision of history.all) {
      const from = Date.parse(revision.at)
      const document = await this.document(history, revision)
      const isVisible = document && (isOwn(document.fields, own) || wasLive(document.fields, type.statuses, { from, until }))
      if (isVisible) yield revision
      until = from
    }
  }
}

/**
 * Returns the times at which a record was created and last changed, as of a revision; absent if the history does not go back that
 * far.
 */
export function datesOf(all: readonly Revision[], revision: Revision): { createdAt?: string; updatedAt?: string } {
  const first = all.at(-1) ?? revision
  return { ...(!first.isEnd && { createdAt: first.at }), ...(!revision.isEnd && { updatedAt: revision.at }) }
}
