import { existsSync, readFileSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Conflict, NotWritable } from '#lib/errors.ts'
import { syncFolder, writeBeside } from '#lib/files/atomic.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'

/** A site that was moved away: where to, and when (RFC 3339 UTC). */
export interface Moved {
  readonly to: string
  readonly at: string
}

/** The progress of a site that is moved into this folder. */
export interface Arriving {
  readonly fingerprint: string
  /** Number of its writes that are here, and the commit that holds the last of them. */
  readonly writes: number
  readonly tip: string | undefined
  /** The commit of the branch before the move. */
  readonly base: string | undefined
}

const MOVED = 'moved.json'
const ARRIVING = 'arriving.json'

/** Reads the place that the site with this private folder was moved to. Undefined if it still lives here. */
export function readMoved(privateDir: string): Moved | undefined {
  const found = readJson(join(privateDir, MOVED))
  return found && { to: String(found.to), at: String(found.at) }
}

/** Marks a site as moved; it is not opened again unless forced to. */
export async function markMoved(privateDir: string, moved: Moved): Promise<void> {
  await writeState(privateDir, MOVED, moved)
}

/** A site that was moved away, and back, lives here again. */
export function unmarkMoved(privateDir: string): void {
  rmSync(join(privateDir, MOVED), { force: true })
}

/** Reads the state of a site that arrives here and has not ended. Undefined if none does. */
export function readArriving(privateDir: string): Arriving | undefined {
  return readJson(join(privateDir, ARRIVING)) as Arriving | undefined
}

/** Notes how far a site has come; undefined when it is here. */
export async function noteArriving(privateDir: string, arriving: Arriving | undefined): Promise<void> {
  if (arriving) await writeState(privateDir, ARRIVING, arriving)
  else rmSync(join(privateDir, ARRIVING), { force: true })
}

/** Throws Conflict where the site of this private folder was moved away, or is still arriving. With `force`, only the latter. */
export function refuseMoved(privateDir: string, force = false): void {
  if (readArriving(privateDir)) {
    throw new Conflict(
      'A migration into this folder has not ended.',
      undefined,
      'Run it again: `cms storage:migrate --to files` goes on where it was.',
    )
  }
  const moved = force ? undefined : readMoved(privateDir)
  if (!moved) return
  throw new Conflict(
    `This site was moved to ${moved.to} at ${moved.at}.`,
    undefined,
    'Set `storage.driver: postgres` in cms.config.yaml to go on there; --force opens what was left here.',
  )
}

/** Returns a check for who has opened a site: it throws NotWritable where that was moved away since. */
export function movedSince(privateDir: string): () => void {
  const before = readMoved(privateDir)?.at
  return () => {
    const moved = readMoved(privateDir)
    if (!moved || moved.at === before) return
    throw new NotWritable(`The site was moved to ${moved.to}; what is here takes no writes any more.`, 60)
  }
}

async function writeState(privateDir: string, name: string, value: object): Promise<void> {
  makePrivateDir(privateDir)
  const path = join(privateDir, name)
  await rename(await writeBeside(path, Buffer.from(`${JSON.stringify(value)}\n`), 0o600), path)
  await syncFolder(dirname(path))
}

function readJson(path: string): Record<string, unknown> | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : undefined
}
