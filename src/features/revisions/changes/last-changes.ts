import type { ContentTypes } from '#core/content-type.ts'
import type { Head } from '#core/document.ts'
import { Hints } from '#core/hints.ts'
import { type Kind, keyText } from '#core/key.ts'
import type { Condition } from '#core/query.ts'
import type { Latest, Store } from '#core/store.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices } from '#lib/slices.ts'
import type { LastChange } from '../../changed-kind.ts'

/** Number of revisions that are asked for at once. */
const AT_ONCE = 500

/** From so many on, the list of all is quicker, and shared. */
const MANY = 2_000

/** From so many that the clock changed on, as well: of each the history is asked. */
const MANY_BY_CLOCK = 100

/** Most changes that are cached as a list. */
const MOST_KEPT = 50_000

/** Most lists of what changed since a time that are cached. */
const MOST_LISTS = 20

/** Dates of a record at which the clock changes its status. */
const CLOCK_FIELDS = ['published_at', 'expires_at'] as const

/** A list of changes; undefined where no history is kept. */
type Changes = readonly LastChange[] | undefined

/** The last change of each document of a store, for nobody's rights. */
export class LastChanges {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #hints: Hints
  /** All who ask for the same meanwhile share one list. */
  readonly #lists = new Cache<Promise<Changes>>({ most: MOST_LISTS })

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
   * Lists the last changes of which some are from a time on (milliseconds since 1970), or all without a time: by their last
   * revisions, or since the clock changed a status. Others may be among them. Undefined where no history is kept.
   */
  from(time?: number): Promise<Changes> {
    return this.#shared(time ?? 'all', () => (time === undefined ? this.#whole() : this.#recent(time)))
  }

  #shared(name: number | 'all', make: () => Promise<Changes>): Promise<Changes> {
    const { state } = this.#hints
    const known = this.#lists.get([name], state)
    if (known) return known
    const list = make()
    const forget = () => {
      if (this.#lists.get([name], state) === list) this.#lists.delete([name])
    }
    list.then((changes) => {
      if (!changes || changes.length > MOST_KEPT) forget()
    }, forget)
    this.#lists.set([name], list, state)
    return list
  }

  async #whole(): Promise<Changes> {
    const latest = await this.#store.latest({})
    return latest && this.#withHeads(latest)
  }

  async #recent(time: number): Promise<Changes> {
    const found: Latest[] = []
    const slices = new Slices()
    for (let offset = 0; ; offset += AT_ONCE) {
      const part = await this.#store.latest({ offset, limit: AT_ONCE })
      if (!part) return undefined
      found.push(...part.filter(({ at }) => Date.parse(at) >= time))
      if (part.length < AT_ONCE || Date.parse(part.at(-1)?.at ?? '') < time) break
      if (found.length >= MANY) return this.from()
      await slices.pause()
    }
    const known = new Set(found.map(({ key }) => keyText(key)))
    const others = (await this.#byClock(time)).filter(({ key }) => !known.has(keyText(key)))
    if (others.length > MANY_BY_CLOCK) return this.from()
    const changes = await this.#withHeads(found)
    for (const head of others) {
      const revision = (await this.#store.history(head.key, { limit: 1 }))?.items[0]
      if (revision) changes.push({ key: head.key, revision, head })
      if (slices.isOver) await slices.pause()
    }
    return changes
  }

  /** The heads of which the clock changed the status from a time on, each once. */
  async #byClock(time: number): Promise<readonly Head[]> {
    const found = new Map<string, Head>()
    const [from = '', until = ''] = [time, this.#clock.now()].map((one) => new Date(one).toISOString())
    for (const kind of await this.#store.kinds()) {
      if (!this.#types.get(kind)) continue
      for (const field of CLOCK_FIELDS) {
        const bounds: Condition[] = [
          { field, op: 'gte', value: from, as: 'instant' },
          { field, op: 'lte', value: until, as: 'instant' },
        ]
        const { items } = await this.#store.heads(kind, { where: bounds })
        for (const head of items) found.set(keyText(head.key), head)
      }
    }
    return [...found.values()]
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
      const where: Condition[] = [{ field: 'id', op: 'in', value: of, as: 'text' }]
      const { items } = await this.#store.heads(kind, of.length > AT_ONCE ? {} : { where })
      for (const head of items) heads.set(keyText(head.key), head)
      await slices.pause()
    }
    return heads
  }
}
