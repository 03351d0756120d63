import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { AuditEntry } from '#core/audit-log.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import { pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { acceptsJson } from '#lib/accept.ts'
import { NotAcceptable } from '#lib/errors.ts'
import { type Audit, askedIn } from './audit.ts'
import { FORMS, type Form } from './csv.ts'
import { auditList, auditQuery } from './schema.ts'

/** The forms of an export by what is asked for. */
const BY_TYPE = { 'text/csv': FORMS.csv, 'application/x-ndjson': FORMS.ndjson } as const

/** The dependencies of the route of the audit log. */
export interface AuditRoutes {
  readonly audit: Audit
  /** The guard of routes that need a token, whatever they answer in. */
  readonly bearer: onRequestHookHandler
  /** Notes that the log was exported in a request. */
  readonly exported: (request: FastifyRequest) => Promise<void>
}

const schema = {
  operationId: 'listAudit',
  summary: 'Lists who did what, the newest first',
  description:
    'Needs `audit:read`. Types and teams that do not exist for the reader are not in it. With `Accept: text/csv` or `application/x-ndjson` all entries that the parameters name are sent, or one page where `page` or `per_page` is sent; a cell of CSV that would be taken for a formula begins with an apostrophe. That it was exported is an entry, too.',
  tags: ['Audit'],
  errors: [403, 406, 422],
  querystring: auditQuery,
  response: {
    200: {
      content: {
        'application/json': { schema: auditList },
        'text/csv': { schema: { type: 'string' } },
        'application/x-ndjson': { schema: { type: 'string' } },
      },
    },
  },
} as const

/** `GET /api/audit`. */
export async function auditRoutes(app: FastifyInstance, { audit, bearer, exported }: AuditRoutes): Promise<void> {
  app.get<{ Querystring: QueryParams }>('/api/audit', { schema, onRequest: bearer }, async (request, reply) => {
    const { query, headers } = request
    const asked = askedIn(query)
    const form = formOf(headers.accept)
    reply.header('cache-control', 'no-store').header('vary', 'Accept')
    if (!form) return audit.list(accessOf(request), asked, pagingOf(query))
    const isPart = query.page !== undefined || query.per_page !== undefined
    const entries = isPart
      ? listed((await audit.list(accessOf(request), asked, pagingOf(query))).data)
      : await audit.all(accessOf(request), asked)
    await exported(request)
    return sendAs(reply, form, entries)
  })
}

/** Sends entries as a file. */
export function sendAs(reply: FastifyReply, { type, ending, textOf }: Form, entries: AsyncIterable<AuditEntry>): FastifyReply {
  return reply
    .header('content-type', type)
    .header('content-disposition', `attachment; filename="audit.${ending}"`)
    .send(Readable.from(textOf(entries), { objectMode: false }))
}

async function* listed(entries: readonly AuditEntry[]): AsyncGenerator<AuditEntry> {
  yield* entries
}

/** The form that a client names, if it is not JSON. Throws NotAcceptable where it takes neither. */
function formOf(accept = ''): Form | undefined {
  const types = accept.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase())
  const named = Object.entries(BY_TYPE).find(([type]) => types.includes(type))
  if (named && !types.includes('application/json')) return named[1]
  if (!acceptsJson(accept)) throw new NotAcceptable()
  return undefined
}
