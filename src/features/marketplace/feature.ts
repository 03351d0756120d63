import { readFileSync } from 'node:fs'
import { packageRoot } from '#lib/package.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { MarketplaceDesk } from '../marketplace-desk.ts'
import type { LoadedSet } from './loaded-set.ts'
import { DownloadDays } from './registry/downloads.ts'
import { Registry, type RegistryDeps } from './registry/registry.ts'

/** The dependencies of the marketplace. */
export interface MarketplaceFeatureDeps extends FeatureDeps, Pick<RegistryDeps, 'isKnown'> {
  readonly config: FeatureDeps['config'] & {
    readonly modules: { readonly registry: string | null; readonly signing_keys: readonly string[] }
  }
  readonly modules?: LoadedSet | undefined
}

/** Makes the marketplace of a site: the registry that others may add from, and the desk that adds from another. */
export function makeMarketplace(deps: MarketplaceFeatureDeps) {
  const registry = new Registry(deps)
  return {
    offers: { registry },
    /** Loads the desk of the panel. */
    desk: async (): Promise<MarketplaceDesk> => {
      const [{ Desk }, { SiteModules }, { RegistryClient }] = await Promise.all([
        import('./desk.ts'),
        import('./added/site-modules.ts'),
        import('./added/registry-client.ts'),
      ])
      const { registry: url, signing_keys: keys } = deps.config.modules
      const client = url === null ? undefined : new RegistryClient(url)
      const loaded = deps.modules ?? { on: [], off: [] }
      const shipped = loaded.on.filter(({ folder }) => folder === undefined).map(({ name }) => name)
      const site = { root: deps.root, configFile: 'cms.config.yaml', registry: client, keys, version: versionOf(), shipped }
      return new Desk({ ...site, modules: new SiteModules(site), loaded })
    },
    routes: async (app, { api }) => {
      const { marketplaceRoutes } = await import('./routes.ts')
      const days = new DownloadDays(deps)
      app.register(async (scope) => marketplaceRoutes(scope, { registry, days, api }))
    },
  } satisfies Feature & { readonly desk: () => Promise<MarketplaceDesk> }
}

function versionOf(): string {
  return JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version
}
