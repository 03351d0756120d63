import { type RoleSetting, Roles } from '#core/roles.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { Users } from './users.ts'

/** The part of the configuration that is used here. */
export interface UsersConfig {
  readonly site: { readonly url: string }
  readonly roles: Readonly<Record<string, RoleSetting>>
}

/** Makes the users of a site. */
export function makeUsers({ store, clock, config }: FeatureDeps & { readonly config: UsersConfig }) {
  const siteHost = new URL(config.site.url).hostname
  return { offers: new Users({ store, clock, roles: new Roles(config.roles), siteHost }) } satisfies Feature
}
