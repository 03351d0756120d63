import { join } from 'node:path'
import { findSite, type LoadedConfig, loadConfig } from '#config/load.ts'
import { secretOf } from '#config/secret.ts'
import { type Access, localAccess } from '#core/access/access.ts'
import type { Backend } from '#core/backend.ts'
import type { Author, Problem } from '#core/document.ts'
import type { PastStore } from '#core/history/past-store.ts'
import type { RevisionName } from '#core/history/revision-name.ts'
import type { Mail } from '#core/mail.ts'
import type { Blobs } from '#core/media/blobs.ts'
import { TermStore } from '#core/terms/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { CustomTypes } from '#core/types/custom-types.ts'
import { fieldTypesOf } from '#features/modules/field-types.ts'
import type { ModuleLog } from '#features/modules/module-log.ts'
import type { ModuleSet } from '#features/modules/module-set.ts'
import { type Clock, systemClock } from '#lib/clock.ts'
import { NotFound } from '#lib/errors.ts'
import { shippedTemplates } from '#lib/package.ts'
import { programStamp } from '#lib/program-stamp.ts'
import { parseSize } from '#lib/size.ts'
import { type SiteFeatures, siteFeatures } from '../../features.ts'
import { bucketOf, withBucket } from './bucket.ts'
import { localAuthor, typesOf } from './configured.ts'
import { fieldTypeRemarks } from './field-types.ts'
import { type MailListeners, mailOf } from './mail.ts'
import { modulesOf, type OpenedModules } from './modules.ts'

/** A site, opened: what every command works with. Nothing outside this file knows which store runs. */
export interface Quire extends Omit<Backend, 'author' | 'search'>, SiteFeatures {
  readonly root: string
  /** The private folder, absolute. */
  readonly privateDir: string
  readonly config: LoadedConfig['config']
  readonly loaded: LoadedConfig
  readonly types: ContentTypes
  readonly clock: Clock
  /** The mail of the site; the same each time. */
  readonly mail: () => Mail
  /** The modules that were loaded when the site was opened, and those that were not. */
  readonly modules: ModuleSet
  /** The rights of the person at the machine: all. */
  readonly access: Access
  /** Throws BadConfig where the site could not be served with another configuration. */
  mustBeServable(loaded: LoadedConfig): void
}

/**
 * The options for opening a site. `serving` requires what only a server needs: the secrets of the tokens in the configuration.
 * `force` opens a site that was moved away.
 */
export interface OpenOptions {
  readonly directory: string
  readonly watch: boolean
  readonly serving?: boolean
  /** True if this process is to make what follows of changes, as one that serves is: see `Backend.delivers`. */
  readonly delivering?: boolean
  /** True if pages that are served show drafts and what is scheduled. */
  readonly drafts?: boolean
  readonly force?: boolean
  readonly env?: NodeJS.ProcessEnv
  readonly onProblem?: (problem: Problem) => void
  /** A callback where a sync by the clock fails for another reason than the one before; with undefined once one works again. */
  readonly onSync?: (error: Error | undefined) => void
  /** A callback with the number of files that have been read, now and then, until the site is open. */
  readonly onProgress?: (files: number) => void
  readonly mail?: MailListeners
  /** Takes what modules say. By default it goes to stderr. */
  readonly moduleLog?: ModuleLog | undefined
  /** True: modules are left alone, and none is loaded. */
  readonly withoutModules?: boolean
  /** The moment whose content is opened; without it, that of now. */
  readonly at?: RevisionName
  /** The time at which the site is looked at, in milliseconds since 1970: it says what is live. Without it, that of `at`, or now. */
  readonly now?: number
  /** True: nothing of what an earlier start kept is used. */
  readonly anew?: boolean
  /** A callback where files are read although another git may be changing them; without it, they are not. */
  readonly onProvisional?: () => void
}

const TEMPLATES = shippedTemplates()

/** Opens the site that `directory` lies in. Throws BadConfig where it has none or its configuration can't be used. */
export async function openSite(options: OpenOptions): Promise<Quire> {
  const env = options.env ?? process.env
  const loaded = loadConfig(findSite(options.directory), env)
  const privateDir = join(loaded.root, loaded.config.storage.private_dir)
  const modules = await modulesOf(loaded, privateDir, options)
  try {
    return await openWith(options, loaded, modules)
  } catch (error) {
    modules.close()
    throw error
  }
}

/** Opens a site whose modules are loaded: they say which types of fields there are. */
async function openWith(options: OpenOptions, loaded: LoadedConfig, modules: OpenedModules): Promise<Quire> {
  const env = options.env ?? process.env
  const { config, root } = loaded
  const privateDir = join(root, config.storage.private_dir)
  const fieldTypes = fieldTypesOf(modules.set)
  const remarks = fieldTypeRemarks(loaded, fieldTypes, modules.set.off)
  const types = typesOf(config, fieldTypes)
  const clock = systemClock
  const { watch, onProblem, onSync, onProgress, onProvisional, force = false, anew = false } = options
  const { locale } = config.site
  const common = {
    root,
    privateDir,
    types,
    clock,
    locale,
    watch,
    force,
    snapshot: !anew,
    delivering: options.delivering ?? options.serving ?? false,
    ...(onProblem && { onProblem }),
    ...(onSync && { onSync }),
    ...(onProgress && { onProgress }),
    ...(onProvisional && { provisional: { indexFile: env.GIT_INDEX_FILE, onRead: onProvisional } }),
  }
  const bucket = await bucketOf(config, clock)
  const opened = await backendOf(loaded, { ...common, fieldTypes, ...(bucket && { blobs: bucket }) }, env)
  const backend = bucket ? withBucket(opened, bucket) : opened
  const past = options.at && (await pastOf(backend, options.at))
  const time = options.now ?? past?.time
  const siteClock: Clock = time === undefined ? clock : { now: () => time }
  const store = new TermStore(past ?? backend.store, types, siteClock)
  let outbox: Mail | undefined
  const mail = () => {
    outbox ??= mailOf(loaded, { jobs: backend.jobs, clock, privateDir, templates: TEMPLATES }, options.mail ?? {})
    return outbox
  }
  const all = [...backend.remarks, ...remarks]
  const site = { ...backend, store, root, privateDir, config, types, clock, mail, modules: modules.set, remarks: all }
  const featuresWith = ({ config, fingerprint, at }: LoadedConfig, isServing: boolean): SiteFeatures => {
    const of = config === site.config ? site : { ...site, config, types: typesOf(config, fieldTypes) }
    const withDrafts = options.drafts === true
    const { moduleLog } = options
    return siteFeatures({ ...of, clock: siteClock, templates: TEMPLATES, fingerprint, env, at, isServing, withDrafts, moduleLog })
  }
  const made = featuresWith(loaded, options.serving === true)
  const siteHost = new URL(config.site.url).hostname
  const access = localAccess(watch ? localAuthor(env, siteHost) : await authorAt(backend, env, siteHost))
  return {
    ...site,
    ...made,
    loaded,
    access,
    mustBeServable: (other) => {
      const tried = featuresWith(other, true)
      try {
        tried.serving()
      } finally {
        void tried.lives.close()
      }
    },
    sync: (wish) => backend.sync({ by: access.author, byHand: true, ...wish }),
    close: () =>
      made.lives
        .close()
        .finally(() => modules.close())
        .finally(() => backend.close()),
  }
}

/** The content of a backend at a moment. What there is no past of is closed, and so is a site that was not there yet. */
async function pastOf(backend: Backend, at: RevisionName): Promise<PastStore> {
  const { PastStore } = await import('#core/history/past-store.ts')
  try {
    const past = await PastStore.open(backend.store, at)
    // A build would take every page away.
    if ((await past.kinds()).length === 0 && (await backend.store.kinds()).length > 0)
      throw new NotFound(
        'Nothing of the site was there at that time.',
        'Its history begins later: `cms log` of a record shows it.',
      )
    return past
  } catch (error) {
    await backend.close()
    throw error
  }
}

/** The options that every backend is opened with. */
interface BackendDeps {
  readonly root: string
  readonly privateDir: string
  readonly types: ContentTypes
  readonly fieldTypes: CustomTypes
  readonly clock: Clock
  readonly locale: string
  readonly watch: boolean
  readonly force: boolean
  readonly delivering: boolean
  /** False: nothing that was kept of the files is used. */
  readonly snapshot: boolean
  readonly onProblem?: (problem: Problem) => void
  readonly onSync?: (error: Error | undefined) => void
  readonly onProgress?: (files: number) => void
  /** Absent: large bytes are kept where the rest is. */
  readonly blobs?: Blobs
  readonly provisional?: { readonly indexFile: string | undefined; readonly onRead: () => void }
}

/** Opens what the configuration has the site kept in. Only that is loaded. */
async function backendOf({ config, fingerprint }: LoadedConfig, deps: BackendDeps, env: NodeJS.ProcessEnv): Promise<Backend> {
  const { storage, site, git, media } = config
  if (storage.driver === 'postgres') {
    const secret = secretOf(env)
    const { openPostgresSite } = await import('#stores/postgres/site.ts')
    return openPostgresSite({ ...deps, content: site.content, url: storage.url, secret })
  }
  const { openFilesSite } = await import('#stores/files/site.ts')
  // What another release has read of a file may not be what this one reads: whether it is a draft, for one.
  const bases = [...deps.fieldTypes.values()].map(({ name, base }) => [name, base])
  const basis = JSON.stringify([fingerprint, programStamp(), ...bases])
  const besideMax = parseSize(media.git_max) ?? 0
  return openFilesSite({ ...deps, content: site.content, fingerprint: basis, git, besideMax })
}

/** Resolves with the author for a person at the machine: from git's environment, else from the backend, else from the system. */
async function authorAt(backend: Backend, env: NodeJS.ProcessEnv, host: string): Promise<Author> {
  const known = env.GIT_AUTHOR_NAME && env.GIT_AUTHOR_EMAIL ? undefined : await backend.author()
  return known ?? localAuthor(env, host)
}
