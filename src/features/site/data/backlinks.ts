import { keyText } from '#core/key.ts'
import type { Destination } from '#core/links/destination.ts'
import { unescaped } from '#core/links/moved-links.ts'
import { leadsElsewhere, resolveHref } from '#core/links/resolve.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import { plainPath } from '#core/permalink.ts'
import { Cache } from '#lib/cache.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { isFileName } from '#markdown/rules/wikilinks.ts'
import { placeOf } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import { newestFirst } from '../outline/order.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { targetAt } from '../outline/targets.ts'
import type { ShownDocuments } from '../pages/shown-documents.ts'

/** The records that link to each, the newest first, by its key as a text. */
export type LinkingRecords = ReadonlyMap<string, readonly Entry[]>

/** The most records that are named with one that they link to. */
const MOST = 100
/** The most links of a text that count, and the most texts whose links are kept. */
const MOST_LINKS = 1_000
const KEPT = 20_000
const NONE: readonly Destination[] = []

/** Finds the records whose texts link to others, or take them in. For that all texts are read, once for each snapshot that is asked for. */
export class Backlinks {
  readonly #documents: ShownDocuments
  readonly #scanner = new ScanThread()
  readonly #links = new Cache<readonly Destination[]>({ most: KEPT })
  readonly #made = new WeakMap<SiteSnapshot, LinkingRecords>()
  readonly #making = new PerSnapshot((_: 'all', snapshot) => this.#read(snapshot))

  constructor(documents: ShownDocuments) {
    this.#documents = documents
  }

  /** Those of a snapshot; undefined where they have to be read first. */
  at(snapshot: SiteSnapshot): LinkingRecords | undefined {
    return this.#made.get(snapshot)
  }

  /** As `at`, read where need be. */
  async of(snapshot: SiteSnapshot): Promise<LinkingRecords> {
    const made = await this.#making.of('all', snapshot)
    this.#made.set(snapshot, made)
    return made
  }

  async #read(snapshot: SiteSnapshot): Promise<LinkingRecords> {
    const found = new Map<string, Entry[]>()
    const slices = new Slices()
    const listed = [...snapshot.outline.records.values()].filter(({ unlisted }) => !unlisted).sort(newestFirst)
    for (const entry of listed) {
      if (slices.isOver) await slices.pause()
      const links = await this.#linksOf(entry, snapshot)
      const targets = new Set(links.map((link) => targetOf(link, entry, snapshot)))
      for (const target of targets) {
        if (!target || target === entry) continue
        const known = found.get(keyText(target.key))
        if (!known) found.set(keyText(target.key), [entry])
        else if (known.length < MOST) known.push(entry)
      }
    }
    return found
  }

  async #linksOf(entry: Entry, snapshot: SiteSnapshot): Promise<readonly Destination[]> {
    const name = keyText(entry.key)
    const known = this.#links.get(name, entry.version)
    if (known) return known
    const document = await this.#documents.get(entry, snapshot)
    const scanned = document && (await this.#scanner.scan(document.body.replaceAll('\r\n', '\n'), entry.type.wikilinks))
    const links = scanned?.filter(({ isPicture }) => !isPicture).slice(0, MOST_LINKS) ?? NONE
    if (document) this.#links.set(name, links, document.version)
    return links
  }
}

/** The record whose page a link leads to, be it by an old address; undefined where it leads elsewhere. */
function targetOf({ text, form }: Destination, entry: Entry, snapshot: SiteSnapshot): Entry | undefined {
  const { outline, origin, base } = snapshot
  if (form === 'wiki')
    return isFileName(text) ? undefined : outline.names.find(text.replace(/\.(?:md|markdown|mdx)$/i, ''))?.entry
  const href = unescaped(text.replace(/[?#].*$/s, ''), form) ?? ''
  const own = href.startsWith(`${origin}${base}/`) ? href.slice(origin.length + base.length) : href
  const path = leadsElsewhere(own) ? undefined : plainPath(resolveHref(own, placeOf(entry, snapshot, '')))
  return path === undefined ? undefined : recordAt(path, outline)
}

function recordAt(path: string, outline: SiteSnapshot['outline']): Entry | undefined {
  const target = targetAt(outline, path)
  if (target?.kind === 'redirect') return outline.records.get(target.to)
  if (target?.kind === 'record') return target.entry
  if (target?.kind === 'list') return target.listing.index
  return target?.kind === 'home' ? outline.index : undefined
}
