import type { FastifyInstance } from 'fastify'
import type { AppParts } from './app.ts'
import { recordRoutes } from './features/records/routes.ts'
import { directSend, sendTagged } from './http/answers.ts'
import { bearer } from './http/bearer.ts'
import type { ErrorLog } from './http/error-log.ts'
import { Idempotency } from './http/idempotency.ts'
import { Throttle } from './http/throttle.ts'

/** What features are made of. */
export type FeatureParts = AppParts & { readonly log: ErrorLog; readonly draining: { readonly begun: boolean } }

/** One capability that ships: the switch of `features` in the configuration that turns it on, and the routes it has. */
export interface Feature {
  readonly name: string
  readonly routes: (app: FastifyInstance, parts: FeatureParts) => Promise<void> | void
}

/** Everything that ships with routes of its own. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'api',
    routes: (app, { records, tokens, ledger, clock, config, draining }) =>
      recordRoutes(app, {
        records,
        idempotency: new Idempotency(ledger),
        bearer: bearer(tokens, Throttle.of(config.throttle.api, clock)),
        send: setsHeaders(config) ? sendTagged : directSend(draining),
      }),
  },
  {
    name: 'site',
    routes: async (app, { site, isLocal = false, log }) => {
      if (!site) return
      // Liquid and its like are not needed by who serves the API alone.
      const { siteRoutes } = await import('./features/site/routes.ts')
      await app.register(siteRoutes, { site, detailed: isLocal, log })
    },
  },
  {
    name: 'sitemap',
    routes: async (app, { site }) => {
      if (!site) return
      const { sitemapRoutes } = await import('./features/site/routes.ts')
      await app.register(sitemapRoutes, { site })
    },
  },
]

/** Whether answers of the API bear headers that depend on the request. */
function setsHeaders({ api, throttle }: AppParts['config']): boolean {
  return api.cors.origins.length > 0 || throttle.api !== 'off'
}
