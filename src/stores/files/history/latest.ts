import { type Key, keyText } from '#core/key.ts'
import type { Latest, Part } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { compareText } from '#lib/text/compare.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { pathOf } from '../registry/registry.ts'
import type { DateBook } from './date-book.ts'
import type { History } from './history.ts'
import type { PastLists } from './lists.ts'
import type { RecordPlaces } from './record-log.ts'

/** From so many records on, reading the whole history once is quicker than the log of each. */
const MANY = 200

/** Number of records whose last revision is asked for at once. */
const AT_ONCE = 50

/** The sources of the last revisions. */
export interface LatestDeps {
  readonly history: History
  readonly lists: PastLists
  readonly registry: FileRegistry
  readonly places: RecordPlaces
}

/** A record, and when it was last changed or removed, in milliseconds since 1970. */
interface Dated {
  readonly key: Key
  readonly at: number
}

/** Lists the last revision of each record: chosen by the dates in memory, so that only the log of those that are listed is read. */
export class LatestRevisions {
  readonly #deps: LatestDeps

  constructor(deps: LatestDeps) {
    this.#deps = deps
  }

  /** As `Store.latest`. */
  async list(book: DateBook, { offset = 0, limit = Number.POSITIVE_INFINITY }: Part): Promise<Latest[]> {
    const { history, lists } = this.#deps
    const chosen = (await this.#newest(book, offset + limit)).slice(offset)
    if (chosen.length > MANY) await lists.prepare(new Set(chosen.map(({ key }) => key.kind)))
    const found: Latest[] = []
    const slices = new Slices()
    for (let n = 0; n < chosen.length; n += AT_ONCE) {
      const some = chosen.slice(n, n + AT_ONCE)
      const revisions = await Promise.all(some.map(({ key }) => history.last(key)))
      found.push(...revisions.flatMap((revision, at) => (revision && some[at] ? { ...revision, key: some[at].key } : [])))
      if (slices.isOver) await slices.pause()
    }
    return found
  }

  /** The first so many, of which there are far more. */
  async #newest(book: DateBook, count: number): Promise<Dated[]> {
    const slices = new Slices()
    let best: Dated[] = []
    for (const dated of this.#all(book)) {
      best.push(dated)
      if (best.length >= 2 * count + MANY) best = best.sort(newestFirst).slice(0, count)
      if (slices.isOver) await slices.pause()
    }
    return best.sort(newestFirst).slice(0, count)
  }

  /** Each once: of several files that claim an id none is the record, and the first stands for them. */
  *#all(book: DateBook): Generator<Dated> {
    const { registry, places } = this.#deps
    for (const entry of registry.folders.contentEntries()) {
      const { key } = entry.head
      const stamps = registry.claims(key)[0] === entry ? book.of(pathOf(entry)) : undefined
      if (stamps) yield { key, at: stamps.updated ?? 0 }
    }
    const removed = new Map<string, Dated>()
    for (const [path, { gone }] of book.all()) {
      const key = gone === undefined ? undefined : places.keyAt(path)
      if (!key || gone === undefined || places.present(key) !== undefined) continue
      const text = keyText(key)
      if ((removed.get(text)?.at ?? 0) <= gone) removed.set(text, { key, at: gone })
    }
    yield* removed.values()
  }
}

function newestFirst(one: Dated, other: Dated): number {
  return other.at - one.at || compareText(one.key.kind, other.key.kind) || compareText(one.key.id, other.key.id)
}
