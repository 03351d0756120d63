import Fastify, { type FastifyInstance } from 'fastify'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import { useCors } from '#http/answers/cors.ts'
import { originForm, useHeaders } from '#http/answers/headers.ts'
import { serializers } from '#http/answers/serialization.ts'
import { apiDeps } from '#http/api.ts'
import { useClosing } from '#http/closing.ts'
import { type ErrorLog, errorLog } from '#http/errors/log.ts'
import { onClientError, refuseExpectations, refuseTunnels } from '#http/errors/raw.ts'
import { errorSender, sendError } from '#http/errors/sender.ts'
import { useRenewal } from '#http/guarding/bearer.ts'
import { DEFAULT_TIMEOUTS, type Timeouts } from '#http/guarding/limits.ts'
import { healthRoutes } from '#http/health.ts'
import { KnownPaths } from '#http/known-paths.ts'
import { Operations } from '#http/openapi/operations.ts'
import { useJsonBodies } from '#http/requests/body.ts'
import { queryParser } from '#http/requests/query.ts'
import { requestIds } from '#http/requests/request-id.ts'
import { UploadTimeouts } from '#http/requests/upload-timeouts.ts'
import { validators } from '#http/requests/validation.ts'
import { useRouteRules } from '#http/route-rules.ts'
import type { Serving } from './features.ts'

const BODY_LIMIT = 2 * 1024 * 1024
/** Longer than any id, in percent-encoding. */
const MAX_PARAM = 4096

/** The dependencies of the app. It neither opens nor closes them. */
export interface AppDeps extends Serving {
  readonly config: {
    readonly server: { readonly trust_proxy: false | number | readonly string[] }
    readonly api: { readonly cors: { readonly origins: readonly string[] } }
  }
  readonly store: Pick<Store, 'health'>
  readonly ledger: Ledger
  readonly version: string
  /** True where only the machine itself can reach the server: then its pages may tell what is broken. */
  readonly isLocal?: boolean
  /** Has the server go on with the site as it is now; absent where nothing can. */
  readonly renew?: (() => void) | undefined
  /** By default errors go to stderr. */
  readonly log?: ErrorLog
  readonly timeouts?: Timeouts
}

/** The HTTP server of a site, not listening yet: the same in tests and in production. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const nextId = requestIds()
  const log = deps.log ?? errorLog(process.stderr)
  const timeouts = deps.timeouts ?? DEFAULT_TIMEOUTS
  const known = new KnownPaths()
  const refuse = onClientError(() => nextId({ headers: {} }))
  const uploads = new UploadTimeouts(timeouts, refuse)
  const app = Fastify({
    genReqId: nextId,
    rewriteUrl: originForm,
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    trustProxy: trusted(deps.config.server.trust_proxy),
    return503OnClosing: false,
    requestTimeout: timeouts.request,
    connectionTimeout: timeouts.idle,
    keepAliveTimeout: timeouts.keepAlive,
    http: { headersTimeout: timeouts.headers, connectionsCheckingInterval: timeouts.check, requireHostHeader: false },
    routerOptions: { maxParamLength: MAX_PARAM, querystringParser: queryParser() },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply, log),
    clientErrorHandler: (error, socket) => uploads.isAwaited(error, socket) || refuse(error, socket),
  })
  refuseExpectations(app.server, () => nextId({ headers: {} }))
  refuseTunnels(app.server, () => nextId({ headers: {} }))
  app.decorateRequest('access', null)
  app.decorateRequest('acting', null)
  app.decorateRequest('signingIn', null)
  app.decorateRequest('signedOut', null)
  app.setValidatorCompiler(validators())
  app.setSerializerCompiler(serializers())
  app.setErrorHandler(errorSender(known, log))
  useJsonBodies(app)
  const draining = useHeaders(app)
  useClosing(app, timeouts.request)
  const { origins } = deps.config.api.cors
  useCors(app, origins)
  useRouteRules(app, known)
  useAnswering(app, deps.features)
  useAnswered(app, deps.features)
  const operations = new Operations(app)
  healthRoutes(app, { health: () => deps.store.health(), isDraining: () => draining.begun })
  const { bearers, throttles, ledger, version, isLocal = false } = deps
  const api = apiDeps({ bearers, throttles, ledger, draining, uploads })
  useRenewal(app, api.uploading.renew)
  const routeDeps = { api, operations, log, version, isLocal, renew: deps.renew }
  for (const feature of deps.features) app.register(async (scope) => feature.routes?.(scope, routeDeps))
  return app
}

/** Has features that wish so hold an answer until they have done what comes before it. */
function useAnswering(app: FastifyInstance, features: Serving['features']): void {
  const heard = features.flatMap((feature) => feature.answering?.bind(feature) ?? [])
  if (heard.length === 0) return
  app.addHook('onSend', (request, reply, payload, done) => {
    const waits = heard.flatMap((hear) => hear(request, reply) ?? [])
    if (waits.length === 0) done(null, payload)
    else Promise.all(waits).then(() => done(null, payload), done)
  })
}

/** Tells the features that wish so of each request that was answered; where there is none, no request pays for it. */
function useAnswered(app: FastifyInstance, features: Serving['features']): void {
  const heard = features.flatMap((feature) => feature.answered?.bind(feature) ?? [])
  if (heard.length === 0) return
  app.addHook('onResponse', (request, reply, done) => {
    for (const hear of heard) hear(request, reply)
    done()
  })
}

/** Fastify itself takes a number of hops for no trust at all. Of n proxies in a row, the last n addresses are theirs. */
function trusted(
  setting: AppDeps['config']['server']['trust_proxy'],
): false | string[] | ((address: string, hop: number) => boolean) {
  if (typeof setting === 'number') return (_, hop) => hop < setting
  return setting === false ? false : [...setting]
}
