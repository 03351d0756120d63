import { prefersCsv } from '#lib/accept.ts'
import type { ModuleContext, ModuleDefinition, ModuleRequest } from '#module/module.ts'
import { Archive, COLLECTIONS } from './archive.ts'
import { Counter } from './counter.ts'
import { Calendar, daysLater } from './days.ts'
import { visitsCard, visitsPage } from './panel.ts'
import { SPAN_QUERY, type Span, spanOf } from './query.ts'
import { csvOfReport, type Report, reportOf } from './report.ts'

/** Milliseconds after which all nodes have kept what they counted of a day that is over. */
const SETTLED = 3_600_000

/** Returns the module that counts visits of the site's pages, without cookies and without keeping addresses. */
export function makeAnalytics(): ModuleDefinition {
  let counter: Counter | undefined
  const counterOf = (context: ModuleContext) => {
    counter ??= new Counter(context, ignoredBy(context))
    return counter
  }
  const report = async (context: ModuleContext, span: Span) => {
    // What this node has in memory is in it, too.
    await counter?.keep()
    return reportOf(new Archive(context.store), span)
  }
  return {
    api: 1,
    collections: COLLECTIONS,
    visited: (visit, context) => counterOf(context).visited(visit),
    routes: (app, context) => {
      app.group({ prefix: '/api/analytics', auth: 'settings:write' }, (group) => {
        const summary = 'Views and visitors of pages'
        group.get('/', { summary, query: SPAN_QUERY }, async (request) =>
          answer(request, await report(context, spanOf(request.query, todayOf(context)))),
        )
      })
    },
    pages: [visitsPage(report)],
    cards: [visitsCard(report)],
    jobs: { 'roll-up': { every: '1h', run: (_data, context, signal) => rollUp(context, signal) } },
    close: async () => counter?.close(),
  }
}

/** Returns the day it is in the time zone of the site. */
export function todayOf({ site, now }: Pick<ModuleContext, 'site' | 'now'>): string {
  return new Calendar(site.timezone).dayOf(now())
}

function answer({ headers, reply }: ModuleRequest, { days, pages, referrers }: Report): unknown {
  reply.header('vary', 'accept')
  if (!prefersCsv(headers.accept)) return { data: { days, pages, referrers } }
  return reply.type('text/csv; charset=utf-8').send(csvOfReport({ days, pages, referrers }))
}

async function rollUp(context: ModuleContext, signal: AbortSignal): Promise<void> {
  const calendar = new Calendar(context.site.timezone)
  const now = context.now()
  const { days = 365 } = context.config
  const first = daysLater(calendar.dayOf(now), 1 - Number(days))
  await new Archive(context.store).rollUp({ open: calendar.dayOf(now - SETTLED), first }, signal)
}

function ignoredBy({ config }: ModuleContext): readonly string[] {
  return Array.isArray(config.ignore) ? config.ignore.map(String) : []
}
