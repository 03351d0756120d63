import { join } from 'node:path'
import type { LoadedConfig } from '#config/load.ts'
import type { Backend } from '#core/backend.ts'
import type { Auth } from '#features/auth/auth.ts'
import type { Users } from '#features/users/users.ts'
import type { Clock } from '#lib/clock.ts'
import type { Mail, MailListeners } from './mail.ts'

/** Signing in, and the mail that it needs. */
export interface Signing {
  readonly auth: Auth
  readonly mail: Mail
}

/** The dependencies of sign-in. `templates` is the folder of Quire's own templates. */
export interface SigningDeps {
  readonly loaded: LoadedConfig
  readonly backend: Backend
  readonly clock: Clock
  readonly users: Users
  readonly templates: string
  readonly listeners: MailListeners
}

/**
 * A way to the signing in of a site, the same each time; made when it is first asked for, since most commands have no use for it.
 */
export function signingOf(deps: SigningDeps): () => Promise<Signing> {
  let made: Promise<Signing> | undefined
  return () => {
    made ??= make(deps)
    return made
  }
}

async function make({ loaded, backend, clock, users, templates, listeners }: SigningDeps): Promise<Signing> {
  const [{ Auth }, { mailOf }] = await Promise.all([import('#features/auth/auth.ts'), import('./mail.ts')])
  const { config, root } = loaded
  const { store, ledger, jobs } = backend
  const privateDir = join(root, config.storage.private_dir)
  const mail = mailOf(loaded, { jobs, clock, privateDir, templates }, listeners)
  const auth = new Auth({ store, ledger, clock, users, settings: config.auth, mailer: mail.outbox, site: config.site })
  mail.outbox.composes(auth.composers)
  return { auth, mail }
}
