import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Backend, HealthProblem, Remark, Synced, SyncOptions } from '#core/backend.ts'
import { candidates } from '#core/files/layout.ts'
import type { Blobs } from '#core/media/blobs.ts'
import { openRepository } from '#git/repository.ts'
import type { Clock } from '#lib/clock.ts'
import { NotFound, Unavailable } from '#lib/errors.ts'
import { claimServer, readServer } from '../engine/private-folder.ts'
import type { FilesAuditLog } from './audit/audit-log.ts'
import { openAuditLog } from './audit/trusted-audit-log.ts'
import { type BackedUp, backUp, backupFile } from './backup/backup.ts'
import { FilesSiteFiles } from './beside/site-files.ts'
import { FilesBlobs } from './blobs/blobs.ts'
import { HeldBlobs } from './blobs/held-blobs.ts'
import { takeDeliveries } from './following/deliveries.ts'
import { FilesJobs } from './jobs/jobs.ts'
import { openLedger } from './ledger/trusted-ledger.ts'
import type { FilesOptions } from './options.ts'
import { crowdedFolders, watching } from './problems/folders.ts'
import { secrets } from './problems/private.ts'
import { remote } from './problems/remote.ts'
import { repository, WITHOUT } from './problems/repository.ts'
import { recordFile } from './record-file.ts'
import { FilesSearch, type SearchDeps } from './searching/search.ts'
import { FilesStore } from './store.ts'
import { refuseMoved } from './transfer/moved.ts'
import type { BesideBytes } from './writing/beside.ts'

/**
 * A site in files: its folders are absolute but for `content`, which is from the site's root. `force` opens what was moved away,
 * too.
 */
export type FilesSite = Omit<FilesOptions, 'besideBytes' | 'follows'> & {
  readonly git: NonNullable<FilesOptions['git']>
  readonly force: boolean
  /** True if this process is to make what follows of changes, where no other does: see `Backend.delivers`. */
  readonly delivering: boolean
  /** The language of its texts: `site.locale`. */
  readonly locale: string
  /** The most bytes that are put beside the document they belong to; larger ones stay in the private folder. */
  readonly besideMax: number
  /** Absent: large bytes are kept in the private folder. Else all are kept here, and none lie beside a document. */
  readonly blobs?: Blobs
}

/** Opens a site whose database is its folder. Throws Conflict where it was moved away. */
export async function openFilesSite(site: FilesSite): Promise<Backend> {
  const { privateDir, force, delivering } = site
  refuseMoved(privateDir, force)
  const release = delivering ? await takeDeliveries(privateDir) : undefined
  try {
    const backend = await openWith(site, release !== undefined)
    return { ...backend, close: () => backend.close().finally(release) }
  } catch (error) {
    release?.()
    throw error
  }
}

async function openWith(site: FilesSite, delivers: boolean): Promise<Backend> {
  const { root, content, privateDir, types, clock, locale, fingerprint } = site
  const { kept, own, besideBytes } = bytesOf(site)
  const store = await FilesStore.open({ ...site, follows: delivers, ...(besideBytes && { besideBytes }) })
  const repository = store.repository()
  const blobs = repository ? new HeldBlobs(kept, repository, own && { own, most: site.besideMax }) : kept
  const ledger = await openLedger(privateDir, clock, store.trust)
  let search: FilesSearch | undefined
  let jobs: FilesJobs | undefined
  let audit: FilesAuditLog | undefined
  return {
    store,
    ledger,
    siteFiles: new FilesSiteFiles({ ...site, repository }, clock),
    search: () => {
      search ??= openSearch({ store, types, clock, locale, cache: { folder: join(privateDir, 'cache', 'search'), fingerprint } })
      return search
    },
    jobs: () => {
      jobs ??= new FilesJobs(join(privateDir, 'jobs'), clock, { trust: store.trust })
      return jobs
    },
    blobs: () => blobs,
    audit: () => {
      audit ??= openAuditLog(privateDir, store.trust)
      return audit
    },
    isShared: false,
    delivers,
    isInFiles: true,
    place: join(root, content),
    remarks: remarksOn(site, store),
    author: () => store.localAuthor(),
    fileOf: async (key) => recordFile(root, content, key, candidates(key)) ?? store.fileOf(key),
    files: async () => store.files(),
    lookAt: store.lookAt,
    claim: (url) => {
      // It may have been moved away while it was read.
      refuseMoved(privateDir, site.force)
      return claimServer(privateDir, url, clock.now())
    },
    server: () => readServer(privateDir),
    sync: (options) => synced(store, options),
    examine: () => problemsOf(store, root),
    close: async () => {
      await jobs?.close()
      await audit?.close()
      await search?.close()
      await store.close()
      await ledger.close()
    },
  }
}

/** Bytes that are kept elsewhere stay there. */
function bytesOf({ privateDir, clock, besideMax, blobs }: FilesSite): {
  kept: Blobs
  own?: FilesBlobs
  besideBytes?: BesideBytes
} {
  if (blobs) return { kept: blobs }
  const own = new FilesBlobs(join(privateDir, 'media'), clock)
  return { kept: own, own, besideBytes: { most: besideMax, bytesOf: (blob) => own.bytesOf(blob) } }
}

/** The index is made, or taken up, from now on; where that fails, it is tried again when someone searches. */
function openSearch(deps: SearchDeps): FilesSearch {
  const search = new FilesSearch(deps)
  search.begin().catch(() => undefined)
  return search
}

/** A site in files that is to be backed up. Folders are absolute. */
export interface FilesBackup {
  readonly root: string
  readonly privateDir: string
  /** The output folder of `cms build`. */
  readonly out: string
  /** `git.enabled` of the configuration. */
  readonly git: boolean | 'auto'
  readonly clock: Clock
  /** Of Quire. */
  readonly version: string
}

/** Writes a backup of a site to `file`, or into its private folder; see `backUp`. */
export async function backUpFiles(site: FilesBackup, file: string | undefined, force: boolean): Promise<BackedUp> {
  const found = await openRepository(site.root, site.git)
  const repository = 'without' in found ? undefined : found
  if ('without' in found && !['none', 'off'].includes(found.without)) {
    throw new Unavailable(
      'The history can’t be backed up: git can’t be used.',
      1,
      '`cms doctor` says why. With git.enabled: false a backup is made without it.',
    )
  }
  const parts = { ...site, repository }
  return backUp(parts, file ?? (await backupFile(parts)), force)
}

/** A folder that is missing, or a repository that can't be used, is no reason to stop, and none to be silent. */
function remarksOn({ root, content }: FilesSite, { without }: FilesStore): Remark[] {
  const remarks: Remark[] = []
  if (!existsSync(join(root, content))) {
    const message = `There is no folder ${content}, so there are no records.`
    remarks.push({ message, hint: 'Make it, or correct site.content.' })
  }
  const reason = without === undefined ? undefined : WITHOUT[without]
  if (reason?.state === 'todo') remarks.push({ message: reason.says, ...(reason.hint && { hint: reason.hint }) })
  return remarks
}

async function synced(store: FilesStore, options: SyncOptions): Promise<Synced> {
  const done = await store.sync(options)
  if (done) return done
  throw new NotFound(
    'The site is in no git repository, so there is nothing to sync.',
    '`cms init` makes one; then `git remote add origin <address>`.',
  )
}

async function problemsOf(store: FilesStore, root: string): Promise<HealthProblem[]> {
  const found = await Promise.all([
    repository(store),
    secrets(store.trust, root),
    remote(store),
    crowdedFolders(store),
    watching(store),
  ])
  return found.flat()
}
