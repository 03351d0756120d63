import type { FastifyInstance, FastifySchema } from 'fastify'
import type { JSONSchema } from 'json-schema-to-ts'
import type { Health } from '#core/store.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'

const alive = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
  additionalProperties: false,
} as const satisfies JSONSchema

const count = { type: ['integer', 'null'] } as const satisfies JSONSchema

const ready = {
  type: 'object',
  required: ['status'],
  properties: {
    status: { enum: ['ok', 'read_only'] },
    reason: { type: 'string' },
    remote: {
      type: 'object',
      required: ['ahead', 'behind', 'conflicts'],
      properties: { ahead: count, behind: count, conflicts: count },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/**
 * `/healthz`: the process answers. `/readyz`: it can serve, which it can't while its store is away or it is about to end. A store
 * that can only be read, as in the middle of an author's merge, is ready and reports that: taken out of service, its site would
 * be gone for no reason.
 */
export function healthRoutes(app: FastifyInstance, parts: { health(): Promise<Health>; isDraining(): boolean }): void {
  const tags = ['Health'] as const
  const healthz = { operationId: 'isAlive', summary: 'Tells that the process answers', tags, response: { 200: alive } }
  app.get('/healthz', { schema: healthz }, async () => ({ status: 'ok' }))
  const readyz = {
    operationId: 'isReady',
    summary: 'Tells whether the site can be served',
    tags,
    errors: [503],
    response: { 200: ready },
  } as const satisfies FastifySchema
  app.get('/readyz', { schema: readyz }, async () => {
    if (parts.isDraining()) throw new Unavailable('The server is shutting down.')
    // What is wrong is for the log and `cms doctor`: paths and the like are nobody else's.
    const health = await parts.health().catch(() => undefined)
    if (!health?.ok) throw new Unavailable('The store can not be reached.', 5)
    const { readOnly, details } = health
    const standing = readOnly === undefined ? { status: 'ok' } : { status: 'read_only', reason: readOnly }
    return { ...standing, ...remoteOf(details.remote) }
  })
}

function remoteOf(remote: Json | undefined): object {
  if (typeof remote !== 'object' || remote === null || Array.isArray(remote)) return {}
  const { ahead = null, behind = null, conflicts = null } = remote
  return { remote: { ahead, behind, conflicts } }
}
