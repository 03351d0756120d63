import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { ContentTypes } from '#core/content-type.ts'
import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import type { Auth } from '#features/auth/auth.ts'
import { authRoutes } from '#features/auth/routes.ts'
import { docsRoutes } from '#features/docs/routes.ts'
import type { Records } from '#features/records/records.ts'
import { recordRoutes } from '#features/records/routes.ts'
import type { Revisions } from '#features/revisions/revisions.ts'
import { revisionRoutes } from '#features/revisions/routes.ts'
import { searchRoutes } from '#features/search/routes.ts'
import type { Search } from '#features/search/search.ts'
import type { Site } from '#features/site/site.ts'
import { termRoutes } from '#features/taxonomy/routes.ts'
import { Terms } from '#features/taxonomy/terms.ts'
import type { Tokens } from '#features/tokens/tokens.ts'
import { userRoutes } from '#features/users/routes.ts'
import { directSend, type Send, sendTagged } from '#http/answers.ts'
import { bearer } from '#http/bearer.ts'
import type { ErrorLog } from '#http/error-log.ts'
import { bothOf, eitherOf, open } from '#http/guards.ts'
import { Idempotency } from '#http/idempotency.ts'
import type { Timeouts } from '#http/limits.ts'
import type { Operations } from '#http/openapi/operations.ts'
import { Throttle } from '#http/throttle.ts'
import type { ThrottleExchange } from '#http/throttle-exchange.ts'
import type { Clock } from '#lib/clock.ts'

/** The part of the configuration that the app reads. */
export interface AppConfig {
  readonly site: { readonly name: string; readonly url: string }
  readonly server: { readonly trust_proxy: false | number | readonly string[] }
  readonly features: Readonly<Record<string, boolean>>
  readonly api: { readonly cors: { readonly origins: readonly string[] } }
  readonly throttle: { readonly api: string; readonly search: string; readonly auth: string }
}

/** The dependencies of the app. It neither opens nor closes them. */
export interface AppDeps {
  readonly config: AppConfig
  readonly types: ContentTypes
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  /** Makes the throttles of several nodes count as one. Set if several nodes serve the site. */
  readonly exchange?: ThrottleExchange | undefined
  readonly records: Records
  readonly revisions: Revisions
  readonly search: Search
  readonly tokens: Tokens
  /** Signing in, where people do. */
  readonly auth?: Auth | undefined
  readonly site: Site | undefined
  readonly version: string
  /** True where only the machine itself can reach the server: then its pages may tell what is broken. */
  readonly isLocal?: boolean
  /** By default errors go to stderr. */
  readonly log?: ErrorLog
  readonly timeouts?: Timeouts
}

/** The dependencies of features. */
export type FeatureDeps = AppDeps & {
  readonly log: ErrorLog
  readonly draining: { readonly begun: boolean }
  /** The operations that all routes declare. */
  readonly operations: Operations
  readonly api: ApiDeps
}

/** Shared by all routes of the API: a token's requests are counted, and its retries recognized, across all of them. */
export interface ApiDeps {
  readonly idempotency: Idempotency
  readonly bearer: onRequestHookHandler
  readonly send: Send
  /** The same for searches, which are counted by themselves as well. */
  readonly searching: { readonly bearer: onRequestHookHandler; readonly send: Send }
  /**
   * For signing in: requests without a token are counted by address, by a throttle of their own; those with one as everywhere.
   */
  readonly signing: { readonly open: onRequestHookHandler; readonly bearer: onRequestHookHandler }
}

/** The parts of the API of one server. */
export function apiParts(
  { config, tokens, auth, ledger, clock, exchange }: AppDeps,
  draining: { readonly begun: boolean },
): ApiDeps {
  const throttle = Throttle.of('api', config.throttle.api, clock)
  const searches = Throttle.of('search', config.throttle.search, clock)
  const signIns = Throttle.of('auth', config.throttle.auth, clock)
  for (const one of [throttle, searches, signIns]) if (one) exchange?.add(one)
  const bearers = auth ? eitherOf(tokens, auth.people) : tokens
  const send = setsHeaders(config) ? sendTagged : directSend(draining)
  return {
    idempotency: new Idempotency(ledger),
    bearer: bearer(bearers, throttle),
    send,
    searching: { bearer: bearer(bearers, bothOf(throttle, searches)), send: searches ? sendTagged : send },
    signing: { open: open(signIns), bearer: bearer(bearers, throttle) },
  }
}

/** One capability that ships: the switch of `features` in the configuration that turns it on, and the routes it has. */
export interface Feature {
  readonly name: string
  readonly routes: (app: FastifyInstance, deps: FeatureDeps) => Promise<void> | void
}

/** Everything that ships with routes of its own. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'api',
    routes: (app, { records, api, config }) => {
      const { bearer, send, searching, idempotency } = api
      recordRoutes(app, {
        ...{ records, idempotency, revisions: config.features.revisions === true },
        // A list with `q` is a search, and counted as one.
        bearer(request, reply, done) {
          return (isSearch(request) ? searching.bearer : bearer).call(this, request, reply, done)
        },
        send: (request, reply, tagged) => (isSearch(request) ? searching.send : send)(request, reply, tagged),
      })
    },
  },
  {
    name: 'revisions',
    routes: (app, { revisions, api, config }) => {
      if (config.features.api) revisionRoutes(app, { revisions, ...api })
    },
  },
  {
    name: 'search',
    routes: (app, { search, api, config }) => {
      if (config.features.api) searchRoutes(app, { search, ...api.searching })
    },
  },
  {
    name: 'taxonomy',
    routes: (app, { store, types, api, config }) => {
      if (config.features.api) termRoutes(app, { terms: new Terms({ store, types }), ...api })
    },
  },
  {
    name: 'auth',
    routes: (app, { auth, api, log }) => {
      if (!auth) return
      app.register(async (scope) => authRoutes(scope, { auth, log, ...api.signing }))
      app.register(async (scope) => userRoutes(scope, { accounts: auth.accounts, ...api }))
    },
  },
  {
    name: 'docs',
    routes: (app, { operations, types, config, version, api }) => {
      docsRoutes(app, { deps: { operations, types, site: config.site, version }, bearer: api.bearer })
    },
  },
  {
    name: 'site',
    routes: async (app, { site, isLocal = false, log }) => {
      if (!site) return
      // Liquid and its like are not needed by who serves the API alone.
      const { siteRoutes } = await import('#features/site/routes.ts')
      await app.register(siteRoutes, { site, detailed: isLocal, log })
    },
  },
  {
    name: 'sitemap',
    routes: async (app, { site }) => {
      if (!site) return
      const { sitemapRoutes } = await import('#features/site/routes.ts')
      await app.register(sitemapRoutes, { site })
    },
  },
]

function isSearch({ query }: FastifyRequest): boolean {
  return typeof query === 'object' && query !== null && 'q' in query
}

/** Returns whether API responses have headers that depend on the request. */
function setsHeaders({ api, throttle }: AppDeps['config']): boolean {
  return api.cors.origins.length > 0 || throttle.api !== 'off'
}
