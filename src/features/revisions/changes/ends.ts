import type { Revision } from '#core/history/revision.ts'
import { instantOf, statusTerm, wasLive } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'
import type { LastChange } from '../../changed-kind.ts'
import type { Histories } from '../../records/histories.ts'

/** The end of a record's time in public. */
export interface End {
  /** In milliseconds since 1970. */
  readonly at: number
  /** The number of the revision that ended it, or the time at which the clock did. */
  readonly number: number
  readonly isDeleted: boolean
}

/** The number of revisions that may still be read for one answer. */
export interface Budget {
  left: number
}

/** Most revisions of a record that are looked at. */
const MOST_REVISIONS = 1_000

/** Most records of which the end is cached. */
const MOST_KEPT = 100_000

/** Finds out when records that are not public stopped being so. */
export class Ends {
  readonly #store: Store
  readonly #histories: Histories
  readonly #clock: Clock
  readonly #known = new Cache<{ readonly end: End | undefined }>({ most: MOST_KEPT })

  constructor({ store, histories, clock }: { store: Store; histories: Histories; clock: Clock }) {
    this.#store = store
    this.#histories = histories
    this.#clock = clock
  }

  /** The last end of a record that is not public now; undefined where it never was. What is read for it is taken off the budget. */
  async of(type: ContentType, change: LastChange, budget: Budget): Promise<End | undefined> {
    const { key, revision, head } = change
    const now = this.#clock.now()
    const name = [key.kind, key.id, revision.number, revision.version ?? '', head?.version ?? '']
    const known = this.#known.get(name, undefined, now)
    if (known) return known.end
    const end = await this.#find(type, change, now, budget)
    const term = head && statusTerm(head.fields, type.statuses, now)
    this.#known.set(name, { end }, undefined, term)
    return end
  }

  async #find(type: ContentType, change: LastChange, now: number, budget: Budget): Promise<End | undefined> {
    const all = (await this.#store.history(change.key, { limit: MOST_REVISIONS }))?.items ?? []
    let next: Revision | undefined
    for (const revision of all) {
      budget.left -= 1
      const from = Date.parse(revision.at)
      const until = next ? Date.parse(next.at) : now
      const fields = await this.#fields(change, all, revision)
      if (fields && wasLive(fields, type.statuses, { from, until })) {
        const over = instantOf(fields.expires_at) ?? Number.POSITIVE_INFINITY
        if (next && Date.parse(next.at) <= over) return endBy(next)
        // What is hidden by an edit that is in no commit yet has no end in the history.
        return over <= now ? { at: over, number: over, isDeleted: false } : undefined
      }
      next = revision
    }
    return undefined
  }

  /** The fields of a revision; undefined where it was removed or could not be read. Those it has now need no reading. */
  async #fields({ key, head }: LastChange, all: readonly Revision[], revision: Revision): Promise<Readonly<Fields> | undefined> {
    const isNow = head !== undefined && revision.version === head.version
    const state = isNow ? head : await this.#histories.document({ key, document: undefined, all, visible: all }, revision)
    return state?.problem?.severity === 'error' ? undefined : state?.fields
  }
}

function endBy({ at, number, version }: Revision): End {
  return { at: Date.parse(at), number, isDeleted: version === undefined }
}
