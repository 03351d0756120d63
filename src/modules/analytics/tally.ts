import { VISITOR_BITS } from './salts.ts'
import { OTHER } from './visits.ts'

/** Bytes of a visitor's number in a text. */
const BYTES = VISITOR_BITS / 8

/** Most paths and hosts of a day that have rows of their own on a node, and most pairs of them. */
const MOST = { paths: 10_000, hosts: 2000, pairs: 20_000 } as const

/** Most pairs of a page and a visitor that are kept of a day. */
const MOST_VISITORS = 200_000

/** The sums of a page: views by the host they came from, an empty text for none, and the numbers of its visitors. */
export interface PageTally {
  readonly views: Map<string, number>
  readonly visitors: Set<number>
}

/**
 * A part of a day's visits. Of its visitors it has those whose numbers begin with `level` bits of 0, one in 2 to the power of
 * that: all of them but on days with more than can be kept.
 */
export interface Tally {
  readonly level: number
  readonly pages: ReadonlyMap<string, PageTally>
}

/** Returns whether a visitor is among those that are kept at a level. */
export function isKept(visitor: number, level: number): boolean {
  return visitor < 2 ** (VISITOR_BITS - level)
}

/** Returns a tally as text: each page with its hosts and their views, and the numbers of its visitors in base64url. */
export function tallyText({ level, pages }: Tally): string {
  return JSON.stringify({
    level,
    pages: [...pages].map(([path, { views, visitors }]) => [path, [...views].flat(), visitorsText(visitors)]),
  })
}

/** Reads what `tallyText` made. */
export function readTally(text: string): Tally {
  const { level, pages } = JSON.parse(text) as { level: number; pages: [string, (string | number)[], string][] }
  return {
    level,
    pages: new Map(pages.map(([path, views, visitors]) => [path, { views: pairsOf(views), visitors: readVisitors(visitors) }])),
  }
}

/** Returns the pairs of a flat list of texts and numbers. */
export function pairsOf(flat: readonly (string | number)[]): Map<string, number> {
  const pairs = new Map<string, number>()
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.set(String(flat[at]), Number(flat[at + 1]))
  return pairs
}

function visitorsText(visitors: ReadonlySet<number>): string {
  const bytes = Buffer.alloc(visitors.size * BYTES)
  let at = 0
  for (const visitor of visitors) at = bytes.writeUIntBE(visitor, at, BYTES)
  return bytes.toString('base64url')
}

function readVisitors(text: string): Set<number> {
  const bytes = Buffer.from(text, 'base64url')
  const visitors = new Set<number>()
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) visitors.add(bytes.readUIntBE(at, BYTES))
  return visitors
}

/** Returns the sum of tallies of one day: a visitor of several is one. */
export function unionOf(tallies: readonly Tally[]): Tally {
  const level = Math.max(0, ...tallies.map((tally) => tally.level))
  const pages = new Map<string, PageTally>()
  for (const tally of tallies) {
    for (const [path, page] of tally.pages) {
      const sum = pageOf(pages, path)
      for (const [host, n] of page.views) sum.views.set(host, (sum.views.get(host) ?? 0) + n)
      for (const visitor of page.visitors) if (isKept(visitor, level)) sum.visitors.add(visitor)
    }
  }
  return { level, pages }
}

/** Returns the sums of a page, begun where there are none. */
export function pageOf(pages: Map<string, PageTally>, path: string): PageTally {
  const found = pages.get(path)
  if (found) return found
  const made: PageTally = { views: new Map(), visitors: new Set() }
  pages.set(path, made)
  return made
}

/**
 * The names and visitors of a day that a node has counted. Each is bounded, so that neither made-up paths and referrers nor a
 * flood of visitors fill memory or disk: names beyond that come under one, and of too many visitors a part is kept.
 */
export class DayBounds {
  level = 0
  readonly #hosts = new Set<string>()
  readonly #pages = new Map<string, { readonly hosts: Set<string>; readonly visitors: Set<number> }>()
  #pairs = 0
  #visitors = 0
  readonly #most: number

  constructor(mostVisitors: number = MOST_VISITORS) {
    this.#most = mostVisitors
  }

  /** Returns the names under which a visit is counted, and whether its visitor is new to the page and is kept. */
  admit(path: string, host: string, visitor: number | undefined): { path: string; host: string; isNew: boolean } {
    const name = this.#pages.has(path) || this.#pages.size < MOST.paths ? path : OTHER
    const page = this.#pages.get(name) ?? { hosts: new Set(), visitors: new Set() }
    this.#pages.set(name, page)
    const from = page.hosts.has(host) ? host : this.#hostOf(host)
    if (!page.hosts.has(from)) this.#pairs++
    page.hosts.add(from)
    return { path: name, host: from, isNew: visitor !== undefined && this.#admitVisitor(page.visitors, visitor) }
  }

  #hostOf(host: string): string {
    if (host === '') return host
    if (this.#pairs >= MOST.pairs || !(this.#hosts.has(host) || this.#hosts.size < MOST.hosts)) return OTHER
    this.#hosts.add(host)
    return host
  }

  #admitVisitor(visitors: Set<number>, visitor: number): boolean {
    if (!isKept(visitor, this.level) || visitors.has(visitor)) return false
    visitors.add(visitor)
    if (++this.#visitors > this.#most) this.#raise()
    return isKept(visitor, this.level)
  }

  /** Lets go of about half of the visitors, evenly: those whose next bit is not 0. */
  #raise(): void {
    this.level++
    this.#visitors = 0
    for (const { visitors } of this.#pages.values()) {
      for (const visitor of visitors) if (!isKept(visitor, this.level)) visitors.delete(visitor)
      this.#visitors += visitors.size
    }
  }
}
