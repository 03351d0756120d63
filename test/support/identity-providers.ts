import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTPayload, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import type { ProviderSetting } from '#features/auth/providers/provider.ts'

/** Somebody whom a provider knows. */
export interface Known {
  sub: string
  email?: string
  email_verified?: boolean
  name?: string
}

/** The address to which the site has a provider redirect browsers. */
export const CALLBACK = 'https://example.org/api/auth/google/callback'

const CLIENT = { client_id: 'quire', client_secret: 'the secret of quire' }

/** A server of a test on a free port of 127.0.0.1. */
class Listening {
  readonly server: Server
  address = ''

  constructor() {
    this.server = createServer()
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve))
    this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** A real OpenID provider (oidc-provider) that signs in whom it is told to, without asking. */
export class OidcServer extends Listening {
  /** The person at the browser; undefined declines. */
  person: Known | undefined = { sub: 'ada-1', email: 'Ada@example.org', email_verified: true, name: 'Ada Lovelace' }
  #known = new Map<string, Known>()

  static async start(callbacks: readonly string[] = [CALLBACK]): Promise<OidcServer> {
    const one = new OidcServer()
    await one.listen()
    one.#serve(callbacks)
    return one
  }

  get setting(): ProviderSetting {
    return { kind: 'oidc', issuer: this.address, ...CLIENT }
  }

  #serve(callbacks: readonly string[]): void {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const provider = new Provider(this.address, {
      clients: [{ ...CLIENT, redirect_uris: [...callbacks], id_token_signed_response_alg: 'ES256' }],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: 'one' }] },
      cookies: { keys: ['for tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_, id) => ({ accountId: id, claims: async () => ({ ...this.#known.get(id), sub: id }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    const answer = provider.callback()
    this.server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
      void provider.interactionFinished(request, response, this.#signIn())
    })
  }

  #signIn() {
    const { person } = this
    if (!person) return { error: 'access_denied', error_description: 'They would not.' }
    this.#known.set(person.sub, person)
    return { login: { accountId: person.sub } }
  }
}

/** The request to a hand-made provider, from the address that a browser was sent to. */
interface Asked {
  challenge: string
  nonce: string | null
}

/** A provider made by hand, of either kind, that can be told to say what none should. */
export class HandMadeProvider extends Listening {
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  #codes = new Map<string, Asked>()
  /** The paths that were requested. */
  readonly asked: string[] = []
  /** The claims that differ in ID tokens; undefined leaves a claim out. */
  claims: Record<string, unknown> = {}
  signing: 'right' | 'other key' | 'none' | 'shared secret' = 'right'
  metadata: Record<string, unknown> = {}
  user: Record<string, unknown> = { id: 4711, login: 'ada', name: 'Ada Lovelace' }
  emails: unknown = [
    { email: 'old@example.org', primary: false, verified: true },
    { email: 'ada@example.org', primary: true, verified: true },
  ]
  /** Answers in the place of its own, by path; 'hang' never answers. */
  readonly instead = new Map<string, { status: number; body: string; headers?: Record<string, string> } | 'hang'>()

  static async start(): Promise<HandMadeProvider> {
    const one = new HandMadeProvider()
    await one.listen()
    one.server.on('request', (request, response) => void one.#answer(request, response))
    return one
  }

  get oidc(): ProviderSetting {
    return { kind: 'oidc', issuer: this.address, ...CLIENT }
  }

  get oauth2(): ProviderSetting {
    const { address } = this
    const [authorize_url, token_url] = [`${address}/authorize`, `${address}/token`]
    return { kind: 'oauth2', authorize_url, token_url, user_url: `${address}/user`, emails_url: `${address}/emails`, ...CLIENT }
  }

  /** Returns the parameters that the browser comes back with if the person at the address agrees. */
  agree(location: string): { code: string; state: string } {
    const { searchParams } = new URL(location)
    const code = randomBytes(8).toString('hex')
    this.#codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', nonce: searchParams.get('nonce') })
    return { code, state: searchParams.get('state') ?? '' }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? '', this.address)
    this.asked.push(path)
    const instead = this.instead.get(path)
    if (instead === 'hang') return
    if (instead)
      return void response.writeHead(instead.status, { 'content-type': 'application/json', ...instead.headers }).end(instead.body)
    const [status, body] = await this.#made(path, request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  async #made(path: string, request: IncomingMessage): Promise<[number, unknown]> {
    if (path === '/.well-known/openid-configuration') return [200, this.#metadata()]
    if (path === '/jwks')
      return [200, { keys: [{ ...this.#key.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' }] }]
    if (path === '/token') return this.#token(request)
    if (request.headers.authorization !== 'Bearer an access token') return [401, {}]
    return [200, path === '/emails' ? this.emails : this.user]
  }

  #metadata() {
    const { address } = this
    return {
      issuer: address,
      authorization_endpoint: `${address}/authorize`,
      token_endpoint: `${address}/token`,
      jwks_uri: `${address}/jwks`,
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
      ...this.metadata,
    }
  }

  async #token(request: IncomingMessage): Promise<[number, unknown]> {
    let text = ''
    for await (const part of request) text += part
    const form = new URLSearchParams(text)
    const asked = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!asked || asked.challenge !== challenge) return [400, { error: 'invalid_grant' }]
    const tokens = { access_token: 'an access token', token_type: 'bearer', scope: 'user:email' }
    return [200, asked.nonce === null ? tokens : { ...tokens, id_token: await this.#idToken(asked.nonce) }]
  }

  #idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = {
      iss: this.address,
      aud: 'quire',
      sub: 'ada-1',
      iat: now,
      exp: now + 60,
      nonce,
      email: 'ada@example.org',
      email_verified: true,
    }
    const claims = JSON.parse(JSON.stringify({ ...usual, ...this.claims })) as JWTPayload
    return this.#signed(claims)
  }

  async #signed(claims: JWTPayload): Promise<string> {
    if (this.signing === 'none') return `${part({ alg: 'none' })}.${part(claims)}.`
    const token = new SignJWT(claims)
    if (this.signing === 'shared secret')
      return token.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.client_secret))
    const key: KeyObject = this.signing === 'right' ? this.#key.privateKey : this.#other.privateKey
    return token.setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key)
  }
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
