import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { authorIn } from '#http/requests/acting.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { AuditDesk } from '../../audit-desk.ts'
import { instantOf } from '../forms/times.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { AUDIT_URL, auditView, FILTERS, isOutcome } from './audit-view.ts'

/** Entries on a page. */
const PER_PAGE = '50'

/** A day as an input sends it. */
const DAY = /^\d{4}-\d\d-\d\d$/

/** `/admin/audit`: who did what; and `/admin/audit/export`. */
export function auditRoutes(routes: PanelRoutes, { panel, desk }: { readonly panel: Panel; readonly desk: AuditDesk }): void {
  const { locale, timezone } = panel.site
  routes.get(AUDIT_URL, async (request, reply) => {
    const access = reading(request)
    const params = filtersIn(request)
    const { page = '' } = request.query as QueryParams
    const asked = { ...inZone(params, timezone), per_page: PER_PAGE, ...(page !== '' && { page }) }
    const { data: entries, meta } = await desk.list(access, asked)
    const data = auditView({ entries, meta, params, telling: { locale, timezone, now: panel.clock.now() } })
    return panel.pages.send(request, reply, { template: 'audit', title: 'Audit log', data })
  })
  routes.get(`${AUDIT_URL}/export`, async (request, reply) => {
    const access = reading(request)
    const { format } = request.query as QueryParams
    const form = format === 'ndjson' ? 'ndjson' : 'csv'
    const file = await desk.exported(access, inZone(filtersIn(request), timezone), form, authorIn(request))
    return reply
      .headers({ 'cache-control': 'no-store', 'content-type': file.type })
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .send(Readable.from(file.text, { objectMode: false }))
  })
}

/** The rights of a reader for whom there is the log; throws NotFound for any other. */
function reading(request: FastifyRequest): Access {
  const { access } = signedIn(request)
  if (!access.may('audit:read')) throw new NotFound('There is no such page.')
  return access
}

/** The filters of an address. What no control could have sent is none. */
function filtersIn({ query }: FastifyRequest): QueryParams {
  const params = query as QueryParams
  const isFine = (name: string, value: string) =>
    value !== '' && (name !== 'outcome' || isOutcome(value)) && (!['since', 'until'].includes(name) || DAY.test(value))
  const named = FILTERS.map((name) => [name, params[name] ?? ''] as const)
  return Object.fromEntries(named.filter(([name, value]) => isFine(name, value)))
}

/** Days are those of the site's zone, and the last one is meant as a whole. */
function inZone({ since, until, ...params }: QueryParams, zone: string): QueryParams {
  const begin = (day: string) => instantOf(`${day}T00:00`, zone) ?? day
  return {
    ...params,
    ...(since !== undefined && { since: begin(since) }),
    ...(until !== undefined && { until: begin(dayAfter(until)) }),
  }
}

function dayAfter(day: string): string {
  const time = Date.parse(day)
  return Number.isNaN(time) ? day : new Date(time + 86_400_000).toISOString().slice(0, 10)
}
