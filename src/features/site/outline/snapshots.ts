import { instantOf } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import { type DeclaredTerms, declaredTerms } from '#core/terms/tree.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Entry, Timed } from './entry.ts'
import { sizesOfSite } from './list-sizes.ts'
import { isInOutline, isShown, type Outline, type OutlinePlace, outlineAfter, outlineOf, type Showing } from './outline.ts'
import type { SiteRecords } from './site-entries.ts'
import { type Place, type SiteSnapshot, type SnapshotParts, snapshotOf } from './site-snapshot.ts'

/** The state from which the next one goes on. */
interface State {
  readonly records: SiteRecords
  readonly outline: Outline
  readonly place: OutlinePlace
  readonly now: number
}

/** Records that changed from so many on are taken in with all others. */
const MANY = 1_000

/**
 * The snapshots of a site, one after the other: each is made of the one before where it is known what changed since, be it by a write
 * or by the clock.
 */
export class Snapshots {
  readonly #parts: SnapshotParts
  readonly #showing: Showing
  readonly #place: Place
  #state: State | undefined
  /** The next time at which the clock may change what is shown of a record, by its name; none where it won't. */
  readonly #moments = new Map<string, number>()

  constructor(parts: SnapshotParts, showing: Showing, place: Place) {
    this.#parts = parts
    this.#showing = showing
    this.#place = place
  }

  /** The snapshot of records as of `now`, in milliseconds since 1970. One at a time. */
  async next(records: SiteRecords, now: number): Promise<SiteSnapshot> {
    const before = this.#state
    const changed = before && before.now <= now ? this.#changedSince(before, records, now) : undefined
    this.#state = before && changed ? this.#after(before, { records, now }, changed) : await this.#whole(records, now)
    const { outline } = this.#state
    let until = Number.POSITIVE_INFINITY
    for (const moment of this.#moments.values()) until = Math.min(until, moment)
    return snapshotOf(this.#parts, { ...this.#place, outline, records, showing: this.#showing, now, until })
  }

  #changedSince({ records: { revision } }: State, records: SiteRecords, now: number): ReadonlySet<string> | undefined {
    const changed = records.since(revision)
    if (!changed) return undefined
    const due = [...this.#moments].flatMap(([name, moment]) => (moment <= now ? [name] : []))
    const all = new Set([...changed, ...due])
    return all.size < MANY ? all : undefined
  }

  #after(before: State, { records, now }: Pick<State, 'records' | 'now'>, changed: ReadonlySet<string>): State {
    const gone: Entry[] = []
    const come: Entry[] = []
    for (const name of changed) {
      const [was, is] = [before.records.entries.get(name), records.entries.get(name)]
      const wasShown = was !== undefined && isInOutline(before.outline, was)
      const isToShow = is !== undefined && isShown(is.timing, is.type, now, this.#showing)
      if (was === is && wasShown === isToShow) continue
      if (wasShown) gone.push(was)
      if (isToShow) come.push(is)
    }
    for (const name of changed) this.#await(name, momentAfter(records.entries.get(name) ?? records.pageless.get(name), now))
    const { place } = before
    return { records, now, place, outline: outlineAfter(before.outline, { gone, come }, place) }
  }

  async #whole(records: SiteRecords, now: number): Promise<State> {
    const { store, types, config } = this.#parts
    const place = { declared: await termsOf(store, types), sizes: sizesOfSite(config.site) }
    this.#moments.clear()
    for (const all of [records.entries, records.pageless])
      for (const [name, record] of all.entries()) this.#await(name, momentAfter(record, now))
    return { records, now, place, outline: outlineOf(records.entries.values(), now, this.#showing, place) }
  }

  #await(name: string, moment: number | undefined): void {
    if (moment === undefined) this.#moments.delete(name)
    else this.#moments.set(name, moment)
  }
}

/** The next time after `now` at which a record begins to be shown, or ends. */
function momentAfter(record: Timed | undefined, now: number): number | undefined {
  if (!record) return undefined
  const { published_at, expires_at } = record.timing
  if (published_at == null && expires_at == null) return undefined
  const moments = [published_at, expires_at].flatMap((value) => instantOf(value) ?? []).filter((moment) => moment > now)
  return moments.length > 0 ? Math.min(...moments) : undefined
}

async function termsOf(store: Store, types: ContentTypes): Promise<Map<string, DeclaredTerms>> {
  const terms = new Map<string, DeclaredTerms>()
  for (const taxonomy of types.taxonomies()) {
    const { items } = await store.heads(`taxonomy/${taxonomy.name}`, {})
    terms.set(taxonomy.name, declaredTerms(taxonomy, items))
  }
  return terms
}
