import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  fetchProtectedResource,
} from 'openid-client'
import { askProvider, Unusable } from './asking.ts'
import { away, failureOf } from './library-failures.ts'
import { personOf } from './person.ts'
import type { Dance, Person, Provider, ProviderDeps, ProviderSetting, Returned } from './provider.ts'

/** The scope that GitHub requires to read e-mail addresses. */
const SCOPE = 'user:email'

/** A provider that speaks plain OAuth 2, such as GitHub: who the person is it says at an address of its own, as JSON. */
export class OAuth2Provider implements Provider {
  readonly realm: string
  readonly #deps: ProviderDeps
  readonly #client: Configuration

  constructor(deps: ProviderDeps) {
    const { setting, patience } = deps
    const { issuer, authorize_url = '', token_url = '', user_url = '' } = setting
    this.realm = issuer ?? new URL(user_url).origin
    this.#deps = deps
    this.#client = new Configuration(
      { issuer: issuer ?? new URL(authorize_url).origin, authorization_endpoint: authorize_url, token_endpoint: token_url },
      setting.client_id,
      undefined,
      ClientSecretPost(setting.client_secret),
    )
    this.#client.timeout = patience / 1000
    this.#client[customFetch] = askHonestly(token_url)
    // What is asked is held to https or this machine itself by `askProvider`.
    allowInsecureRequests(this.#client)
  }

  async begin({ state, verifier }: Dance): Promise<URL> {
    const { callback, setting } = this.#deps
    const scope = scopeOf(setting)
    return buildAuthorizationUrl(this.#client, {
      redirect_uri: callback,
      ...(scope !== undefined && { scope }),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
  }

  async person({ state, verifier }: Dance, returned: Returned): Promise<Person> {
    const { name, callback } = this.#deps
    try {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const { access_token } = await authorizationCodeGrant(this.#client, this.#address(callback, returned), checks)
      return await this.#ask(access_token)
    } catch (error) {
      throw failureOf(name, error)
    }
  }

  /**
   * Returns the callback address to validate. The issuer of a code is only compared if the expected one is known (RFC 9207 §2.4).
   * Each provider has a callback of its own in any case (RFC 9700 §4.4.2.2).
   */
  #address(callback: string, returned: Returned): URL {
    const { iss, ...others } = returned
    const params = iss !== undefined && this.#deps.setting.issuer !== undefined ? returned : others
    return new URL(`${callback}?${new URLSearchParams(params)}`)
  }

  async #ask(token: string): Promise<Person> {
    const { setting, name } = this.#deps
    const user = await this.#read(token, setting.user_url ?? '')
    const { id, name: called, login } = (user ?? {}) as Record<string, unknown>
    const email = setting.emails_url === undefined ? undefined : verifiedOf(await this.#read(token, setting.emails_url))
    const person = personOf(id, email, called ?? login)
    if (!person) throw away(name, new Unusable('it does not say who the person is: "id" is missing'))
    return person
  }

  async #read(token: string, address: string): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json' })
    const answer = await fetchProtectedResource(this.#client, token, new URL(address), 'GET', null, headers)
    if (answer.status !== 200) throw new Unusable(`${new URL(address).pathname} answered ${answer.status}`)
    return answer.json()
  }
}

function scopeOf({ scope, emails_url, authorize_url = '' }: ProviderSetting): string | undefined {
  if (new URL(authorize_url).searchParams.has('scope')) return undefined
  return scope ?? (emails_url === undefined ? undefined : SCOPE)
}

/** The one address that is both the person's first and verified. */
function verifiedOf(emails: unknown): unknown {
  const all: unknown[] = Array.isArray(emails) ? emails : []
  const found = all.find((item) => {
    const { primary, verified } = (item ?? {}) as Record<string, unknown>
    return primary === true && verified === true
  })
  return (found as { email?: unknown } | undefined)?.email
}

/** GitHub answers that a code is bad with 200; RFC 6749 §5.2 has it 400. */
function askHonestly(tokenUrl: string): CustomFetch {
  return async (url, options) => {
    const answer = await askProvider(url, options)
    if (url !== new URL(tokenUrl).href || answer.status !== 200) return answer
    const said = (await answer
      .clone()
      .json()
      .catch(() => undefined)) as { error?: unknown } | null | undefined
    return typeof said?.error === 'string'
      ? new Response(await answer.arrayBuffer(), { status: 400, headers: answer.headers })
      : answer
  }
}
