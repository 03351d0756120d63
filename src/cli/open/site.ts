import { join } from 'node:path'
import { findSite, type LoadedConfig, loadConfig } from '#config/load.ts'
import { secretOf } from '#config/secret.ts'
import { type Access, localAccess } from '#core/access.ts'
import type { Backend } from '#core/backend.ts'
import type { ContentTypes } from '#core/content-type.ts'
import type { Author, Problem } from '#core/document.ts'
import { Roles } from '#core/roles.ts'
import { TermStore } from '#core/term-store.ts'
import { recordParts } from '#features/records/parts.ts'
import { Records } from '#features/records/records.ts'
import { Revisions } from '#features/revisions/revisions.ts'
import { Search } from '#features/search/search.ts'
import { Site } from '#features/site/site.ts'
import { type ConfiguredToken, configuredTokens } from '#features/tokens/configured.ts'
import { Tokens } from '#features/tokens/tokens.ts'
import { Users } from '#features/users/users.ts'
import { ThrottleExchange } from '#http/throttle-exchange.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { BadConfig } from '#lib/errors.ts'
import { shippedTemplates } from '#lib/package.ts'
import { programStamp } from '#lib/program-stamp.ts'
import { localAuthor, typesOf } from './configured.ts'
import type { MailListeners } from './mail.ts'
import { type Signing, signingOf } from './signing.ts'

/** A site, opened: what every command works with. Nothing outside this file knows which store runs. */
export interface Quire extends Omit<Backend, 'author' | 'search'> {
  readonly root: string
  /** The private folder, absolute. */
  readonly privateDir: string
  readonly config: LoadedConfig['config']
  readonly loaded: LoadedConfig
  readonly types: ContentTypes
  readonly clock: Clock
  readonly records: Records
  readonly revisions: Revisions
  readonly search: Search
  readonly tokens: Tokens
  readonly users: Users
  /** Signing in, and the mail it needs: made when it is first asked for. */
  readonly signing: () => Promise<Signing>
  readonly site: Site
  /** Makes the throttles of all servers count as one, where there may be several. */
  readonly exchange: ThrottleExchange | undefined
  /** The rights of the person at the machine: all. */
  readonly access: Access
}

/**
 * The options for opening a site. `serving` requires what only a server needs: the secrets of the tokens in the configuration.
 * `force` opens a site that was moved away.
 */
export interface OpenOptions {
  readonly directory: string
  readonly watch: boolean
  readonly serving?: boolean
  readonly force?: boolean
  readonly env?: NodeJS.ProcessEnv
  readonly onProblem?: (problem: Problem) => void
  /** A callback with the number of files that have been read, now and then, until the site is open. */
  readonly onProgress?: (files: number) => void
  readonly mail?: MailListeners
}

const TEMPLATES = shippedTemplates()

/** Opens the site that `directory` lies in. Throws BadConfig where it has none or its configuration can't be used. */
export async function openSite(options: OpenOptions): Promise<Quire> {
  const env = options.env ?? process.env
  const loaded = loadConfig(findSite(options.directory), env)
  const { config, root } = loaded
  const privateDir = join(root, config.storage.private_dir)
  const types = typesOf(config)
  const configured = tokensOf(loaded, env, options)
  const clock = systemClock
  const { watch, onProblem, onProgress, force = false } = options
  const { locale } = config.site
  const common = {
    root,
    privateDir,
    types,
    clock,
    locale,
    watch,
    force,
    ...(onProblem && { onProblem }),
    ...(onProgress && { onProgress }),
  }
  const backend = await backendOf(loaded, common, env)
  const { ledger } = backend
  const store = new TermStore(backend.store, types, clock)
  const siteHost = new URL(config.site.url).hostname
  const searching = { index: () => backend.search(), locale }
  const deps = recordParts({ store, types, clock, url: config.site.url, search: config.features.search ? searching : undefined })
  const cache = join(privateDir, 'cache')
  // Beside a database nothing is written on the machine.
  const search = new Search({ store, types, clock, ...searching, ...(backend.isShared ? {} : { folder: cache }) })
  const users = new Users({ store, clock, roles: new Roles(config.roles), siteHost })
  const signing = signingOf({ loaded, backend, clock, users, templates: TEMPLATES, listeners: options.mail ?? {} })
  const ownTemplatesDir = join(root, config.site.templates, 'site')
  const memory = backend.isShared ? {} : { memory: { folder: cache, basis: loaded.fingerprint } }
  const site = new Site({ root, store, types, clock, config, templatesDir: join(TEMPLATES, 'site'), ownTemplatesDir, ...memory })
  const access = localAccess(watch ? localAuthor(env, siteHost) : await authorAt(backend, env, siteHost))
  return {
    ...backend,
    ...{ store, root, privateDir, config, loaded, types, clock, search, users, signing, site, access },
    records: new Records(deps),
    revisions: new Revisions(deps),
    tokens: new Tokens({ store, ledger, clock, configured, siteHost }),
    exchange: backend.isShared ? new ThrottleExchange(ledger) : undefined,
    sync: (wish) => backend.sync({ by: access.author, byHand: true, ...wish }),
    close: async () => {
      site.close()
      search.close()
      await backend.close()
    },
  }
}

/** The options that every backend is opened with. */
interface BackendDeps {
  readonly root: string
  readonly privateDir: string
  readonly types: ContentTypes
  readonly clock: Clock
  readonly locale: string
  readonly watch: boolean
  readonly force: boolean
  readonly onProblem?: (problem: Problem) => void
  readonly onProgress?: (files: number) => void
}

/** Opens what the configuration has the site kept in. Only that is loaded. */
async function backendOf({ config, fingerprint }: LoadedConfig, deps: BackendDeps, env: NodeJS.ProcessEnv): Promise<Backend> {
  const { storage, site, git } = config
  if (storage.driver === 'postgres') {
    const secret = secretOf(env)
    const { openPostgresSite } = await import('#stores/postgres/site.ts')
    return openPostgresSite({ ...deps, content: site.content, url: storage.url, secret })
  }
  const { openFilesSite } = await import('#stores/files/site.ts')
  // What another release has read of a file may not be what this one reads: whether it is a draft, for one.
  const basis = JSON.stringify([fingerprint, programStamp()])
  return openFilesSite({ ...deps, content: site.content, fingerprint: basis, git })
}

function tokensOf({ config, at }: LoadedConfig, env: NodeJS.ProcessEnv, options: OpenOptions): ConfiguredToken[] {
  try {
    return configuredTokens(config.api.tokens, env, (index) => at(['api', 'tokens', index, 'env']))
  } catch (error) {
    // A token of the server's environment is often not set where a person runs a command, and is of no use there.
    if (options.serving || !(error instanceof BadConfig)) throw error
    return []
  }
}

/** Resolves with the author for a person at the machine: from git's environment, else from the backend, else from the system. */
async function authorAt(backend: Backend, env: NodeJS.ProcessEnv, host: string): Promise<Author> {
  const known = env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? undefined : await backend.author()
  return known ?? localAuthor(env, host)
}
