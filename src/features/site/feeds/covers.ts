import { isTaken } from '#core/permalink.ts'
import { Cache } from '#lib/cache.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { placesAt } from '../files/addresses.ts'
import { type Answers, placeOf } from '../files/asked.ts'
import { fieldsShown } from '../files/fields.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { targetAt } from '../outline/targets.ts'
import { namedIn, wholeAddress } from '../pages/page-image.ts'
import { isPictureName, MEDIA, pathOnSite, type SitePictures } from '../pictures/site-pictures.ts'

/** The sources of what is known about files. */
interface CoverParts {
  readonly answers: Pick<Answers, 'mediaAt'>
  readonly pictures: Pick<SitePictures, 'isThere'>
  readonly clock: Clock
}

/** The address of a file that was looked for, or '' where there is none. */
type Found = string

/** Milliseconds for which it is trusted that a file is, or is not, where it was looked for. */
export const TRUSTED_MS = 60_000
/** Most places of files that are remembered: about one for each cover. */
const MOST_KNOWN = 100_000
const AT_ONCE = 16

/**
 * Finds the pictures that records name as their own, as their pages show them. Who a file belongs to, and so if anyone may see it, is
 * asked of each snapshot; only if it is there is remembered, since that is asked of the disk or the database.
 */
export class Covers {
  readonly #parts: CoverParts
  readonly #known = new Cache<{ readonly found: Found }>({ most: MOST_KNOWN })

  constructor(parts: CoverParts) {
    this.#parts = parts
  }

  /** Has all files looked for anew. */
  forget(): void {
    this.#known.clear()
  }

  /** The whole addresses of the pictures of records: of those that name one which is served, or one elsewhere. */
  async of(entries: readonly Entry[], snapshot: SiteSnapshot): Promise<ReadonlyMap<Entry, string>> {
    const covers = new Map<Entry, string>()
    const slices = new Slices()
    let finding: Promise<void>[] = []
    for (const entry of entries) {
      if (!entry.pictured) continue
      const found = this.#of(entry, snapshot).then((address) => {
        if (address !== undefined) covers.set(entry, address)
      })
      finding.push(found)
      if (finding.length < AT_ONCE) continue
      await Promise.all(finding)
      finding = []
      if (slices.isOver) await slices.pause()
    }
    await Promise.all(finding)
    return covers
  }

  async #of(entry: Entry, snapshot: SiteSnapshot): Promise<string | undefined> {
    const place = placeOf(entry, snapshot, snapshot.base)
    const mediaAt = (path: string) => this.#mediaAt(path)
    const fields = await fieldsShown({ fields: entry.pictured ?? {} }, entry.type, place, mediaAt)
    const named = await namedIn(fields, place, mediaAt)
    const url = named && wholeAddress(named.src, place, snapshot.origin)
    if (!url) return undefined
    const isOwn = url.origin === snapshot.origin && url.pathname.startsWith(`${snapshot.base}/`)
    return !isOwn || (await this.#isShown(url.href, snapshot)) ? url.href : undefined
  }

  /** Returns whether a picture of the site is at an address, for everyone. */
  async #isShown(href: string, snapshot: SiteSnapshot): Promise<boolean> {
    const path = pathOnSite(href, snapshot)
    if (path === undefined || !isPictureName(path)) return false
    const isMedia = path.startsWith(MEDIA)
    if (!isMedia && (isTaken(path) || targetAt(snapshot.outline, path))) return false
    const places = isMedia ? [] : placesAt(path, snapshot).map((one) => `${one.area}/${one.path}`)
    if (!isMedia && places.length === 0) return false
    // The same address may be that of another file tomorrow, or of one that is not shown.
    const found = await this.#once(['file', path, ...places], async () =>
      (await this.#parts.pictures.isThere(path, snapshot)) ? path : '',
    )
    return found !== ''
  }

  async #mediaAt(path: string): Promise<string | undefined> {
    const found = await this.#once(['media', path], async () => (await this.#parts.answers.mediaAt(path)) ?? '')
    return found === '' ? undefined : found
  }

  async #once(name: readonly string[], look: () => Promise<Found>): Promise<Found> {
    const now = this.#parts.clock.now()
    const known = this.#known.get(name, undefined, now)
    if (known) return known.found
    const found = await look()
    this.#known.set(name, { found }, undefined, { from: now, until: now + TRUSTED_MS })
    return found
  }
}
