import type { Ledger } from '#core/ledger.ts'
import type { SigningIn } from '#http/requests/acting.ts'
import type { Clock } from '#lib/clock.ts'
import { BadRequest, Failure, NotFound } from '#lib/errors.ts'
import type { Attempts } from '../attempts.ts'
import { addressWith, type Handovers } from '../sessions/handovers.ts'
import type { Sessions, TokenResponse } from '../sessions/sessions.ts'
import { BrowserCookie } from './browser-cookie.ts'
import { errorCode, ProviderAway } from './failures.ts'
import type { Identities } from './identities.ts'
import type { Provider, ProviderSetting, Returned } from './provider.ts'
import { type Begun, States } from './states.ts'

/** Timeout of one request to a provider, in milliseconds. */
const PATIENCE = 5000

/** The callback parameters that are read. All others are ignored. */
const RETURNED = ['code', 'state', 'iss', 'error'] as const

/** The dependencies of provider sign-in. `siteUrl` is the site's address for browsers, `settings` are the providers by name. */
export interface ProvidersDeps {
  readonly settings: Readonly<Record<string, ProviderSetting>>
  readonly siteUrl: string
  /** The address of the panel; undefined where there is none. */
  readonly panelUrl: string | undefined
  readonly ledger: Ledger
  readonly clock: Clock
  readonly identities: Identities
  readonly sessions: Pick<Sessions, 'begin'>
  readonly handovers: Pick<Handovers, 'to' | 'give'>
  readonly attempts: Pick<Attempts, 'signedIn'>
  readonly patience?: number
}

/** The redirect to a provider: its address, and the cookie header that identifies the browser when it comes back. */
export interface Leaving {
  readonly location: string
  readonly cookie: string
}

/**
 * The result of a sign-in: tokens if it was requested here, a redirect address if one was requested, or the failure. `cookie` is
 * the header that clears the browser's cookie. It is absent if the same address may be requested again.
 */
export type Arriving = ({ readonly tokens: TokenResponse } | { readonly location: string } | { readonly failure: Failure }) & {
  readonly cookie?: string
  /** The error of a provider, for the log. */
  readonly trouble?: Error
}

/** Signing in at providers of identities: OpenID Connect and OAuth 2 by authorization code with PKCE, as RFC 9700 asks. */
export class Providers {
  readonly #deps: ProvidersDeps
  readonly #states: States
  readonly #cookie: BrowserCookie
  readonly #open = new Map<string, Promise<Provider>>()

  constructor(deps: ProvidersDeps) {
    this.#deps = deps
    this.#states = new States(deps)
    this.#cookie = new BrowserCookie(deps.siteUrl)
  }

  /** The names of the providers. */
  get names(): string[] {
    return Object.keys(this.#deps.settings)
  }

  /**
   * Sends a browser to a provider; `to` is where the sign-in is to lead to. Throws NotFound, BadRequest for another `to` than is
   * configured, ProviderAway. With `panel`, the id of a sign-in in the panel, it leads there.
   */
  async begin(name: string, to: string | undefined, panel?: string): Promise<Leaving> {
    const provider = await this.#provider(name)
    const { begun, secret } = this.#states.begin(this.#deps.handovers.to(to), panel)
    const location = await provider.begin(begun.dance)
    await this.#states.keep(name, begun, secret)
    return { location: location.href, cookie: this.#cookie.set(secret) }
  }

  /**
   * Takes a browser back from a provider. Throws NotFound, and BadRequest where this browser has not begun what it comes back
   * from.
   */
  async finish(name: string, query: Returned, cookies: string | undefined, signingIn?: SigningIn): Promise<Arriving> {
    const provider = await this.#provider(name)
    const secret = this.#cookie.read(cookies)
    const begun = await this.#states.take(name, query.state, secret)
    if (!begun || secret === undefined) throw this.#notBegun()
    const to = this.#deps.handovers.to(begun.to)
    try {
      return { ...(await this.#signIn(name, provider, begun, returned(query), signingIn)), cookie: this.#cookie.remove() }
    } catch (failure) {
      if (!(failure instanceof Failure)) throw failure
      if (signingIn) signingIn.hasFailed = true
      const trouble = failure instanceof ProviderAway ? { trouble: failure.trouble } : {}
      const { panelUrl } = this.#deps
      if (begun.panel !== undefined && panelUrl !== undefined) {
        const location = addressWith(`${panelUrl}/admin/login/arrive`, 'error', errorCode(failure))
        return { location, cookie: this.#cookie.remove(), ...trouble }
      }
      if (to !== undefined)
        return { location: addressWith(to, 'error', errorCode(failure)), cookie: this.#cookie.remove(), ...trouble }
      if (!(failure instanceof ProviderAway)) return { failure, cookie: this.#cookie.remove() }
      // Nothing is lost: when the provider is back, the same address leads on.
      await this.#states.keep(name, begun, secret)
      return { failure, ...trouble }
    }
  }

  async #signIn(
    name: string,
    provider: Provider,
    { dance, to, panel }: Begun,
    query: Returned,
    signingIn: SigningIn | undefined,
  ): Promise<{ tokens: TokenResponse } | { location: string }> {
    const { identities, sessions, handovers, attempts, panelUrl } = this.#deps
    const person = await provider.person(dance, query)
    const user = await identities.userOf({ name, realm: provider.realm }, person)
    await attempts.signedIn(user.email, 'provider')
    if (panel !== undefined && panelUrl !== undefined)
      return { location: addressWith(`${panelUrl}/admin/login/arrive`, 'code', await handovers.give(user, 'provider', panel)) }
    if (to === undefined) return { tokens: await sessions.begin(user, 'provider', signingIn) }
    return { location: addressWith(to, 'code', await handovers.give(user, 'provider')) }
  }

  #provider(name: string): Promise<Provider> {
    const { settings } = this.#deps
    const setting = Object.hasOwn(settings, name) ? settings[name] : undefined
    if (!setting) throw new NotFound('There is no such provider to sign in with.')
    const known = this.#open.get(name)
    if (known) return known
    const open = this.#make(name, setting)
    this.#open.set(name, open)
    open.catch(() => this.#open.delete(name))
    return open
  }

  /** Creates a provider. Its module is only loaded when somebody signs in with one. */
  async #make(name: string, setting: ProviderSetting): Promise<Provider> {
    const { siteUrl, clock, patience = PATIENCE } = this.#deps
    const callback = `${siteUrl.replace(/\/+$/, '')}/api/auth/${encodeURIComponent(name)}/callback`
    const parts = { name, setting, callback, patience }
    if (setting.kind === 'oidc') return new (await import('./oidc.ts')).OidcProvider(parts, clock)
    return new (await import('./oauth2.ts')).OAuth2Provider(parts)
  }

  #notBegun(): BadRequest {
    const { origin } = new URL(this.#deps.siteUrl)
    return new BadRequest(
      `This sign-in was not begun in this browser at ${origin}, took over ten minutes, or is over. Begin again.`,
    )
  }
}

function returned(query: Returned): Returned {
  return Object.fromEntries(RETURNED.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])))
}
