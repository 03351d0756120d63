import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { syncFolder, writeBeside } from '#lib/files/atomic.ts'
import { readableBytes, readableEntries, readableText } from '#lib/files/readable.ts'
import type { Conversions } from '../files/conversions.ts'
import { copyPath, IndexCopy } from '../index/copy.ts'
import { lookUp } from '../index/file.ts'
import { indexLockPath, isLeftOver, lockIndex } from '../index/lock.ts'
import { blobId } from '../objects/blob-id.ts'
import { PENDING } from '../objects/import-commands.ts'
import { keptPacks } from '../objects/kept-packs.ts'
import type { Objects } from '../objects/objects.ts'
import { git } from '../process.ts'
import { type Repository, readHead, readRef } from '../repository.ts'
import type { Journal, JournalEntry, JournalFile, MovedFile } from './journal.ts'

/**
 * Time in milliseconds to wait for a lock that our git may have left before it is treated as left over, and the pause between two
 * checks.
 */
const PATIENCE_MS = 3_000
const PAUSE_MS = 20

interface Deps {
  repository: Repository
  objects: Objects
  conversions: Conversions
  journal: Journal
}

/** Returns whether a crash may have left something that only the next start would find. */
export function isLittered({ repository, journal }: Pick<Deps, 'repository' | 'journal'>): boolean {
  const isUnfinished = foldersOf(repository).some((folder) => unfinishedIn(folder).length > 0)
  const isLeft = [pendingLock(repository), copyPath(repository)].some((path) => existsSync(path))
  return isUnfinished || isLeft || journal.read() !== undefined || isLeftOver(repository)
}

function pendingLock({ common }: Repository): string {
  return join(common, `${PENDING}.lock`)
}

/** One that another git holds, as in the middle of `git pack-refs`, is there for milliseconds: without it, it would take away ours. */
async function removePendingLock(repository: Repository): Promise<void> {
  const lock = pendingLock(repository)
  const age = () => Math.abs(Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0))
  for (const end = performance.now() + PATIENCE_MS; age() < PATIENCE_MS && performance.now() < end; ) await pause(PAUSE_MS)
  rmSync(lock, { force: true })
}

function foldersOf({ dir, common }: Repository): string[] {
  return [...new Set([dir, common])]
}

/**
 * Finishes a write that was cut short after its branch moved, and forgets one that was cut short before: the journal says which. What an author did to a file
 * since stays, and so does another branch that they went to. The caller holds the lock of the repository's writers, so that what is found here belongs to no write that is still under way.
 */
export async function recover(deps: Deps): Promise<void> {
  const { repository, journal } = deps
  const entry = journal.read()
  await removePendingLock(repository)
  rmSync(`${copyPath(repository)}.lock`, { force: true })
  if (entry) await removeRefLocks(repository, entry)
  if (isLeftOver(repository)) rmSync(indexLockPath(repository), { force: true })
  if (entry && (await isStoodOn(repository, entry)) && (await hasLanded(repository, entry))) await rollForward(deps, entry)
  rmSync(copyPath(repository), { force: true })
  for (const folder of new Set(entry?.files.map(({ path }) => dirname(join(repository.top, path))))) removeUnfinished(folder)
  for (const folder of foldersOf(repository)) removeUnfinished(folder)
  removeCrashReports(repository)
  for (const path of keptPacks(repository)) rmSync(path, { force: true })
  journal.remove()
  await syncFolder(repository.dir)
}

/** Takes away the files that were being made beside others, in a folder and all below it. */
export function sweep(folder: string): void {
  removeUnfinished(folder)
  for (const entry of readableEntries(folder)) if (entry.isDirectory()) sweep(join(folder, entry.name))
}

function removeUnfinished(folder: string): void {
  for (const name of unfinishedIn(folder)) rmSync(join(folder, name), { force: true })
}

function unfinishedIn(folder: string): string[] {
  return readableEntries(folder)
    .map(({ name }) => name)
    .filter((name) => /^\.quire-[0-9a-f]{12}\.tmp$/.test(name))
}

/** A git of ours that was killed while it moved the branch leaves it locked. One that is alive takes milliseconds: it is waited for. */
async function removeRefLocks({ dir, common }: Repository, { ref, tip }: JournalEntry): Promise<void> {
  const locks = [join(common, `${ref}.lock`), join(dir, 'HEAD.lock')]
  // A git of ours makes it empty, and then writes into it where the branch is to go.
  const isOurs = (lock: string) => ['', tip].includes(readableText(lock)?.trim() ?? 'none')
  const end = performance.now() + PATIENCE_MS
  while (locks.some(isOurs) && performance.now() < end) await pause(PAUSE_MS)
  for (const lock of locks.filter(isOurs)) rmSync(lock, { force: true })
}

/** An author who went to another branch since has its files: those of the write come when they are back. */
async function isStoodOn(repository: Repository, { ref }: JournalEntry): Promise<boolean> {
  return (await readHead(repository)).ref === ref
}

async function hasLanded(repository: Repository, { ref, tip }: JournalEntry): Promise<boolean> {
  const now = readRef(repository, ref)
  if (now === undefined || now === tip) return now === tip
  return git(repository.top, ['merge-base', '--is-ancestor', '--end-of-options', tip, now]).then(
    () => true,
    () => false,
  )
}

async function rollForward(deps: Deps, { ref, files, moved = [] }: JournalEntry): Promise<void> {
  const { repository, objects } = deps
  const commit = readRef(repository, ref)
  for (const one of moved) await finishMove(repository, one)
  const current: JournalFile[] = []
  for (const file of files) {
    // What has been committed on top of it since is not taken back.
    const now = (await objects.info(`${commit}:${file.path}`))?.id ?? null
    if (now === file.next) current.push(file)
  }
  const isAttributes = ({ path }: JournalFile) => basename(path) === '.gitattributes'
  for (const file of current.filter(isAttributes)) await finishFile(deps, file, (_, bytes) => bytes)
  // They say how the others are written.
  const others = current.filter((file) => !isAttributes(file))
  const put = await deps.conversions.checkOut(others.map(({ path }) => path))
  for (const file of others) await finishFile(deps, file, file.isVerbatim ? (_, bytes) => bytes : put)
  // Under our own mark: a lock that a killed git leaves is nobody's.
  const unlock = await lockIndex(repository)
  try {
    await mendIndex(repository, current)
  } finally {
    unlock()
  }
}

/** The bytes are in no blob: the file itself goes where it was to be. */
async function finishMove({ top }: Repository, { from, to }: MovedFile): Promise<void> {
  const [former, next] = [join(top, from), join(top, to)]
  if (!existsSync(former)) return
  mkdirSync(dirname(next), { recursive: true })
  if (!existsSync(next)) renameSync(former, next)
  // It was in place already, and the other about to go.
  else if (statSync(next).size === statSync(former).size) rmSync(former)
  for (const folder of new Set([dirname(next), dirname(former)])) await syncFolder(folder)
}

/** Entries that are as they were before the write become what it made of them. */
async function mendIndex(repository: Repository, files: readonly JournalFile[]): Promise<void> {
  const { seen, entries } = await lookUp(repository, new Set(files.map(({ path }) => path)))
  const behind = files.filter(({ path, next, staged, base }) => {
    const inIndex = entries.get(path)?.id ?? null
    return inIndex !== next && (inIndex === staged || inIndex === base)
  })
  if (behind.length === 0) return
  const changes = behind.map(({ path, mode, next }) => ({ path, mode, id: next ?? undefined }))
  const copy = await IndexCopy.prepare(repository, seen, changes)
  copy.put()
}

/** A file that is as it was before the write, or that a power cut emptied, becomes what the write made of it. */
async function finishFile(
  { repository, objects }: Deps,
  { path, base, next, mode }: JournalFile,
  put: (path: string, bytes: Buffer) => Buffer,
): Promise<void> {
  const real = join(repository.top, path)
  const bytes = readableBytes(real)
  const isOld = bytes === undefined ? base === null : blobId(repository, bytes) === base || bytes.every((byte) => byte === 0)
  if (!isOld) return
  if (next === null) {
    rmSync(real, { force: true })
  } else {
    const found = await objects.read(next)
    if (!found) return
    mkdirSync(dirname(real), { recursive: true })
    const permissions = (mode === '100755' ? 0o777 : 0o666) & ~process.umask()
    renameSync(await writeBeside(real, put(path, found.bytes), permissions), real)
  }
  if (existsSync(dirname(real))) await syncFolder(dirname(real))
}

/** git writes down why a process ended early; that of ours was killed. */
function removeCrashReports({ dir }: Repository): void {
  for (const { name } of readableEntries(dir)) {
    const path = join(dir, name)
    if (name.startsWith('fast_import_crash_') && readableText(path)?.includes(PENDING)) rmSync(path, { force: true })
  }
}
