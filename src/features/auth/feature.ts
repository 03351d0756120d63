import type { Mail } from '#core/mail.ts'
import type { Feature, FeatureDeps } from '../feature.ts'
import { UserResource } from '../users/panel/resources.ts'
import type { Users } from '../users/users.ts'
import { Auth, type AuthSettings } from './auth.ts'
import type { Hashing } from './methods/hashing.ts'

/** The dependencies of sign-in, beside the users. */
export interface AuthFeatureDeps extends FeatureDeps {
  readonly config: FeatureDeps['config'] & {
    readonly auth: AuthSettings
    readonly admin: { readonly url: string | null }
    readonly features: { readonly admin: boolean }
  }
  /** The mail of the site, opened when it is first asked for. */
  readonly mail: () => Mail
  /** The password hashing. By default at the recommended cost. */
  readonly hashing?: Hashing | undefined
}

/** Makes the sign-in of these users, and the work on the messages that it sends. */
export function makeAuth({ store, ledger, clock, config, hashing, ...deps }: AuthFeatureDeps, users: Users) {
  const mail = deps.mail()
  const { site, admin, features, auth: settings } = config
  const panelUrl = features.admin ? (admin.url ?? site.url).replace(/\/+$/, '') : undefined
  const auth = new Auth({ store, ledger, clock, users, settings, mailer: mail, site, panelUrl, hashing })
  mail.composes(auth.composers)
  return {
    offers: auth,
    resources: new UserResource({ accounts: auth.accounts, roles: () => users.roles.names() }),
    jobs: mail.workers,
    routes: async (app, { api, log }) => {
      const [{ authRoutes }, { userRoutes }] = await Promise.all([import('./routes.ts'), import('../users/routes.ts')])
      app.register(async (scope) => authRoutes(scope, { auth, log, ...api.signing }))
      app.register(async (scope) => userRoutes(scope, { accounts: auth.accounts, ...api }))
    },
  } satisfies Feature
}
