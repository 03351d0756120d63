import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GitFailure } from '#git/process.ts'
import { Conflict, NotFound, Unavailable } from '#lib/errors.ts'
import { syncFolder } from '#lib/files/atomic.ts'
import { countFiles, unpack } from './archive.ts'
import { type Manifest, NAMES, notOurs, parseManifest } from './manifest.ts'
import { rebuildHistory } from './rebuild.ts'

/** The result of a restore: the site's folder, absolute, and its content. */
export interface Restored {
  readonly root: string
  readonly files: number
  readonly history: boolean
  /** RFC 3339 UTC; when the backup was made. */
  readonly createdAt: string
}

/**
 * Restores a backup into `folder`, which is empty or not there: whole, or nothing is made. Throws Conflict where the folder holds
 * something, NotFound where the file is not there, BadRequest where it can't be restored.
 */
export async function restore(file: string, folder: string): Promise<Restored> {
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw new NotFound(`There is no file ${file}.`, 'Check its path.')
  await checkEmpty(folder)
  await mkdir(dirname(folder), { recursive: true })
  const work = await mkdtemp(join(dirname(folder), `.${basename(folder)}-restoring-`))
  try {
    await unpack(file, work)
    const manifest = await manifestIn(work)
    const top = await arrange(work, manifest)
    await rename(top, folder)
    await syncFolder(dirname(folder))
    const { history, files, created_at } = manifest
    return { root: join(folder, history?.prefix ?? ''), files, history: history !== null, createdAt: created_at }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Errors of the system where another file or folder is in the place of a folder. */
const TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'ELOOP'])

async function checkEmpty(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code !== 'ENOTDIR') throw error
  }
  throw new Conflict(
    `${folder} holds something already.`,
    undefined,
    'Restore into an empty folder, or one that is not there yet.',
  )
}

async function manifestIn(work: string): Promise<Manifest> {
  const text = await readFile(join(work, NAMES.manifest), 'utf8').catch(() => undefined)
  if (text === undefined) throw notOurs('It has no list of its contents.')
  const manifest = parseManifest(text)
  const counts = await Promise.all([NAMES.site, NAMES.private].map((name) => countFiles(join(work, name)).catch(() => 0)))
  const files = counts.reduce((sum, count) => sum + count, 0)
  if (files !== manifest.files) throw notOurs(`It holds ${files} files, and is to hold ${manifest.files}.`)
  return manifest
}

/** Puts the parts where they belong in one folder, and gives that. */
async function arrange(work: string, { private_dir, history }: Manifest): Promise<string> {
  const top = join(work, 'restored')
  const site = join(top, history?.prefix ?? '')
  await mkdir(dirname(site), { recursive: true })
  await rename(join(work, NAMES.site), site)
  const privateDir = join(site, private_dir)
  try {
    await mkdir(dirname(privateDir), { recursive: true })
    await rename(join(work, NAMES.private), privateDir)
  } catch (error) {
    if (!TAKEN.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    throw notOurs(`There is something else in the place of its private folder, ${private_dir}.`)
  }
  await chmod(privateDir, 0o700)
  if (history) await rebuilt(top, history, join(work, NAMES.bundle))
  return top
}

async function rebuilt(...args: Parameters<typeof rebuildHistory>): Promise<void> {
  try {
    await rebuildHistory(...args)
  } catch (error) {
    if (error instanceof GitFailure) throw notOurs(`git can't read its history: ${error.stderr.trim().split('\n')[0]}.`)
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Unavailable('The backup holds a history, and git is not installed.', 600, 'Install git 2.36 or newer.')
    }
    throw error
  }
}
