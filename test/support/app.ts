import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { shapeFaults } from '#config/check.ts'
import { type Config, configSchema } from '#config/schema.ts'
import type { Compose, Composed, Mail, Message } from '#core/mail.ts'
import { TermStore } from '#core/terms/store.ts'
import { Hashing } from '#features/auth/methods/hashing.ts'
import type { ModuleSet } from '#features/modules/module-set.ts'
import type { User } from '#features/users/user.ts'
import { shippedTemplates } from '#lib/package.ts'
import { type AppDeps, buildApp } from '../../src/app.ts'
import { type SiteFeatures, type SiteFeaturesDeps, siteFeatures } from '../../src/features.ts'
import { MemoryJobs, MemoryQueue } from './memory-jobs.ts'
import { misbehavingSet } from './misbehaving.ts'
import { hold } from './openapi.ts'
import type { OpenedStore } from './stores.ts'

/** The options for the app of a test, beside its store. */
export interface AppOptions {
  /** Sections of the configuration, each in the place of what tests have. All switches of `features` that are not named are off. */
  config?: { readonly [K in keyof Config]?: object }
  /** The hashing of passwords; by default one that costs nothing. */
  hashing?: Hashing
  /** The transport of messages; by default they are kept in `messages`. */
  send?: Mail['send']
  /** The addresses of routes that the API's description leaves out. */
  undescribed?: RegExp
  /** Dependencies in the place of what tests have. */
  deps?: Partial<SiteFeaturesDeps & AppDeps>
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
  readonly features: SiteFeatures['features']
  readonly lives: SiteFeatures['lives']
  /** The messages that were sent. */
  readonly messages: Message[] = []
  #secrets = new Map<string, string>()
  readonly #composers = new Map<string, Compose>()

  constructor(opened: OpenedStore, { config: given = {}, hashing = FREE, send, deps, undescribed }: AppOptions = {}) {
    const { ledger, clock, types, siteFiles } = opened
    const queue = new MemoryQueue()
    const mail: Mail = {
      send: send ?? (async (message) => void this.messages.push(message)),
      deliver: async () => undefined,
      examine: async () => ({ name: 'mail', state: 'ok', says: 'Messages are kept.' }),
      composes: (composers) => {
        for (const [name, compose] of Object.entries(composers)) this.#composers.set(name, compose)
      },
      workers: {},
    }
    const root = opened.site?.root ?? NOWHERE
    const whole = {
      // As a site is opened.
      store: new TermStore(opened.store, types, clock),
      ...{ ledger, siteFiles, types, clock, hashing, root, env: {}, isShared: false, isServing: true },
      ...{ privateDir: join(root, '.cms'), templates: shippedTemplates(), fingerprint: '' },
      config: configOf(given),
      at: () => ({ file: 'cms.config.yaml' }),
      search: () => opened.search,
      blobs: () => opened.blobs,
      audit: () => opened.audit,
      jobs: () => new MemoryJobs(queue, clock),
      mail: () => mail,
      version: '0',
      log: () => undefined,
      ...misbehaving(),
      ...deps,
    }
    const { features, lives, serving } = siteFeatures(whole)
    this.features = features
    this.lives = lives
    this.app = hold(buildApp({ ...serving(), ...whole }), undescribed)
  }

  /** Closes the app, then its features. */
  async close(): Promise<void> {
    await this.app.close()
    await this.lives.close()
  }

  /** Composes a message as it would be sent now; undefined where nothing would be. */
  async compose(message: Message): Promise<Composed | undefined> {
    return this.#composers.get(message.template)?.(message)
  }

  /** The secret of a token with these scopes, made once. */
  async token(scopes = 'admin', types: string[] = []): Promise<string> {
    const name = [scopes, ...types].join(' ')
    const known = this.#secrets.get(name)
    if (known) return known
    const { token } = await this.features.tokens.create({ name, scopes: scopes.split(','), types, expires: 'never' })
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
    const { token } = await this.features.auth.sessions.begin(user, 'password')
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

/** The module that a run of the tests has in all apps, where it names one of `misbehaving.ts`. */
function misbehaving(): { modules?: ModuleSet; moduleLog?: () => void; modulePatience?: number } {
  const { MISBEHAVING: name } = process.env
  return name === undefined ? {} : { modules: misbehavingSet(name), moduleLog: () => undefined, modulePatience: 100 }
}

const FREE = new Hashing({ n: 16, r: 1, p: 1 })
const NOWHERE = join(tmpdir(), 'quire-no-site')

/** What tests have where they say nothing else: all defaults, no throttle, and few features. */
function configOf(given: NonNullable<AppOptions['config']>): Config {
  const config: Record<string, object> = {
    site: { name: 'Test site', url: 'https://example.org' },
    throttle: { api: 'off', search: 'off', auth: 'off', uploads: 'off', admin: 'off' },
  }
  for (const [name, section] of Object.entries<object>(JSON.parse(JSON.stringify(given))))
    config[name] = Array.isArray(section) ? section : { ...config[name], ...section }
  const on: Readonly<Record<string, boolean>> = {
    docs: true,
    ...(given.features ?? { api: true, revisions: true, search: true, auth: true }),
  }
  config.features = Object.fromEntries(
    Object.keys(configSchema.properties.features.properties).map((name) => [name, on[name] ?? false]),
  )
  if (shapeFaults(config, configSchema).length > 0) throw new TypeError('There is no such configuration.')
  return config as unknown as Config
}

function bytesOf(body: unknown): string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
}
