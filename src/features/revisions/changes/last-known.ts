import type { Access } from '#core/access/access.ts'
import type { Revision } from '#core/history/revision.ts'
import { extentOf } from '#core/queries/extent.ts'
import type { ContentType } from '#core/types/content-type.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import type { LastChange } from '../../changed-kind.ts'
import type { Histories } from '../../records/histories.ts'

/** Most revisions of a record that are looked at. */
const MOST_REVISIONS = 1_000

/** Most records of which the revision is cached, and for how long: one may become known as its time comes. */
const MOST_KEPT = 100_000
const KEPT_MS = 60_000

/** Finds the last revisions that readers may know of. */
export class LastKnown {
  readonly #histories: Histories
  readonly #clock: Clock
  readonly #found = new Cache<{ readonly revision: Revision | undefined }>({ most: MOST_KEPT })

  constructor({ histories, clock }: { histories: Histories; clock: Clock }) {
    this.#histories = histories
    this.#clock = clock
  }

  /**
   * The last revision of a record that is there for the reader. An edit in the folder, in no commit yet, may make public what was
   * a draft in its last ones. Undefined where there is none.
   */
  async of(access: Access, type: ContentType, { key, revision, head }: LastChange): Promise<Revision | undefined> {
    const extent = extentOf(access, type.name)
    if (extent === 'all' || !head || head.version === revision.version) return revision
    const now = this.#clock.now()
    const name = [key.kind, key.id, revision.number, revision.version ?? '', extent === 'live' ? [] : [extent.own]]
    const known = this.#found.get(name, undefined, now)
    if (known) return known.revision
    const found = { revision: await this.#histories.last(access, type, key, MOST_REVISIONS) }
    this.#found.set(name, found, undefined, { from: now, until: now + KEPT_MS })
    return found.revision
  }
}
