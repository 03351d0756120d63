import { BadConfig, type Placed } from '#lib/errors.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import type { Resources } from '../resource.ts'
import { type ConfiguredToken, configuredTokens, type TokenSetting } from './configured.ts'
import { TokenGrants } from './grants.ts'
import { TokenResource } from './panel/resources.ts'
import type { FindOwner } from './token-views.ts'
import { type Narrowing, Tokens } from './tokens.ts'

/** The dependencies of API tokens. */
export interface TokensFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly api: { readonly tokens: readonly TokenSetting[] } }
  readonly env: NodeJS.ProcessEnv
  /** Returns the place of the value at a path of the configuration. */
  readonly at: (path: readonly (string | number)[]) => Placed
  /** Finds the users whom tokens belong to. */
  readonly ownerOf: FindOwner
  readonly narrowing: Narrowing
  /** True in a server, which needs the secrets that the configuration names. */
  readonly isServing: boolean
}

/** Makes the API tokens of a site. Throws BadConfig in a server where the secret of one in the configuration is not there. */
export function makeTokens(deps: TokensFeatureDeps) {
  const { store, ledger, clock, config, types, ownerOf, narrowing } = deps
  const siteHost = new URL(config.site.url).hostname
  const tokens = new Tokens({ store, ledger, clock, configured: configuredOf(deps), siteHost, ownerOf, narrowing })
  return {
    offers: tokens,
    resources: new TokenResource(new TokenGrants({ tokens, types, store, clock })),
    routes: async (app, { api }) => {
      const { tokenRoutes } = await import('./routes.ts')
      if (config.features.api) await tokenRoutes(app, { tokens, types, store, clock, ...api })
    },
  } satisfies Feature & { readonly resources: Resources }
}

function configuredOf({ config, env, at, isServing }: TokensFeatureDeps): ConfiguredToken[] {
  try {
    return configuredTokens(config.api.tokens, env, (index) => at(['api', 'tokens', index, 'env']))
  } catch (error) {
    // A token of the server's environment is often not set where a person runs a command, and is of no use there.
    if (isServing || !(error instanceof BadConfig)) throw error
    return []
  }
}
