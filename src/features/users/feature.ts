import { type RoleSetting, Roles } from '#core/access/roles.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { Invitations } from './invitations.ts'
import { type Leaving, type Narrow, Users } from './users.ts'

/** The dependencies of users. */
export interface UsersFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & { readonly roles: Readonly<Record<string, RoleSetting>> }
  /** As in `Users`. */
  readonly leaving: Leaving
  readonly narrow: Narrow
}

/** Makes the users of a site. */
export function makeUsers({ store, types, clock, config, leaving, narrow }: UsersFeatureDeps) {
  const siteHost = new URL(config.site.url).hostname
  const users = new Users({ store, types, clock, roles: new Roles(config.roles), siteHost, leaving, narrow })
  return { offers: users, invitations: new Invitations({ store, users }) } satisfies Feature & {
    readonly invitations: Invitations
  }
}
