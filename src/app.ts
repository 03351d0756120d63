import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Clock } from './core/clock.ts'
import type { ContentTypes } from './core/content-type.ts'
import type { Ledger } from './core/ledger.ts'
import type { Store } from './core/store.ts'
import type { Records } from './features/records/records.ts'
import type { Site } from './features/site/site.ts'
import type { Tokens } from './features/tokens/tokens.ts'
import { FEATURES } from './features.ts'
import { JSON_UTF8 } from './http/answers.ts'
import { useJsonBodies } from './http/body.ts'
import { useCors } from './http/cors.ts'
import { errorAnswer } from './http/errors.ts'
import { healthRoutes } from './http/health.ts'
import { KnownPaths } from './http/known-paths.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from './http/limits.ts'
import { parseQuery } from './http/query.ts'
import { onClientError, refuseExpectations } from './http/raw-errors.ts'
import { requestIds } from './http/request-id.ts'
import { useRouteRules } from './http/route-rules.ts'
import { validators } from './http/validation.ts'

/** What of the configuration the app reads. */
export interface AppConfig {
  readonly server: { readonly trust_proxy: false | number | readonly string[] }
  readonly features: Readonly<Record<string, boolean>>
  readonly api: { readonly cors: { readonly origins: readonly string[] } }
  readonly throttle: { readonly api: string }
}

/** What the app is made of; it opens and closes none of it. */
export interface AppParts {
  readonly config: AppConfig
  readonly types: ContentTypes
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly records: Records
  readonly tokens: Tokens
  readonly site: Site | undefined
  readonly version: string
  /** True where only the machine itself can reach the server: then its pages may tell what is broken. */
  readonly isLocal?: boolean
  /** Fastify's `logger` option; by default errors go to stderr. */
  readonly logger?: FastifyServerOptions['logger']
  readonly timeouts?: Timeouts
}

const BODY_LIMIT = 2 * 1024 * 1024
/** Longer than any id, in percent-encoding. */
const MAX_PARAM = 4096

/** The HTTP server of a site, not listening yet: the same in tests and in production. */
export function buildApp(parts: AppParts): FastifyInstance {
  const nextId = requestIds()
  const timeouts = parts.timeouts ?? DEFAULT_TIMEOUTS
  const known = new KnownPaths()
  const app = Fastify({
    logger: parts.logger ?? { level: 'error', stream: process.stderr },
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextId,
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: parts.config.server.trust_proxy as FastifyServerOptions['trustProxy'] & {},
    return503OnClosing: false,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.idle,
    keepAliveTimeout: timeouts.keepAlive,
    http: { headersTimeout: timeouts.headers, connectionsCheckingInterval: timeouts.check },
    routerOptions: { maxParamLength: MAX_PARAM, querystringParser: parseQuery },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    clientErrorHandler: onClientError(() => nextId({ headers: {} })),
  })
  refuseExpectations(app.server, () => nextId({ headers: {} }))
  app.decorateRequest('access', null)
  app.setValidatorCompiler(validators())
  app.setErrorHandler(sendError)
  useJsonBodies(app)
  const draining = useHeaders(app)
  useCors(app, parts.config.api.cors.origins)
  useRouteRules(app, known)
  healthRoutes(app, { health: () => parts.store.health(), isDraining: () => draining.begun })
  for (const feature of FEATURES) {
    if (parts.config.features[feature.name]) app.register(async (scope) => feature.routes(scope, parts))
  }
  return app
}

/** What every answer bears; and from the moment the server is to end, that its connection does. */
function useHeaders(app: FastifyInstance): { begun: boolean } {
  const draining = { begun: false }
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (draining.begun) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    draining.begun = true
    done()
  })
  return draining
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = errorAnswer(error)
  if (status === 500) request.log.error({ requestId: request.id, err: error }, 'A request failed')
  // A malformed address is answered before there are hooks to set what every answer bears.
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  reply.code(status).headers(headers).header('content-type', JSON_UTF8).send(JSON.stringify(body))
}
