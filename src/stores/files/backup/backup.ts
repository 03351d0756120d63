import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import type { Repository } from '#git/repository.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, NotFound } from '#lib/errors.ts'
import { syncFolder } from '#lib/files/atomic.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import { FileLock } from '../disk/lock.ts'
import { type HistoryPart, type Manifest, NAMES } from './manifest.ts'
import { bundle, pin, unpin } from './pins.ts'
import { copyFolder } from './snapshot-folder.ts'

/** The dependencies of a backup. Folders are absolute. */
export interface BackupDeps {
  readonly root: string
  readonly privateDir: string
  /** Output folder of `cms build`, which can be built again. */
  readonly out: string
  /** Undefined: there is no history. */
  readonly repository: Repository | undefined
  readonly clock: Clock
  /** Of Quire. */
  readonly version: string
}

/** The result of a backup; links that lead out of the site are not in it. */
export interface BackedUp {
  readonly file: string
  /** In bytes. */
  readonly size: number
  readonly files: number
  readonly history: boolean
  readonly leftOut: string[]
  /** True if it is in the site's folder, and not in the private one. */
  readonly isInside: boolean
}

/** Prefix of folders that exist only during a backup. */
export const STAGING = 'backup-'
/** Time to wait for a write to end, in milliseconds. */
const PATIENCE = 30_000

/**
 * Writes a backup to `file`, whole or not at all, for its owner alone. Writes wait while the files are brought together, which
 * takes a moment; all of it is of that moment. Throws Conflict where the file is there, unless `force`.
 */
export async function backUp(deps: BackupDeps, file: string, force: boolean): Promise<BackedUp> {
  checkTarget(file, force)
  makePrivateDir(deps.privateDir)
  await sweep(deps.privateDir)
  const staging = await mkdtemp(join(deps.privateDir, STAGING))
  const beside = join(dirname(file), `.quire-${randomBytes(6).toString('hex')}.tmp`)
  try {
    const { manifest, leftOut } = await gather(deps, staging)
    await pack(staging, beside)
    await rename(beside, file)
    await syncFolder(dirname(file))
    const { size } = await stat(file)
    return {
      file,
      size,
      files: manifest.files,
      history: manifest.history !== null,
      leftOut,
      isInside: liesInside(deps, file),
    }
  } finally {
    await rm(beside, { force: true })
    await rm(staging, { recursive: true, force: true })
    if (deps.repository) await unpin(deps.repository)
  }
}

/** Throws Conflict where the file is there, unless `force`, and NotFound where its folder is not. */
export function checkTarget(file: string, force: boolean): void {
  if (!force && existsSync(file))
    throw new Conflict(`${file} is there already.`, undefined, 'Choose another name, or say --force.')
  if (!existsSync(dirname(file))) throw new NotFound(`There is no folder ${dirname(file)}.`, 'Make it, or choose another.')
}

/** Removes what a crash left of an earlier backup. */
export async function sweep(privateDir: string): Promise<void> {
  for (const name of await readdir(privateDir)) {
    if (name.startsWith(STAGING)) await rm(join(privateDir, name), { recursive: true, force: true })
  }
}

async function gather(deps: BackupDeps, staging: string): Promise<{ manifest: Manifest; leftOut: string[] }> {
  const { root, privateDir, repository, clock, version } = deps
  const { history, files, leftOut } = await atOneMoment(deps, () => snapshot(deps, staging))
  if (repository && history?.bundle) await bundle(repository, join(staging, NAMES.bundle))
  const created_at = new Date(clock.now()).toISOString()
  const private_dir = relative(root, privateDir).replaceAll('\\', '/')
  const manifest: Manifest = { format: 1, version, created_at, private_dir, files, history }
  await writeFile(join(staging, NAMES.manifest), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return { manifest, leftOut }
}

/** Runs `work` while no process of Quire's writes. */
async function atOneMoment<T>({ privateDir, repository }: BackupDeps, work: () => Promise<T>): Promise<T> {
  const locks = [new FileLock(join(privateDir, 'write.lock'), { patience: PATIENCE })]
  if (repository) locks.push(new FileLock(join(repository.common, 'cms.lock'), { patience: PATIENCE, isPrivate: false }))
  const releases: (() => void)[] = []
  try {
    for (const lock of locks) releases.push(await lock.acquire())
    return await work()
  } finally {
    for (const release of releases) release()
  }
}

async function snapshot(
  deps: BackupDeps,
  staging: string,
): Promise<{ history: HistoryPart | null; files: number; leftOut: string[] }> {
  const { root, privateDir, out, repository } = deps
  const apart = new Set([privateDir, out].map((folder) => relative(root, folder).replaceAll('\\', '/')))
  const skips = (path: string, name: string) =>
    apart.has(path) || name === '.git' || name === 'node_modules' || /^\.quire-.*\.tmp$/.test(name)
  const site = await copyFolder({ from: root, to: join(staging, NAMES.site), skips, shares: true })
  const ours = await copyFolder({ from: privateDir, to: join(staging, NAMES.private), skips: isPassing, shares: false })
  const history = repository ? await pin(repository, staging) : null
  return { history, files: site.files + ours.files, leftOut: site.leftOut }
}

/** Returns whether a part of the private folder is temporary, or can be made again. */
function isPassing(path: string, name: string): boolean {
  if (['cache', 'backups', 'server.json'].includes(path) || path.startsWith(STAGING)) return true
  return /\.lock(?:\..*)?$|\.new$|\.tmp$/.test(name)
}

async function pack(staging: string, file: string): Promise<void> {
  const tar = await import('tar')
  // First, so that a reader of the archive knows at once what it is.
  const names = [NAMES.manifest, ...(await readdir(staging)).filter((name) => name !== NAMES.manifest)]
  await writeFile(file, '', { mode: 0o600, flag: 'wx' })
  await tar.create({ cwd: staging, file, gzip: true, portable: true, strict: true, mode: 0o600 }, names)
  const handle = await open(file, 'r+')
  await handle.sync().finally(() => handle.close())
}

/**
 * A name for a backup of a site: `my-site-2026-11-20T12-00-00Z.tar.gz`, in a folder of the private one that no backup takes in.
 */
export async function backupFile({
  root,
  privateDir,
  clock,
}: Pick<BackupDeps, 'root' | 'privateDir' | 'clock'>): Promise<string> {
  const folder = join(privateDir, 'backups')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const time = new Date(clock.now()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  return join(folder, `${basename(root)}-${time}.tar.gz`)
}

/** Returns whether a file is in the site's folder, and not in the private one. */
export function liesInside({ root, privateDir }: Pick<BackupDeps, 'root' | 'privateDir'>, file: string): boolean {
  return isIn(root, file) && !isIn(privateDir, file)
}

function isIn(folder: string, file: string): boolean {
  const way = relative(folder, file)
  return !way.startsWith('..') && !isAbsolute(way)
}
