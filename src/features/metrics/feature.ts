import type { Feature, FeatureDeps } from '../feature.ts'
import { EventLoop } from './event-loop.ts'
import { exposition } from './exposition.ts'
import type { TrustedProxies } from './near.ts'
import { processMetrics, single } from './process.ts'
import { RequestCounts } from './requests.ts'
import { siteMetrics } from './site.ts'

/** The dependencies of metrics. */
export interface MetricsFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly server: { readonly trust_proxy: TrustedProxies } }
}

/** Makes the metrics of a server: counts of its requests, and how its site and process do. */
export function makeMetrics(deps: MetricsFeatureDeps) {
  const requests = new RequestCounts()
  const loop = new EventLoop()
  return {
    answered: ({ routeOptions, method }, { statusCode, elapsedTime }) =>
      requests.add(routeOptions.url, method, statusCode, elapsedTime / 1000),
    routes: async (app, { api, version }) => {
      const { metricsRoutes } = await import('./routes.ts')
      const read = async () => {
        const info = { ...single('quire_info', 'gauge', 'Version of Quire.', 1), samples: [{ labels: { version }, value: 1 }] }
        return exposition([info, ...requests.metrics(), ...(await siteMetrics(deps)), loop.metric(), ...processMetrics()])
      }
      metricsRoutes(app, { read, bearer: api.bearerOfAny, proxies: deps.config.server.trust_proxy })
    },
    begin: () => loop.begin(),
    close: () => loop.close(),
  } satisfies Feature
}
