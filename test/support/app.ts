import type { FastifyInstance, InjectOptions } from 'fastify'
import type { Mailer, Message } from '#core/mail.ts'
import { type RoleSetting, Roles } from '#core/roles.ts'
import { TermStore } from '#core/term-store.ts'
import { Auth, type AuthSettings } from '#features/auth/auth.ts'
import { Hashing } from '#features/auth/methods/hashing.ts'
import { recordParts } from '#features/records/parts.ts'
import { Records } from '#features/records/records.ts'
import { Revisions } from '#features/revisions/revisions.ts'
import { Search } from '#features/search/search.ts'
import type { ConfiguredToken } from '#features/tokens/configured.ts'
import { Tokens } from '#features/tokens/tokens.ts'
import type { User } from '#features/users/user.ts'
import { Users } from '#features/users/users.ts'
import { buildApp } from '../../src/app.ts'
import type { AppConfig, AppDeps } from '../../src/features.ts'
import { hold } from './openapi.ts'
import type { OpenedStore } from './stores.ts'

/** The options for the app of a test, beside its store. */
export interface AppOptions {
  config?: Partial<Omit<AppConfig, 'throttle'>> & { throttle?: Partial<AppConfig['throttle']> }
  configured?: ConfiguredToken[]
  roles?: Readonly<Record<string, RoleSetting>>
  auth?: Partial<AuthSettings>
  /** The address at which browsers see the site; default https://example.org. */
  url?: string
  /** The hashing of passwords; by default one that costs nothing. */
  hashing?: Hashing
  /** The transport of messages; by default they are kept in `messages`. */
  mailer?: Mailer
  parts?: Partial<AppDeps>
}

/** An answer, its JSON parsed. */
export interface Answered {
  status: number
  // The tests say what they expect of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
  body: any
  headers: Record<string, string | undefined>
  text: string
}

/** An app on a store, with ways to make tokens and to ask. */
export class TestApp {
  readonly app: FastifyInstance
  readonly tokens: Tokens
  readonly records: Records
  readonly revisions: Revisions
  readonly search: Search
  readonly users: Users
  readonly auth: Auth
  /** The messages that were sent. */
  readonly messages: Message[] = []
  #secrets = new Map<string, string>()

  constructor(opened: OpenedStore, options: AppOptions = {}) {
    const { ledger, clock, types } = opened
    // As a site is opened.
    const store = new TermStore(opened.store, types, clock)
    const search = options.config?.features?.search === false ? undefined : { index: () => opened.search, locale: 'en' }
    const made = recordParts({ store, types, clock, search, url: options.url ?? 'https://example.org' })
    this.records = new Records(made)
    this.revisions = new Revisions(made)
    this.tokens = new Tokens({ store, ledger, clock, configured: options.configured ?? [], siteHost: 'example.org' })
    this.search = new Search({ store, types, clock, locale: 'en', index: () => opened.search })
    this.users = new Users({ store, clock, roles: new Roles(options.roles), siteHost: 'example.org' })
    const settings = { ...AUTH, ...options.auth }
    const mailer: Mailer = options.mailer ?? { send: async (message) => void this.messages.push(message) }
    const hashing = options.hashing ?? new Hashing({ n: 16, r: 1, p: 1 })
    const site = { name: 'Test site', url: options.url ?? 'https://example.org' }
    this.auth = new Auth({ store, ledger, clock, users: this.users, settings, mailer, site, hashing })
    const throttle = { ...DEFAULTS.throttle, ...options.config?.throttle }
    const features = { docs: true, ...(options.config?.features ?? DEFAULTS.features) }
    const config = { ...DEFAULTS, site, ...options.config, features, throttle }
    const { records, revisions, tokens, auth } = this
    this.app = hold(
      buildApp({
        config,
        store,
        ledger,
        clock,
        types,
        records,
        revisions,
        search: this.search,
        tokens,
        auth,
        site: undefined,
        version: '0',
        log: () => undefined,
        ...options.parts,
      }),
    )
  }

  /** The secret of a token with these scopes, made once. */
  async token(scopes = 'admin', types: string[] = []): Promise<string> {
    const name = [scopes, ...types].join(' ')
    const known = this.#secrets.get(name)
    if (known) return known
    const { token } = await this.tokens.create({ name, scopes: scopes.split(','), types, expires: 'never' })
    this.#secrets.set(name, token)
    return token
  }

  /** Asks with a token of these scopes. */
  async ask(
    request: string,
    options: { body?: unknown; as?: string; types?: string[]; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    const authorization = `Bearer ${await this.token(options.as, options.types)}`
    return this.bare(request, { ...options, headers: { authorization, ...options.headers } })
  }

  /** Asks as somebody who is signed in. */
  async askAs(
    user: User,
    request: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    const { token } = await this.auth.sessions.begin(user, 'password')
    return this.bare(request, { ...options, headers: { authorization: `Bearer ${token}`, ...options.headers } })
  }

  /** Asks without a token: `GET /api/cms/posts`. `from` is the client's address. */
  async bare(
    request: string,
    options: { body?: unknown; headers?: Record<string, string>; from?: string } = {},
  ): Promise<Answered> {
    const [method = 'GET', url = '/'] = request.split(' ')
    const sent = options.body === undefined ? {} : { payload: bytesOf(options.body) }
    const headers = { ...(options.body === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers }
    const from = options.from === undefined ? {} : { remoteAddress: options.from }
    const answer = await this.app.inject({ method, url, headers, ...sent, ...from } as InjectOptions)
    const isJson = String(answer.headers['content-type']).startsWith('application/json') && answer.body !== ''
    return {
      status: answer.statusCode,
      body: isJson ? JSON.parse(answer.body) : undefined,
      headers: answer.headers as Record<string, string | undefined>,
      text: answer.body,
    }
  }
}

const DEFAULTS: AppConfig = {
  site: { name: 'Test site', url: 'https://example.org' },
  server: { trust_proxy: false },
  features: { api: true, revisions: true, search: true, auth: true },
  api: { cors: { origins: [] } },
  throttle: { api: 'off', search: 'off', auth: 'off' },
}

const AUTH: AuthSettings = {
  methods: ['otp', 'magic_link', 'password'],
  registration: false,
  password: { min_length: 15 },
  otp: { ttl: '10m' },
  redirects: [],
  refresh: { ttl: '30d' },
  providers: {},
}

function bytesOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}
