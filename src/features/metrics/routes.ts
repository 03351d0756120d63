import type { FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import { accessOf } from '#http/guarding/bearer.ts'
import { Forbidden } from '#lib/errors.ts'
import { CONTENT_TYPE } from './exposition.ts'
import { nearness, type TrustedProxies } from './near.ts'

/** The dependencies of the route of metrics. */
export interface MetricsRoutes {
  /** Reads the metrics, in the text format. */
  readonly read: () => Promise<string>
  /** The guard of routes that need a token, whatever they answer in. */
  readonly bearer: onRequestHookHandler
  readonly proxies: TrustedProxies
}

const schema: FastifySchema = {
  operationId: 'readMetrics',
  summary: 'Tells how the server does, for Prometheus',
  description:
    'From this machine itself no token is needed, unless the request came through a proxy; from elsewhere one with `audit:read`. Prometheus text format 0.0.4.',
  tags: ['Health'],
  errors: [401, 403],
  response: { 200: { content: { 'text/plain': { schema: { type: 'string' } } } } },
}

/** `GET /metrics`, for this machine itself, and for tokens with `audit:read`. */
export function metricsRoutes(app: FastifyInstance, { read, bearer, proxies }: MetricsRoutes): void {
  const isNear = nearness(proxies)
  const onRequest: onRequestHookHandler = function (request, reply, done) {
    if (request.headers.authorization === undefined && isNear(request)) return done()
    bearer.call(this, request, reply, (error) => {
      if (error) return done(error)
      done(accessOf(request).may('audit:read') ? undefined : new Forbidden('This needs the right audit:read.'))
    })
  }
  app.get('/metrics', { schema, onRequest }, async (_, reply) =>
    reply
      .header('content-type', CONTENT_TYPE)
      .header('cache-control', 'no-store')
      .send(await read()),
  )
}
