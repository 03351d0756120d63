import type { Hints } from '#core/feed/hints.ts'
import { Cache } from '#lib/cache.ts'
import type { SitePage, SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RenderContext } from '../pages/pages.ts'
import type { Theme } from '../theme/theme.ts'

/** The state of a site that a page is made of, and what makes it. */
interface Made {
  readonly snapshot: SiteSnapshot
  readonly context: RenderContext
}

/** A page that is kept, and what it is known to be true of. */
interface Kept {
  readonly page: SitePage
  readonly theme: Theme
  /** The number of the snapshot. */
  snapshot: number
  /** The state in which its pictures were looked at last. */
  looked: number
}

const KEPT_BYTES = 32 * 1024 * 1024
/** Approximate bytes of a question with its answer, beside those of their texts. */
const OF_QUESTION = 100

/**
 * The pages of a site. One is kept as long as all that it was made of is what it was: that is looked at when it is asked for and the
 * site is in another state by then. It is made once for all who ask for it meanwhile.
 */
export class MadePages {
  readonly #hints: Hints
  readonly #kept = new Cache<Kept>({ bytes: KEPT_BYTES, sizeOf: ({ page }) => sizeOf(page) })
  readonly #making = new WeakMap<SiteSnapshot, Map<string, Promise<SitePage | undefined>>>()
  readonly #numbers = new WeakMap<SiteSnapshot, number>()
  #snapshots = 0

  constructor(hints: Hints) {
    this.#hints = hints
  }

  /** The page of a name; see `servedAt`. */
  page(name: string, of: Made): Promise<SitePage | undefined> {
    const kept = this.#kept.get(name)
    const { state } = this.#hints
    const isOfNow = kept?.snapshot === this.#numberOf(of.snapshot) && kept.theme === of.context.theme
    if (kept && isOfNow && (!kept.page.pictures || kept.looked === state)) return Promise.resolve(kept.page)
    const making = this.#making.get(of.snapshot) ?? new Map<string, Promise<SitePage | undefined>>()
    this.#making.set(of.snapshot, making)
    const known = making.get(name)
    if (known) return known
    const made = this.#made(name, kept, of)
      .then((page) => {
        if (page && page.status !== 308 && page.isKept !== false) this.#keep(name, page, of, state)
        return page
      })
      .finally(() => making.delete(name))
    making.set(name, made)
    return made
  }

  #keep(name: string, page: SitePage, { snapshot, context: { theme } }: Made, looked: number): void {
    const known = this.#kept.get(name)
    const number = this.#numberOf(snapshot)
    if (known?.page === page) Object.assign(known, { snapshot: number, looked })
    else this.#kept.set(name, { page, theme, snapshot: number, looked })
  }

  async #made(name: string, kept: Kept | undefined, of: Made): Promise<SitePage | undefined> {
    const { isStill, servedAt } = await import('./served-page.ts')
    const { snapshot, context } = of
    if (kept?.theme === context.theme && kept.snapshot === this.#numberOf(snapshot)) {
      if (await context.views.answers.picturesAreStill(new Map(kept.page.pictures), snapshot)) return kept.page
    } else if (kept?.theme === context.theme && kept.page.madeOf) {
      if (await isStill(name, kept.page.madeOf, of)) return kept.page
    }
    return servedAt(name, of)
  }

  #numberOf(snapshot: SiteSnapshot): number {
    const number = this.#numbers.get(snapshot) ?? ++this.#snapshots
    this.#numbers.set(snapshot, number)
    return number
  }
}

function sizeOf({ body, madeOf }: SitePage): number {
  let size = body.length
  for (const [question, answer] of madeOf?.asked ?? []) size += OF_QUESTION + question.length + (answer?.length ?? 0)
  return size + (madeOf?.inputs.length ?? 0)
}
