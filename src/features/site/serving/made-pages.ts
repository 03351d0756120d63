import type { Hints } from '#core/feed/hints.ts'
import type { SitePage, SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'

/** The state of a site that a page is made of, and what makes it. */
interface Made {
  readonly snapshot: SiteSnapshot
  readonly context: RenderContext
}

/** The pages of snapshots: each is made once, and kept with its snapshot as long as the pictures on it are what they were. */
export class MadePages {
  readonly #hints: Hints
  readonly #making = new WeakMap<SiteSnapshot, Map<string, Promise<SitePage | undefined>>>()
  /** The state in which the pictures of a page were looked at last. */
  readonly #looked = new WeakMap<SitePage, number>()

  constructor(hints: Hints) {
    this.#hints = hints
  }

  /** The page of a name: the one that is kept, else one that is made once for all who ask for it meanwhile. */
  page<T extends SitePage | undefined>(name: string, of: Made, make: () => Promise<T>): Promise<SitePage | T> {
    const { pages } = of.snapshot
    const kept = pages.get(name)
    const { state } = this.#hints
    if (kept && (!kept.pictures || this.#looked.get(kept) === state)) return Promise.resolve(kept)
    const making = this.#making.get(of.snapshot) ?? new Map<string, Promise<SitePage | undefined>>()
    this.#making.set(of.snapshot, making)
    // Those of one name are made alike.
    const known = making.get(name) as Promise<SitePage | T> | undefined
    if (known) return known
    const made = this.#made(kept, of, make)
      .then((page) => {
        if (page) this.#looked.set(page, state)
        if (page && page.status !== 308 && page.isKept !== false) pages.set(name, page)
        return page
      })
      .finally(() => making.delete(name))
    making.set(name, made)
    return made
  }

  async #made<T extends SitePage | undefined>(
    kept: SitePage | undefined,
    of: Made,
    make: () => Promise<T>,
  ): Promise<SitePage | T> {
    const { answers } = of.context.views
    const isStill = kept && (await answers.picturesAreStill(new Map(kept.pictures), of.snapshot))
    return isStill ? kept : make()
  }
}
