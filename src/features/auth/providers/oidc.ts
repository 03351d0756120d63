import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ServerMetadata,
} from 'openid-client'
import type { Clock } from '#lib/clock.ts'
import { askProvider } from './asking.ts'
import { notFitting } from './failures.ts'
import { away, failureOf } from './library-failures.ts'
import { personOf } from './person.ts'
import type { Dance, Person, Provider, ProviderDeps, Returned } from './provider.ts'

/** Milliseconds that a provider's metadata is cached. */
const KEPT = 60 * 60 * 1000

const SCOPE = 'openid email profile'

/**
 * Allowed signature algorithms of ID tokens: only with a key that the provider publishes, never with a shared secret, never
 * unsigned (RFC 8725 §3.1).
 */
const ALGORITHMS: ReadonlySet<string> = new Set([
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
])

/** A provider that speaks OpenID Connect: it is found by its issuer, and says who the person is in an ID token. */
export class OidcProvider implements Provider {
  readonly realm: string
  readonly #deps: ProviderDeps
  readonly #clock: Clock
  #known: { readonly client: Configuration; readonly until: number } | undefined
  #asking: Promise<Configuration> | undefined

  constructor(deps: ProviderDeps, clock: Clock) {
    this.realm = deps.setting.issuer ?? ''
    this.#deps = deps
    this.#clock = clock
  }

  async begin({ state, verifier, nonce }: Dance): Promise<URL> {
    const { callback, setting } = this.#deps
    const client = await this.#client()
    return buildAuthorizationUrl(client, {
      redirect_uri: callback,
      scope: setting.scope ?? SCOPE,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  }

  async person(dance: Dance, returned: Returned): Promise<Person> {
    const client = await this.#client()
    try {
      return await this.#person(client, dance, returned)
    } catch (error) {
      throw failureOf(this.#deps.name, error)
    }
  }

  async #person(client: Configuration, { state, verifier, nonce }: Dance, returned: Returned): Promise<Person> {
    const { name, callback } = this.#deps
    const tokens = await authorizationCodeGrant(client, new URL(`${callback}?${new URLSearchParams(returned)}`), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw notFitting(name)
    // Of a token for one audience the library does not look at it (OpenID Connect Core §3.1.3.7, 5).
    if (claims.azp !== undefined && claims.azp !== client.clientMetadata().client_id) throw notFitting(name)
    // The e-mail address may be in the ID token; many providers return it only for the access token.
    const asks = claims.email === undefined && client.serverMetadata().userinfo_endpoint !== undefined
    const told = asks ? await fetchUserInfo(client, tokens.access_token, claims.sub) : claims
    const person = personOf(claims.sub, told.email_verified === true ? told.email : undefined, told.name)
    if (!person) throw notFitting(name)
    return person
  }

  /**
   * Returns the provider's metadata. It is requested on first use and refreshed now and then. If the refresh fails, the cached
   * metadata is used.
   */
  async #client(): Promise<Configuration> {
    const known = this.#known
    if (known && this.#clock.now() < known.until) return known.client
    this.#asking ??= this.#discover().finally(() => {
      this.#asking = undefined
    })
    try {
      const client = await this.#asking
      this.#known = { client, until: this.#clock.now() + KEPT }
      return client
    } catch (error) {
      if (known) return known.client
      throw away(this.#deps.name, error)
    }
  }

  async #discover(): Promise<Configuration> {
    const { setting, patience } = this.#deps
    const timeout = patience / 1000
    const execute = isPlain(this.realm) ? [allowInsecureRequests] : []
    const found = await discovery(new URL(this.realm), setting.client_id, undefined, undefined, {
      timeout,
      execute,
      [customFetch]: askProvider,
    })
    const { supportsPKCE: _, ...server } = found.serverMetadata()
    const client = new Configuration(limited(server), setting.client_id, undefined, authOf(server, setting.client_secret))
    client.timeout = timeout
    client[customFetch] = askProvider
    for (const allow of execute) allow(client)
    // That a token came over a connection to the provider would do (OpenID Connect Core §3.1.3.7); its signature is checked
    // beside.
    enableNonRepudiationChecks(client)
    return client
  }
}

function isPlain(address: string): boolean {
  return new URL(address).protocol === 'http:'
}

function limited(server: ServerMetadata): ServerMetadata {
  const offered = server.id_token_signing_alg_values_supported ?? ['RS256']
  return { ...server, id_token_signing_alg_values_supported: offered.filter((algorithm) => ALGORITHMS.has(algorithm)) }
}

/** Returns the client authentication that the provider supports, by default in the header (OpenID Connect Discovery §3). */
function authOf({ token_endpoint_auth_methods_supported: methods }: ServerMetadata, secret: string): ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic')
  return isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret)
}
