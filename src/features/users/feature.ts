import { type RoleSetting, Roles } from '#core/access/roles.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { type Leaving, Users } from './users.ts'

/** The dependencies of users. */
export interface UsersFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly roles: Readonly<Record<string, RoleSetting>> }
  /** As in `Users`. */
  readonly leaving: Leaving
}

/** Makes the users of a site. */
export function makeUsers({ store, clock, config, leaving }: UsersFeatureDeps) {
  const siteHost = new URL(config.site.url).hostname
  return { offers: new Users({ store, clock, roles: new Roles(config.roles), siteHost, leaving }) } satisfies Feature
}
