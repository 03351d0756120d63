import { compareText } from '#lib/text/compare.ts'
import { csvOf } from '#lib/text/csv.ts'
import type { Archive } from './archive.ts'
import { addPage, addTo, type DaySums, type PageSums, pageSumsOf } from './day-sums.ts'
import { daysBetween, daysLater } from './days.ts'
import type { Span } from './query.ts'
import { pathOf } from './visits.ts'

/** Most pages and hosts of an answer. */
const MOST_ROWS = 1000

/** Figures of a day. */
export interface DayRow {
  readonly date: string
  readonly views: number
  readonly visitors: number
}

/** Figures of a page in a span: visitors are the sum of its days', since a visitor can't be told from day to day. */
export interface PageRow {
  readonly path: string
  readonly views: number
  readonly visitors: number
}

/** Views that came from another host. */
export interface ReferrerRow {
  readonly host: string
  readonly views: number
}

/** The figures of a span: each of its days, and the pages and hosts with most views first. */
export interface Report {
  readonly days: readonly DayRow[]
  readonly pages: readonly PageRow[]
  readonly referrers: readonly ReferrerRow[]
  /** Views that came from no other host: typed, from a bookmark, within the site, or not said. */
  readonly direct: number
}

/** Returns the figures of a span. */
export async function reportOf(archive: Archive, { from, to, path }: Span): Promise<Report> {
  const days = new Map<string, DayRow>()
  const pages = new Map<string, PageSums>()
  const referrers = new Map<string, number>()
  const wanted = path === undefined ? undefined : pathOf(path)
  for await (const all of archive.between(from, to)) {
    const sums = wanted === undefined ? all : ofPage(all, wanted)
    days.set(sums.day, { date: sums.day, views: sums.views, visitors: sums.visitors })
    for (const [path, page] of sums.pages) addPage(pageSumsOf(pages, path), page)
    for (const [host, n] of sums.referrers) addTo(referrers, host, n)
  }
  const direct = referrers.get('') ?? 0
  referrers.delete('')
  return { days: everyDay(from, to, days), pages: pageRows(pages), referrers: referrerRows(referrers), direct }
}

/** Returns a report as CSV: its three tables, one below the other, with the name of the table in the first column. */
export function csvOfReport({ days, pages, referrers }: Omit<Report, 'direct'>): string {
  return csvOf([
    ['table', 'name', 'views', 'visitors'],
    ...days.map(({ date, views, visitors }) => ['day', date, views, visitors]),
    ...pages.map(({ path, views, visitors }) => ['page', path, views, visitors]),
    ...referrers.map(({ host, views }) => ['referrer', host, views, '']),
  ])
}

function ofPage({ day, pages }: DaySums, path: string): DaySums {
  const page = pages.get(path)
  if (!page) return { day, views: 0, visitors: 0, pages: new Map(), referrers: new Map() }
  return { day, views: page.views, visitors: page.visitors, pages: new Map([[path, page]]), referrers: page.from }
}

function everyDay(from: string, to: string, days: ReadonlyMap<string, DayRow>): DayRow[] {
  return Array.from({ length: daysBetween(from, to) }, (_, n) => {
    const date = daysLater(from, n)
    return days.get(date) ?? { date, views: 0, visitors: 0 }
  })
}

function pageRows(pages: ReadonlyMap<string, PageSums>): PageRow[] {
  const rows = [...pages].map(([path, { views, visitors }]) => ({ path, views, visitors }))
  return rows.sort((a, b) => b.views - a.views || compareText(a.path, b.path)).slice(0, MOST_ROWS)
}

function referrerRows(referrers: ReadonlyMap<string, number>): ReferrerRow[] {
  const rows = [...referrers].map(([host, views]) => ({ host, views }))
  return rows.sort((a, b) => b.views - a.views || compareText(a.host, b.host)).slice(0, MOST_ROWS)
}
