import { VISITOR_BITS } from './salts.ts'
import { pairsOf, type Tally } from './tally.ts'
import { OTHER } from './visits.ts'

/** Most pages and hosts of a day that have a row of their own for good, and hosts of one page. */
const MOST = { pages: 1000, hosts: 500, hostsOfPage: 20 } as const

/** Most bytes of these in a document, which takes 256 KiB and names the parts of the day beside. */
const ROOM = { pages: 100_000, hosts: 60_000, hostsOfPage: 6000 } as const

/** The figures of a page on a day; `from` are views by the host they came from, an empty text for none. */
export interface PageSums {
  views: number
  visitors: number
  readonly from: Map<string, number>
}

/** The figures of a day. */
export interface DaySums {
  readonly day: string
  readonly views: number
  readonly visitors: number
  readonly pages: ReadonlyMap<string, PageSums>
  readonly referrers: ReadonlyMap<string, number>
}

/** Returns the figures of a day from a tally of all of it. */
export function sumsOf(day: string, { level, pages }: Tally): DaySums {
  const all = new Set<number>()
  const referrers = new Map<string, number>()
  const sums = new Map<string, PageSums>()
  let views = 0
  for (const [path, page] of pages) {
    for (const visitor of page.visitors) all.add(visitor)
    for (const [host, n] of page.views) addTo(referrers, host, n)
    const sum = { views: totalOf(page.views), visitors: estimate(page.visitors.size, level), from: page.views }
    views += sum.views
    sums.set(path, sum)
  }
  return { day, views, visitors: estimate(all.size, level), pages: sums, referrers }
}

/** Returns the sum of the figures of one day: visitors are added, since those of what is rolled up are told no more. */
export function sumOfSums(one: DaySums, other: DaySums): DaySums {
  const pages = new Map([...one.pages].map(([path, page]) => [path, { ...page, from: new Map(page.from) }]))
  for (const [path, page] of other.pages) addPage(pageSumsOf(pages, path), page)
  const referrers = new Map(one.referrers)
  for (const [host, n] of other.referrers) addTo(referrers, host, n)
  return { day: one.day, views: one.views + other.views, visitors: one.visitors + other.visitors, pages, referrers }
}

/** Returns the figures of a page, begun where there are none. */
export function pageSumsOf(pages: Map<string, PageSums>, path: string): PageSums {
  const found = pages.get(path)
  if (found) return found
  const made: PageSums = { views: 0, visitors: 0, from: new Map() }
  pages.set(path, made)
  return made
}

/** Adds the figures of a page, or of a page on another day: who visits both counts twice. */
export function addPage(sum: PageSums, page: PageSums): void {
  sum.views += page.views
  sum.visitors += page.visitors
  for (const [host, n] of page.from) addTo(sum.from, host, n)
}

/** Adds to the sum of a name. */
export function addTo(sums: Map<string, number>, name: string, n: number): void {
  sums.set(name, (sums.get(name) ?? 0) + n)
}

/** Returns a day's figures as text, with no more rows than are kept for good: the pages with the fewest views come under one. */
export function sumsText({ views, visitors, pages, referrers }: DaySums): string {
  const rows: string[] = []
  const rest: PageSums = { views: 0, visitors: 0, from: new Map() }
  let room: number = ROOM.pages
  for (const [path, page] of [...pages].sort(([, a], [, b]) => b.views - a.views)) {
    const row = rowText(path, page)
    room -= bytesOf(row)
    if (path !== OTHER && rows.length < MOST.pages && room > 0) rows.push(row)
    else addPage(rest, page)
  }
  if (rest.views > 0) rows.push(rowText(OTHER, rest))
  const hosts = JSON.stringify([...shortList(referrers, MOST.hosts, ROOM.hosts)].flat())
  return `{"views":${views},"visitors":${visitors},"referrers":${hosts},"pages":[${rows.join(',')}]}`
}

/** Reads what `sumsText` made. */
export function readSums(day: string, text: string): DaySums {
  const { views, visitors, pages, referrers } = JSON.parse(text) as {
    views: number
    visitors: number
    pages: [string, number, number, (string | number)[]][]
    referrers: (string | number)[]
  }
  const rows = pages.map(([path, views, visitors, from]) => [path, { views, visitors, from: pairsOf(from) }] as const)
  return { day, views, visitors, pages: new Map(rows), referrers: pairsOf(referrers) }
}

function rowText(path: string, { views, visitors, from }: PageSums): string {
  return JSON.stringify([path, views, visitors, [...shortList(from, MOST.hostsOfPage, ROOM.hostsOfPage)].flat()])
}

/** The visitors that a number of kept ones stands for. */
function estimate(kept: number, level: number): number {
  return Math.min(kept * 2 ** level, 2 ** VISITOR_BITS)
}

function totalOf(sums: ReadonlyMap<string, number>): number {
  let total = 0
  for (const n of sums.values()) total += n
  return total
}

/** Returns the names with the largest sums, as many as there is room for, and the others as one. */
function shortList(sums: ReadonlyMap<string, number>, most: number, bytes: number): Map<string, number> {
  const [kept, rest] = [new Map<string, number>(), new Map(sums)]
  let room = bytes
  for (const [name, n] of [...sums].sort(([, a], [, b]) => b - a)) {
    const size = bytesOf(JSON.stringify([name, n]))
    if (name === OTHER || kept.size === most || size > room) continue
    room -= size
    kept.set(name, n)
    rest.delete(name)
  }
  if (rest.size > 0) kept.set(OTHER, totalOf(rest))
  return kept
}

/** Returns the bytes of a text in a document, where it is a part of another text: each quotation mark takes two. */
function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}
