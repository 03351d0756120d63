import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Driver, findSite, type LoadedConfig, loadConfig } from '../config/load.ts'
import { secretOf } from '../config/secret.ts'
import { type Access, localAccess } from '../core/access.ts'
import type { Backend } from '../core/backend.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import type { ContentTypes } from '../core/content-type.ts'
import type { Author, Problem } from '../core/document.ts'
import { BadConfig } from '../core/errors.ts'
import type { Destination, Origin } from '../core/transfer.ts'
import { contentTypes } from '../core/types.ts'
import { recordParts } from '../features/records/parts.ts'
import { Records } from '../features/records/records.ts'
import { Revisions } from '../features/revisions/revisions.ts'
import { Site } from '../features/site/site.ts'
import { type ConfiguredToken, configuredTokens } from '../features/tokens/configured.ts'
import { Tokens } from '../features/tokens/tokens.ts'
import { ThrottleExchange } from '../http/throttle-exchange.ts'
import type { BackedUp } from '../stores/files/backup/backup.ts'
import type { Restored } from '../stores/files/backup/restore.ts'
import type { Begun } from '../stores/files/git/begin.ts'
import type { FilesFolder } from '../stores/files/transfer/hold.ts'
import type { PostgresOptions } from '../stores/postgres/options.ts'

/** A site, opened: what every command works with. Nothing outside this file knows which store runs. */
export interface Quire extends Omit<Backend, 'author'> {
  readonly root: string
  /** The private folder, absolute. */
  readonly privateDir: string
  readonly config: LoadedConfig['config']
  readonly loaded: LoadedConfig
  readonly types: ContentTypes
  readonly clock: Clock
  readonly records: Records
  readonly revisions: Revisions
  readonly tokens: Tokens
  readonly site: Site
  /** Makes the throttles of all servers count as one, where there may be several. */
  readonly exchange: ThrottleExchange | undefined
  /** The rights of the person at the machine: all. */
  readonly access: Access
}

/**
 * How a site is opened. `serving` asks for what only a server needs: the secrets of the configuration's tokens must then be there. `force` opens what
 * was left of one that was moved away.
 */
export interface OpenOptions {
  readonly directory: string
  readonly watch: boolean
  readonly serving?: boolean
  readonly force?: boolean
  readonly env?: NodeJS.ProcessEnv
  readonly onProblem?: (problem: Problem) => void
}

const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url))

/** Opens the site that `directory` lies in. Throws BadConfig where it has none or its configuration can't be used. */
export async function openSite(options: OpenOptions): Promise<Quire> {
  const env = options.env ?? process.env
  const loaded = loadConfig(findSite(options.directory), env)
  const { config, root } = loaded
  const privateDir = join(root, config.storage.private_dir)
  const types = typesOf(config)
  const configured = tokensOf(config.api.tokens, env, options)
  const clock = systemClock
  const { watch, onProblem, force = false } = options
  const common = { root, privateDir, types, clock, watch, force, ...(onProblem && { onProblem }) }
  const backend = await backendOf(loaded, common, env)
  const { store, ledger } = backend
  const siteHost = new URL(config.site.url).hostname
  const parts = recordParts({ store, types, clock })
  const ownTemplatesDir = join(root, config.site.templates, 'site')
  const site = new Site({ root, store, types, clock, config, templatesDir: join(TEMPLATES, 'site'), ownTemplatesDir })
  const access = localAccess(watch ? localAuthor(env, siteHost) : await authorAt(backend, env, siteHost))
  return {
    ...backend,
    ...{ root, privateDir, config, loaded, types, clock, site, access },
    records: new Records(parts),
    revisions: new Revisions(parts),
    tokens: new Tokens({ store, ledger, clock, configured, siteHost }),
    exchange: backend.isShared ? new ThrottleExchange(ledger) : undefined,
    sync: (wish) => backend.sync({ by: access.author, byHand: true, ...wish }),
    close: async () => {
      site.close()
      await backend.close()
    },
  }
}

/** What every place to keep a site in is opened with. */
interface BackendParts {
  readonly root: string
  readonly privateDir: string
  readonly types: ContentTypes
  readonly clock: Clock
  readonly watch: boolean
  readonly force: boolean
  readonly onProblem?: (problem: Problem) => void
}

/** Opens what the configuration has the site kept in. Only that is loaded. */
async function backendOf({ config, fingerprint }: LoadedConfig, parts: BackendParts, env: NodeJS.ProcessEnv): Promise<Backend> {
  const { storage, site, git } = config
  if (storage.driver === 'postgres') {
    const secret = secretOf(env)
    const { openPostgresSite } = await import('../stores/postgres/site.ts')
    return openPostgresSite({ ...parts, content: site.content, url: storage.url, secret })
  }
  const { openFilesSite } = await import('../stores/files/site.ts')
  return openFilesSite({ ...parts, content: site.content, fingerprint, git })
}

/** Writes a backup of the site that `directory` lies in to `file`, or into its private folder: as files, wherever it is kept. */
export async function backupSite(
  directory: string,
  env: NodeJS.ProcessEnv,
  { file, force, version, signal }: { file: string | undefined; force: boolean; version: string; signal: AbortSignal },
): Promise<BackedUp> {
  const { config, root } = loadConfig(findSite(directory), env)
  const [privateDir, out] = [join(root, config.storage.private_dir), join(root, config.build.out)]
  if (config.storage.driver === 'files') {
    const { backUpFiles } = await import('../stores/files/site.ts')
    return backUpFiles({ root, privateDir, out, git: config.git.enabled, clock: systemClock, version }, file, force)
  }
  const [{ backUpCopy }, { carry }] = await Promise.all([
    import('../stores/files/backup/copy.ts'),
    import('../features/storage/carrying.ts'),
  ])
  return backUpCopy({ folder: folderOf(directory, env), out, version }, file, force, async (destination) => {
    const { PostgresOrigin } = await import('../stores/postgres/transfer/origin.ts')
    const origin = await PostgresOrigin.open(databaseOf(directory, env), true)
    await carry(origin, destination, { force: true, signal, onProgress: () => undefined }).finally(() => origin.close())
  })
}

/** Restores a backup into a folder that is empty or not there; see `restore`. */
export async function restoreSite(file: string, folder: string): Promise<Restored> {
  const { restore } = await import('../stores/files/backup/restore.ts')
  return restore(file, folder)
}

/** Makes the folder of a site a repository, with a first commit of `created` (paths from the folder); `none` where it lies in one. */
export async function beginHistory(root: string, created: readonly string[], env: NodeJS.ProcessEnv): Promise<Begun> {
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = env
  // Where the records are is of no matter to a repository.
  const otherwise = loadConfig(findSite(root), env, 'files').config.git.author
  const { beginRepository } = await import('../stores/files/git/begin.ts')
  return beginRepository(root, created, { by: name && email ? { name, email } : undefined, otherwise })
}

/** The two ends of a move. */
export interface Move {
  readonly origin: Origin
  readonly destination: Destination
  close(): Promise<void>
}

/** Opens both ends of a move of the site that `directory` lies in, whatever the configuration has it kept in now. */
export async function openMove(directory: string, env: NodeJS.ProcessEnv, to: Driver): Promise<Move> {
  const [folder, database] = [folderOf(directory, env), databaseOf(directory, env)]
  const origin = to === 'files' ? await databaseOrigin(database) : await filesOrigin(folder, env)
  try {
    const destination = to === 'files' ? await filesDestination(folder) : await databaseDestination(database)
    return { origin, destination, close: () => destination.close().finally(() => origin.close()) }
  } catch (error) {
    await origin.close()
    throw error
  }
}

/** Opens a site as its files have it and as the database has it, to compare the two. */
export async function openBoth(directory: string, env: NodeJS.ProcessEnv) {
  const [folder, address] = [folderOf(directory, env), databaseOf(directory, env)]
  const database = await databaseOrigin(address)
  try {
    const files = await filesOrigin(folder, env)
    return { files, database, close: () => files.close().finally(() => database.close()) }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function filesOrigin(folder: FilesFolder & { readonly host: string }, env: NodeJS.ProcessEnv): Promise<Origin> {
  const { FilesOrigin } = await import('../stores/files/transfer/origin.ts')
  const otherwise = localAuthor(env, folder.host)
  return FilesOrigin.open(folder, { by: env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? otherwise : undefined, otherwise })
}

async function databaseOrigin(options: PostgresOptions): Promise<Origin> {
  const { PostgresOrigin } = await import('../stores/postgres/transfer/origin.ts')
  return PostgresOrigin.open(options)
}

async function filesDestination(folder: FilesFolder): Promise<Destination> {
  const { FilesDestination } = await import('../stores/files/transfer/destination.ts')
  return FilesDestination.open(folder)
}

async function databaseDestination(options: PostgresOptions): Promise<Destination> {
  const { PostgresDestination } = await import('../stores/postgres/transfer/destination.ts')
  return PostgresDestination.open(options)
}

function folderOf(directory: string, env: NodeJS.ProcessEnv): FilesFolder & { readonly host: string } {
  const { config, root, fingerprint } = loadConfig(findSite(directory), env, 'files')
  const { site, git, storage } = config
  const folder = { root, content: site.content, privateDir: join(root, storage.private_dir), git, fingerprint }
  return { ...folder, types: typesOf(config), clock: systemClock, watch: false, host: new URL(site.url).hostname }
}

function databaseOf(directory: string, env: NodeJS.ProcessEnv): PostgresOptions {
  const { config } = loadConfig(findSite(directory), env, 'postgres')
  return { url: config.storage.url, types: typesOf(config), clock: systemClock, watch: false, secret: secretOf(env) }
}

function typesOf({ types, taxonomies, statuses, site }: LoadedConfig['config']): ContentTypes {
  return contentTypes({ types, taxonomies, statuses, timezone: site.timezone })
}

function tokensOf(
  settings: LoadedConfig['config']['api']['tokens'],
  env: NodeJS.ProcessEnv,
  options: OpenOptions,
): ConfiguredToken[] {
  try {
    return configuredTokens(settings, env)
  } catch (error) {
    // A token of the server's environment is often not set where a person runs a command, and is of no use there.
    if (options.serving || !(error instanceof BadConfig)) throw error
    return []
  }
}

/** Who a person at the machine is: by git's environment, else as the place the site is kept in knows, else by the system. */
async function authorAt(backend: Backend, env: NodeJS.ProcessEnv, host: string): Promise<Author> {
  const known = env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? undefined : await backend.author()
  return known ?? localAuthor(env, host)
}

function localAuthor(env: NodeJS.ProcessEnv, host: string): Author {
  const name = env.GIT_AUTHOR_NAME || env.USER || env.LOGNAME || 'local'
  return { name, email: env.GIT_AUTHOR_EMAIL || `${name.replace(/[^\w.-]/g, '') || 'local'}@${host}` }
}
