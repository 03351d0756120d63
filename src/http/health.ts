import type { FastifyInstance } from 'fastify'
import type { JSONSchema } from 'json-schema-to-ts'
import { Unavailable } from '../core/errors.ts'
import type { Health } from '../core/store.ts'

const ok = {
  type: 'object',
  required: ['status'],
  properties: { status: { const: 'ok' } },
  additionalProperties: false,
} as const satisfies JSONSchema

const schema = { response: { 200: ok } } as const

/** `/healthz`: the process answers. `/readyz`: it can serve, which it can't while its store is away or it is about to end. */
export function healthRoutes(app: FastifyInstance, parts: { health(): Promise<Health>; isDraining(): boolean }): void {
  app.get('/healthz', { schema }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema }, async () => {
    if (parts.isDraining()) throw new Unavailable('The server is shutting down.')
    // What is wrong is for the log and `cms doctor`: paths and the like are nobody else's.
    const health = await parts.health().catch(() => undefined)
    if (!health?.ok) throw new Unavailable('The store can not be reached.', 5)
    return { status: 'ok' }
  })
}
