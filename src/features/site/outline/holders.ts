import type { Problem } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import { LayeredMap } from '#lib/layered-map.ts'
import { sortedWith } from '#lib/sorted-lists.ts'
import type { Change } from './change.ts'
import type { Entry } from './entry.ts'
import { byId } from './order.ts'

/** The records with pages by the addresses of these, in the order of their ids. */
export class Records implements Iterable<[url: string, entry: Entry]> {
  readonly #byUrl: LayeredMap<Entry>
  readonly #all: readonly Entry[]

  constructor(byUrl: LayeredMap<Entry> = new LayeredMap(), all: readonly Entry[] = []) {
    this.#byUrl = byUrl
    this.#all = all
  }

  get size(): number {
    return this.#all.length
  }

  get(url: string): Entry | undefined {
    return this.#byUrl.get(url)
  }

  has(url: string): boolean {
    return this.#byUrl.has(url)
  }

  values(): IterableIterator<Entry> {
    return this.#all.values()
  }

  *[Symbol.iterator](): Generator<[url: string, entry: Entry], void, undefined> {
    for (const entry of this.#all) yield [entry.url ?? '/', entry]
  }

  with(urls: readonly (readonly [url: string, holder: Entry | undefined])[], change: Change): Records {
    return new Records(this.#byUrl.with(urls), sortedWith(this.#all, change, byId))
  }
}

/** The addresses of a site, and the records that it shows at none. */
export interface Holders {
  readonly records: Records
  /** Those whose address a record before them has, by the address and by id. */
  readonly rivals: ReadonlyMap<string, readonly Entry[]>
  /** Those that can have no address, by id. */
  readonly faulty: readonly Entry[]
}

/** The addresses of a site without records. */
export const NO_HOLDERS: Holders = { records: new Records(), rivals: new Map(), faulty: [] }

/** Returns whether a record is among those that a site shows, with a page or without one. */
export function isAmong({ records, rivals, faulty }: Holders, entry: Entry): boolean {
  const { url } = entry
  return url === null ? faulty.includes(entry) : records.get(url) === entry || (rivals.get(url)?.includes(entry) ?? false)
}

/**
 * Returns the addresses after a change of the records that are shown, with what changed among those that have one. Two records with
 * one address: the first by id, then by type, has it.
 */
export function holdersAfter({ records, rivals, faulty }: Holders, { gone, come }: Change): { holders: Holders; change: Change } {
  const atUrl = new Map<string, Entry[]>()
  const rivalsAt = (url: string): Entry[] => {
    const holder = records.get(url)
    const known = atUrl.get(url) ?? (holder ? [holder, ...(rivals.get(url) ?? [])] : [])
    atUrl.set(url, known)
    return known
  }
  for (const entry of gone) {
    const all = entry.url === null ? [] : rivalsAt(entry.url)
    const at = all.indexOf(entry)
    if (at >= 0) all.splice(at, 1)
  }
  for (const entry of come) if (entry.url !== null) rivalsAt(entry.url).push(entry)
  const changed = { gone: [] as Entry[], come: [] as Entry[] }
  const urls: [string, Entry | undefined][] = []
  const others = new Map(rivals)
  for (const [url, all] of atUrl) {
    const [holder, ...rest] = all.sort(byId)
    const before = records.get(url)
    if (rest.length > 0) others.set(url, rest)
    else others.delete(url)
    if (holder === before) continue
    urls.push([url, holder])
    if (before) changed.gone.push(before)
    if (holder) changed.come.push(holder)
  }
  const isFaulty = ({ url }: Entry) => url === null
  const without = sortedWith(faulty, { gone: gone.filter(isFaulty), come: come.filter(isFaulty) }, byId)
  return { holders: { records: records.with(urls, changed), rivals: others, faulty: without }, change: changed }
}

/** Finds what is wrong with addresses, in the order of the records' ids. */
export function addressProblems({ records, rivals, faulty }: Holders): Problem[] {
  const found: { readonly entry: Entry; readonly problem: Problem }[] = []
  for (const entry of faulty) if (entry.fault !== undefined) found.push({ entry, problem: noAddress(entry, entry.fault) })
  for (const [url, others] of rivals) {
    const holder = records.get(url)
    for (const entry of others) if (holder) found.push({ entry, problem: collision(entry, holder) })
  }
  return found.sort((a, b) => byId(a.entry, b.entry)).map(({ problem }) => problem)
}

function noAddress({ key }: Entry, fault: string): Problem {
  const hint = 'Change its permalink or slug, or set what is missing.'
  return { file: keyText(key), message: `This record ${fault}: it has no page.`, hint, severity: 'error' }
}

function collision(entry: Entry, holder: Entry): Problem {
  return {
    file: keyText(entry.key),
    message: `This record has the address "${entry.url}", which ${keyText(holder.key)} has already: it has no page.`,
    hint: 'Give one of them another slug or permalink.',
    severity: 'error',
  }
}
