import { type RoleSetting, Roles } from '#core/roles.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { Users } from './users.ts'

/** The dependencies of users. */
export interface UsersFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly roles: Readonly<Record<string, RoleSetting>> }
}

/** Makes the users of a site. */
export function makeUsers({ store, clock, config }: UsersFeatureDeps) {
  const siteHost = new URL(config.site.url).hostname
  return { offers: new Users({ store, clock, roles: new Roles(config.roles), siteHost }) } satisfies Feature
}
