import type { ContentTypes } from '#core/content-type.ts'
import type { Head } from '#core/document.ts'
import { Hints } from '#core/hints.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import type { Condition } from '#core/query.ts'
import type { Revision } from '#core/revision.ts'
import type { Latest, Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { type SliceQueue, Slices } from '#lib/slices.ts'

/** The last revision of a document, and its head where it is still there. */
export interface LastChange {
  readonly key: Key
  readonly revision: Revision
  readonly head: Head | undefined
}

/** Number of revisions that are asked for at once. */
const AT_ONCE = 500

/** Most changes that are cached as a list. */
const MOST_KEPT = 50_000

/** Dates of a record at which the clock changes its status. */
const CLOCK_FIELDS = ['published_at', 'expires_at'] as const

/** The last change of each document of a store, for nobody's rights. */
export class LastChanges {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #hints: Hints
  readonly #all = new Cache<readonly LastChange[]>({ most: 1 })

  constructor({ store, types, clock }: { store: Store; types: ContentTypes; clock: Clock }) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.#hints = new Hints(store, clock)
  }

  close(): void {
    this.#hints.close()
  }

  /**
   * Lists those from a time on (milliseconds since 1970), the newest revision first, then those whose status the clock changed
   * from then on; all without a time. Undefined where no history is kept.
   */
  async from(time: number | undefined, queue: SliceQueue): Promise<readonly LastChange[] | undefined> {
    const slices = new Slices(queue)
    try {
      return time === undefined ? await this.#whole(slices) : await this.#recent(time, slices)
    } finally {
      slices.end()
    }
  }

  async #whole(slices: Slices): Promise<readonly LastChange[] | undefined> {
    const { state } = this.#hints
    const known = this.#all.get('all', state)
    if (known) return known
    const latest = await this.#store.latest({})
    if (!latest) return undefined
    const all = await this.#withHeads(latest, slices)
    if (all.length <= MOST_KEPT) this.#all.set('all', all, state)
    return all
  }

  async #recent(time: number, slices: Slices): Promise<readonly LastChange[] | undefined> {
    const found: Latest[] = []
    for (let offset = 0; ; offset += AT_ONCE) {
      const part = await this.#store.latest({ offset, limit: AT_ONCE })
      if (!part) return undefined
      found.push(...part.filter(({ at }) => Date.parse(at) >= time))
      if (part.length < AT_ONCE || Date.parse(part.at(-1)?.at ?? '') < time) break
      await slices.pause()
    }
    return [...(await this.#withHeads(found, slices)), ...(await this.#byClock(time, found))]
  }

  /** The others whose status the clock changed from a time on. */
  async #byClock(time: number, others: readonly Latest[]): Promise<LastChange[]> {
    const known = new Set(others.map(({ key }) => keyText(key)))
    const found = new Map<string, LastChange>()
    const [from, until] = [time, this.#clock.now()].map((one) => new Date(one).toISOString())
    for (const kind of await this.#store.kinds()) {
      if (!this.#types.get(kind)) continue
      for (const field of CLOCK_FIELDS) {
        const bounds: Condition[] = [
          { field, op: 'gte', value: from ?? '', as: 'instant' },
          { field, op: 'lte', value: until ?? '', as: 'instant' },
        ]
        const { items } = await this.#store.heads(kind, { where: bounds })
        for (const head of items) {
          const text = keyText(head.key)
          const revision =
            known.has(text) || found.has(text) ? undefined : (await this.#store.history(head.key, { limit: 1 }))?.items[0]
          if (revision) found.set(text, { key: head.key, revision, head })
        }
      }
    }
    return [...found.values()]
  }

  async #withHeads(latest: readonly Latest[], slices: Slices): Promise<LastChange[]> {
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
      const where: Condition[] = [{ field: 'id', op: 'in', value: of, as: 'text' }]
      const { items } = await this.#store.heads(kind, of.length > AT_ONCE ? {} : { where })
      for (const head of items) heads.set(keyText(head.key), head)
      await slices.pause()
    }
    return heads
  }
}
