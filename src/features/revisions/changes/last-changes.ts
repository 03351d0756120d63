import type { Head } from '#core/document.ts'
import { Hints } from '#core/feed/hints.ts'
import { type Kind, keyText } from '#core/key.ts'
import type { Condition } from '#core/queries/query.ts'
import type { Latest, Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { LastChange } from '../../changed-kind.ts'

/** Number of revisions, and of heads, that are asked for at once. */
const AT_ONCE = 500

/** Most changes of one walk. */
const MOST_WALKED = 5_000

/** Most walks that are cached. */
const MOST_WALKS = 20

/** A part of the last changes, the newest first by their last revisions. `isEnd` where none come after that were asked for. */
export interface Walk {
  readonly changes: readonly LastChange[]
  readonly isEnd: boolean
}

/** The last change of each document of a store, for nobody's rights. */
export class LastChanges {
  readonly #store: Store
  readonly #hints: Hints
  readonly #most: number
  /** All who ask for the same meanwhile share one walk. */
  readonly #walks = new Cache<Promise<Walk | undefined>>({ most: MOST_WALKS })

  /** A walk has `most` changes at most. */
  constructor({ store, clock }: { store: Store; clock: Clock }, most = MOST_WALKED) {
    this.#store = store
    this.#hints = new Hints(store, clock)
    this.#most = most
  }

  close(): void {
    this.#hints.close()
  }

  /**
   * Walks through the last changes behind so many of them, as far as to a time (milliseconds since 1970) or a bound. Undefined where
   * no history is kept.
   */
  walk(offset: number, since: number | undefined): Promise<Walk | undefined> {
    const { state } = this.#hints
    const name = [offset, since ?? 'all']
    const known = this.#walks.get(name, state)
    if (known) return known
    const walk = this.#walk(offset, since)
    const forget = () => {
      if (this.#walks.get(name, state) === walk) this.#walks.delete(name)
    }
    walk.then((walked) => walked ?? forget(), forget)
    this.#walks.set(name, walk, state)
    return walk
  }

  async #walk(offset: number, since: number | undefined): Promise<Walk | undefined> {
    const found: Latest[] = []
    const limit = since === undefined ? this.#most : Math.min(AT_ONCE, this.#most)
    let isEnd = false
    for (let walked = 0; walked < this.#most && !isEnd; walked += limit) {
      const part = await this.#store.latest({ offset: offset + walked, limit })
      if (!part) return undefined
      found.push(...part)
      // A store may leave out what has just gone.
      const isLast =
        part.length < limit && (await this.#store.latest({ offset: offset + walked + limit, limit: 1 }))?.length === 0
      isEnd = isLast || (since !== undefined && Date.parse(part.at(-1)?.at ?? '') < since)
    }
    return { changes: await this.#withHeads(found), isEnd }
  }

  /** The last change of a document that is there; undefined where it has no history. */
  async of(head: Head): Promise<LastChange | undefined> {
    const revision = (await this.#store.history(head.key, { limit: 1 }))?.items[0]
    return revision && { key: head.key, revision, head }
  }

  async #withHeads(latest: readonly Latest[]): Promise<LastChange[]> {
    const slices = new Slices()
    const heads = await this.#headsOf(latest, slices)
    const all: LastChange[] = []
    for (const revision of latest) {
      const { key } = revision
      // Unreadable documents are in no list.
      const head = heads.get(keyText(key)) ?? (revision.version === undefined ? undefined : await this.#store.head(key))
      all.push({ key, revision, head })
      if (slices.isOver) await slices.pause()
    }
    return all
  }

  async #headsOf(latest: readonly Latest[], slices: Slices): Promise<Map<string, Head>> {
    const ids = new Map<Kind, string[]>()
    for (const { key } of latest) {
      const others = ids.get(key.kind)
      if (others) others.push(key.id)
      else ids.set(key.kind, [key.id])
    }
    const heads = new Map<string, Head>()
    for (const [kind, of] of ids) {
      for (let n = 0; n < of.length; n += AT_ONCE) {
        const where: Condition[] = [{ field: 'id', op: 'in', value: of.slice(n, n + AT_ONCE), as: 'text' }]
        const { items } = await this.#store.heads(kind, { where })
        for (const head of items) heads.set(keyText(head.key), head)
        await slices.pause()
      }
    }
    return heads
  }
}
