import type { CardDefinition, ModuleContext, PageDefinition, PagePart, PartCell } from '#module/module.ts'
import { Calendar, daysLater, isWeekend } from './days.ts'
import { type Span, spanOf } from './query.ts'
import { csvOfReport, type DayRow, type Report } from './report.ts'

/** Reads the figures of a span. */
export type ReadReport = (context: ModuleContext, span: Span) => Promise<Report>

/** Spans that the page has links for, in days. */
const SPANS = [7, 30, 90] as const

/** Rows that the page shows of a table. The rest is in the file. */
const ROWS = 10

/** Characters of a path or a host that are shown. */
const SHOWN = 80

const NONE = 'Nobody was counted in these days. Each page of the site that is read from now on is.'

const NOTE: PagePart = {
  kind: 'text',
  isNote: true,
  text: 'Counted on your server without cookies. A visitor of several days counts on each. Not counted: bots by name, signed-in people, Do Not Track, Global Privacy Control.',
}

/** Returns the page of the panel that shows views, visitors, pages and where they came from. */
export function visitsPage(report: ReadReport): PageDefinition {
  return {
    name: 'analytics',
    label: 'Analytics',
    group: 'system',
    icon: 'chart',
    parts: async (query, context) => {
      const days = lengthOf(query)
      const span = spanOf({ days: String(days) }, today(context))
      const [now, before] = [await report(context, span), await report(context, earlier(span, days))]
      const words = new Words(context)
      const isEmpty = sum(now.days, 'views') === 0
      if (isEmpty) return [links(days), figures(words, now, before), { kind: 'text', text: NONE }, NOTE]
      return [
        links(days),
        figures(words, now, before),
        chart(words, now.days, days),
        table(
          words,
          'Pages',
          'Page',
          now.pages.map(({ path, views }) => [path, views]),
        ),
        table(words, 'Came from', 'Host', sources(now)),
        NOTE,
      ]
    },
    files: {
      'analytics.csv': async (query, context) => {
        const found = await report(context, spanOf({ days: String(lengthOf(query)) }, today(context)))
        return { type: 'text/csv', text: csvOfReport(found) }
      },
    },
  }
}

/** Returns the card of the dashboard: the last seven days. */
export function visitsCard(report: ReadReport): CardDefinition {
  return {
    name: 'analytics',
    label: 'Visits',
    parts: async (context) => {
      const words = new Words(context)
      const { days } = await report(context, spanOf({ days: '7' }, today(context)))
      const last = days.at(-1)
      return [
        {
          kind: 'figures',
          figures: [
            { label: 'Views today', value: words.number(last?.views ?? 0) },
            { label: 'Visitors today', value: words.number(last?.visitors ?? 0) },
            { label: 'Views in 7 days', value: words.number(sum(days, 'views')) },
          ],
        },
        { kind: 'links', links: [{ label: 'Analytics', url: '/admin/analytics' }] },
      ]
    },
  }
}

/** Numbers and days as people of the site read them. */
class Words {
  readonly #numbers: Intl.NumberFormat
  readonly #days: Intl.DateTimeFormat
  readonly #changes: Intl.NumberFormat

  constructor({ site: { locale } }: ModuleContext) {
    this.#numbers = new Intl.NumberFormat(locale)
    this.#days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
    this.#changes = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })
  }

  number(n: number): string {
    return this.#numbers.format(n)
  }

  day(day: string): string {
    return this.#days.format(Date.parse(day))
  }

  /** A change in percent; nothing where there was nothing before. */
  change(now: number, before: number): { readonly note?: string } {
    return before === 0 ? {} : { note: this.#changes.format(now / before - 1) }
  }
}

function today({ site, now }: ModuleContext): string {
  return new Calendar(site.timezone).dayOf(now())
}

/** Days of the address; those that the page begins with where it has no span of the page's. */
function lengthOf({ days }: Readonly<Record<string, string>>): number {
  return SPANS.find((span) => String(span) === days) ?? SPANS[1]
}

function earlier({ from, path }: Span, days: number): Span {
  return { from: daysLater(from, -days), to: daysLater(from, -1), path }
}

function links(current: number): PagePart {
  const spans = SPANS.map((days) => ({ label: `${days} days`, url: `?days=${days}`, isCurrent: days === current }))
  const file = { label: 'CSV', url: `./analytics.csv?days=${current}`, icon: 'download' }
  return { kind: 'links', links: [...spans, file] }
}

function figures(words: Words, { days }: Report, before: Report): PagePart {
  const [views, visitors] = [sum(days, 'views'), sum(days, 'visitors')]
  const best = days.reduce((a, b) => (b.views > a.views ? b : a))
  return {
    kind: 'figures',
    figures: [
      { label: 'Views', value: words.number(views), ...words.change(views, sum(before.days, 'views')) },
      { label: 'Visitors', value: words.number(visitors), ...words.change(visitors, sum(before.days, 'visitors')) },
      ...(views === 0 ? [] : [{ label: 'Best day', value: words.day(best.date), note: `${words.number(best.views)} views` }]),
    ],
  }
}

function chart(words: Words, days: readonly DayRow[], length: number): PagePart {
  return {
    kind: 'chart',
    label: `Views and visitors of the last ${length} days`,
    bars: 'Views (weekends lighter)',
    line: 'Visitors',
    points: days.map(({ date, views, visitors }) => ({
      label: words.day(date),
      value: views,
      line: visitors,
      isMuted: isWeekend(date),
    })),
  }
}

function sources({ referrers, direct }: Report): readonly (readonly [string, number])[] {
  const hosts = referrers.map(({ host, views }) => [host, views] as const)
  const unknown = direct > 0 ? [['Typed or unknown', direct] as const] : []
  return [...unknown, ...hosts].sort(([, a], [, b]) => b - a)
}

function table(words: Words, label: string, column: string, rows: readonly (readonly [string, number])[]): PagePart {
  const most = Math.max(1, ...rows.map(([, views]) => views))
  const cells = rows
    .slice(0, ROWS)
    .map(([name, views]): PartCell[] => [
      name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name,
      { text: words.number(views), share: views / most },
    ])
  return { kind: 'table', label, columns: [column, 'Views'], rows: cells, empty: 'Nothing was counted in these days.' }
}

function sum(days: readonly DayRow[], of: 'views' | 'visitors'): number {
  return days.reduce((total, day) => total + day[of], 0)
}
