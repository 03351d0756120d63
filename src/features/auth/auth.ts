import type { Ledger } from '#core/ledger.ts'
import type { Composers, Mailer } from '#core/mail.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { parseDuration } from '#lib/duration.ts'
import { Accounts } from '../users/accounts.ts'
import type { Users } from '../users/users.ts'
import { Attempts } from './attempts.ts'
import { Codes } from './methods/codes.ts'
import { Hashing } from './methods/hashing.ts'
import { Links } from './methods/links.ts'
import { PasswordRules } from './methods/password-rules.ts'
import { Passwords } from './methods/passwords.ts'
import { Identities } from './providers/identities.ts'
import type { ProviderSetting } from './providers/provider.ts'
import { Providers } from './providers/providers.ts'
import { Registration } from './registration.ts'
import { AccessTokens } from './sessions/access-tokens.ts'
import { Handovers } from './sessions/handovers.ts'
import { Keys } from './sessions/keys.ts'
import { People } from './sessions/people.ts'
import { PreviewTokens } from './sessions/preview-tokens.ts'
import { Sessions } from './sessions/sessions.ts'

/** The part of `auth` in the configuration that is used here. */
export interface AuthSettings {
  readonly methods: readonly string[]
  readonly registration: boolean
  readonly password: { readonly min_length: number }
  readonly otp: { readonly ttl: string }
  readonly session: { readonly idle: string; readonly max: string }
  readonly redirects: readonly string[]
  readonly refresh: { readonly ttl: string }
  readonly providers: Readonly<Record<string, ProviderSetting>>
}

/** The dependencies of sign-in. */
export interface AuthDeps {
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly users: Users
  readonly settings: AuthSettings
  /** The queue for messages. */
  readonly mailer: Mailer
  /** The site: its address is who its tokens are by and for, and what links in messages begin with. */
  readonly site: { readonly name: string; readonly url: string }
  /** The address of the panel, without `/` at its end; undefined where it is off. */
  readonly panelUrl?: string | undefined
  /** The password hashing. By default at the recommended cost. */
  readonly hashing?: Hashing | undefined
}

/** Sign-in, and its users and sessions. */
export class Auth {
  readonly users: Users
  readonly accounts: Accounts
  readonly keys: Keys
  readonly previewTokens: PreviewTokens
  readonly people: People
  readonly sessions: Sessions
  readonly handovers: Handovers
  readonly attempts: Attempts
  readonly registration: Registration
  readonly codes: Codes
  readonly links: Links
  readonly passwords: Passwords
  readonly providers: Providers
  /** The ways to sign in that are switched on. */
  readonly methods: readonly string[]
  readonly site: AuthDeps['site']
  readonly composers: Pick<Composers, 'code' | 'link' | 'invitation' | 'password-changed'>

  constructor({ store, ledger, clock, users, settings, mailer, site, panelUrl, hashing = new Hashing() }: AuthDeps) {
    this.users = users
    this.accounts = new Accounts({ users, mailer, clock })
    this.methods = settings.methods
    this.site = site
    this.keys = new Keys({ store, clock })
    const signed = { keys: this.keys, clock, issuer: site.url.replace(/\/+$/, '') }
    const accessTokens = new AccessTokens(signed)
    this.previewTokens = new PreviewTokens(signed)
    const life = parseDuration(settings.refresh.ttl) ?? 0
    this.sessions = new Sessions({ ledger, clock, users, accessTokens, life })
    this.people = new People({ store, clock, users, accessTokens, sessions: this.sessions })
    this.handovers = new Handovers({ ledger, users, sessions: this.sessions, redirects: settings.redirects })
    this.attempts = new Attempts({ ledger, clock })
    this.registration = new Registration({ users, isOpen: settings.registration })
    const { attempts, registration, handovers } = this
    const common = { users, ledger, clock, mailer, attempts, registration }
    this.codes = new Codes({ ...common, life: parseDuration(settings.otp.ttl) ?? 0 })
    this.links = new Links({ ...common, handovers, siteUrl: site.url, isOn: settings.methods.includes('magic_link'), panelUrl })
    const rules = new PasswordRules({ least: settings.password.min_length, siteName: site.name })
    this.passwords = new Passwords({ ...common, hashing, rules })
    const identities = new Identities({ store, users, registration })
    const { sessions } = this
    const signing = { ledger, clock, identities, sessions, handovers, attempts }
    this.providers = new Providers({ ...signing, settings: settings.providers, siteUrl: site.url, panelUrl })
    this.composers = {
      code: (message) => this.codes.compose(message),
      link: (message) => this.links.compose(message),
      invitation: (message) => this.links.composeInvitation(message),
      'password-changed': (message) => this.passwords.composeChanged(message),
    }
  }
}
