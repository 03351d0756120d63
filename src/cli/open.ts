import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findSite, type LoadedConfig, loadConfig } from '../config/load.ts'
import { type Access, localAccess } from '../core/access.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import type { ContentTypes } from '../core/content-type.ts'
import type { Author, Problem } from '../core/document.ts'
import { BadConfig, NotFound, Unavailable } from '../core/errors.ts'
import type { Key } from '../core/key.ts'
import type { Ledger } from '../core/ledger.ts'
import type { Store } from '../core/store.ts'
import { contentTypes } from '../core/types.ts'
import { recordParts } from '../features/records/parts.ts'
import { Records } from '../features/records/records.ts'
import { Revisions } from '../features/revisions/revisions.ts'
import { Site } from '../features/site/site.ts'
import { type ConfiguredToken, configuredTokens } from '../features/tokens/configured.ts'
import { Tokens } from '../features/tokens/tokens.ts'
import { type BackedUp, backUp, backupFile } from '../stores/files/backup/backup.ts'
import { type Restored, restore } from '../stores/files/backup/restore.ts'
import { candidates } from '../core/layout.ts'
import { claimServer, readServer } from '../stores/files/disk/state.ts'
import { type Begun, beginRepository } from '../stores/files/git/begin.ts'
import type { Examination } from '../stores/files/git/examination.ts'
import type { Synced, SyncOptions } from '../stores/files/git/remote/sync.ts'
import { openRepository } from '../stores/files/git/repository.ts'
import { FilesLedger } from '../stores/files/ledger/ledger.ts'
import { FilesStore } from '../stores/files/store.ts'
import { recordFile } from './record-file.ts'

/** A site, opened: what every command works with. Nothing outside this file knows which store runs. */
export interface Quire {
  readonly root: string
  /** The private folder, absolute. */
  readonly privateDir: string
  readonly config: LoadedConfig['config']
  readonly loaded: LoadedConfig
  readonly types: ContentTypes
  readonly store: Store
  readonly ledger: Ledger
  readonly clock: Clock
  readonly records: Records
  readonly revisions: Revisions
  readonly tokens: Tokens
  readonly site: Site
  /** Why no history is kept, where none is. */
  readonly without: string | undefined
  /** The rights of the person at the machine: all. */
  readonly access: Access
  /** The file of a record, from the site's root with `/`; undefined where there is none. */
  fileOf(key: Key): string | undefined
  /** Makes this process, at `url`, the one server of the site; throws Conflict, with the other's pid and address, where there is one. */
  claim(url: string): Claim
  /** Brings the site and its remote together, as the person at the machine asks; see `Sync.run`. Throws NotFound where no history is kept. */
  sync(options: SyncOptions): Promise<Synced>
  /** What there is to say of the site's repository; undefined where no history is kept. */
  examine(): Promise<Examination | undefined>
  /** The server that runs on the site now, if one does. */
  server(): { readonly pid: number; readonly url: string } | undefined
  close(): Promise<void>
}

/** The site held by this process: where it is really served once that is known, and what gives it back. */
export interface Claim {
  moved(url: string): void
  release(): void
}

/** How a site is opened. `serving` asks for what only a server needs: the secrets of the configuration's tokens must then be there. */
export interface OpenOptions {
  readonly directory: string
  readonly watch: boolean
  readonly serving?: boolean
  readonly env?: NodeJS.ProcessEnv
  readonly onProblem?: (problem: Problem) => void
}

const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url))

/** Opens the site that `directory` lies in. Throws BadConfig where it has none or its configuration can't be used. */
export async function openSite(options: OpenOptions): Promise<Quire> {
  const env = options.env ?? process.env
  const loaded = loadConfig(findSite(options.directory), env)
  const { config, root, fingerprint } = loaded
  const privateDir = join(root, config.storage.private_dir)
  const types = contentTypes({
    types: config.types,
    taxonomies: config.taxonomies,
    statuses: config.statuses,
    timezone: config.site.timezone,
  })
  const configured = tokensOf(config.api.tokens, env, options)
  const clock = systemClock
  const store = await FilesStore.open({
    root,
    content: config.site.content,
    privateDir,
    types,
    clock,
    watch: options.watch,
    fingerprint,
    git: config.git,
    ...(options.onProblem ? { onProblem: options.onProblem } : {}),
  })
  const ledger = await FilesLedger.open(join(privateDir, 'ledger.log'), clock)
  const siteHost = new URL(config.site.url).hostname
  const parts = recordParts({ store, types, clock })
  const tokens = new Tokens({ store, ledger, clock, configured, siteHost })
  const ownTemplatesDir = join(root, config.site.templates, 'site')
  const site = new Site({ root, store, types, clock, config, templatesDir: join(TEMPLATES, 'site'), ownTemplatesDir })
  const access = localAccess(options.watch ? localAuthor(env, siteHost) : await authorAt(store, env, siteHost))
  return {
    root,
    privateDir,
    config,
    loaded,
    types,
    store,
    ledger,
    clock,
    records: new Records(parts),
    revisions: new Revisions(parts),
    tokens,
    site,
    without: store.without,
    access,
    fileOf: (key) => recordFile(root, config.site.content, key, candidates(key)),
    claim: (url) => claimServer(privateDir, url, clock.now()),
    examine: () => store.examine().catch(() => undefined),
    server: () => readServer(privateDir),
    sync: (options) => synced(store, { by: access.author, byHand: true, ...options }),
    close: async () => {
      site.close()
      await store.close()
      await ledger.close()
    },
  }
}

/** Writes a backup of the site that `directory` lies in to `file`, or into its private folder; see `backUp`. */
export async function backupSite(
  directory: string,
  env: NodeJS.ProcessEnv,
  { file, force, version }: { file: string | undefined; force: boolean; version: string },
): Promise<BackedUp> {
  const { config, root } = loadConfig(findSite(directory), env)
  const found = await openRepository(root, config.git.enabled)
  const [privateDir, out] = [join(root, config.storage.private_dir), join(root, config.build.out)]
  const repository = 'without' in found ? undefined : found
  if ('without' in found && !['none', 'off'].includes(found.without)) {
    throw new Unavailable(
      'The history can’t be backed up: git can’t be used.',
      1,
      '`cms doctor` says why. With git.enabled: false a backup is made without it.',
    )
  }
  const parts = { root, privateDir, out, repository, clock: systemClock, version }
  return backUp(parts, file ?? (await backupFile(parts)), force)
}

/** Restores a backup into a folder that is empty or not there; see `restore`. */
export function restoreSite(file: string, folder: string): Promise<Restored> {
  return restore(file, folder)
}

/** Makes the folder of a site a repository, with a first commit of `created` (paths from the folder); `none` where it lies in one. */
export async function beginHistory(root: string, created: readonly string[], env: NodeJS.ProcessEnv): Promise<Begun> {
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = env
  const otherwise = loadConfig(findSite(root), env).config.git.author
  return beginRepository(root, created, { by: name && email ? { name, email } : undefined, otherwise })
}

async function synced(store: FilesStore, options: SyncOptions): Promise<Synced> {
  const done = await store.sync(options)
  if (done) return done
  throw new NotFound(
    'The site is in no git repository, so there is nothing to sync.',
    '`cms init` makes one; then `git remote add origin <address>`.',
  )
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

/** Who a person at the machine is: by git's environment, else by the repository's configuration, else by the system. */
async function authorAt(store: FilesStore, env: NodeJS.ProcessEnv, host: string): Promise<Author> {
  const known = env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? undefined : await store.localAuthor()
  return known ?? localAuthor(env, host)
}

function localAuthor(env: NodeJS.ProcessEnv, host: string): Author {
  const name = env.GIT_AUTHOR_NAME || env.USER || env.LOGNAME || 'local'
  return { name, email: env.GIT_AUTHOR_EMAIL || `${name.replace(/[^\w.-]/g, '') || 'local'}@${host}` }
}
