import type { Clock } from '../../core/clock.ts'
import type { Ledger } from '../../core/ledger.ts'
import type { Store } from '../../core/store.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { Users } from '../users/users.ts'
import { AccessTokens } from './access-tokens.ts'
import { Handovers } from './handovers.ts'
import { Keys } from './keys.ts'
import { People } from './people.ts'
import { Sessions } from './sessions.ts'

/** What of `auth` in the configuration is read here. */
export interface AuthSettings {
  readonly redirects: readonly string[]
  readonly refresh: { readonly ttl: string }
}

/** What signing in is made of. */
export interface AuthParts {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly users: Users
  readonly settings: AuthSettings
  /** The site's address: who its tokens are by and for. */
  readonly url: string
}

/** Signing in, and all that is known of who did. */
export class Auth {
  readonly users: Users
  readonly keys: Keys
  readonly people: People
  readonly sessions: Sessions
  readonly handovers: Handovers

  constructor({ store, ledger, clock, users, settings, url }: AuthParts) {
    this.users = users
    this.keys = new Keys({ store, clock })
    const accessTokens = new AccessTokens({ keys: this.keys, clock, issuer: url.replace(/\/+$/, '') })
    const life = parseDuration(settings.refresh.ttl) ?? 0
    this.sessions = new Sessions({ ledger, clock, users, accessTokens, life })
    this.people = new People({ store, clock, users, accessTokens, sessions: this.sessions })
    this.handovers = new Handovers({ ledger, users, sessions: this.sessions, redirects: settings.redirects })
  }
}
