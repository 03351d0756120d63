import { readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { besideOf, makeFile } from '#lib/files/atomic.ts'
import { isAlive, parseHolder, thisProcess } from '#lib/process-identity.ts'

/** The file that the process which changes modules has in their folder. */
export const HOLDER_FILE = '.quire-holder'

const PATIENCE_MS = 5_000
const PAUSE_MS = 20

/** Has the folder of modules for one process alone, and resolves with what gives it back. Throws Unavailable where another keeps it. */
export async function holdFolder(folder: string): Promise<() => void> {
  for (const begun = performance.now(); ; await pause(PAUSE_MS)) {
    const release = tryToHoldFolder(folder)
    if (release) return release
    if (performance.now() - begun > PATIENCE_MS)
      throw new Unavailable('Modules are being changed by another process.', 5, 'Try again when it is done.')
  }
}

/** As `holdFolder`, at once; undefined where a process that runs has it. What a dead one left is taken away. */
export function tryToHoldFolder(folder: string): (() => void) | undefined {
  const path = join(folder, HOLDER_FILE)
  if (make(path)) return () => rmSync(path, { force: true })
  if (isHeld(path)) return undefined
  const aside = besideOf(path)
  try {
    renameSync(path, aside)
    // Another may have taken it meanwhile: then it is theirs.
    if (isHeld(aside)) renameSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    rmSync(aside, { force: true })
  }
  return make(path) ? () => rmSync(path, { force: true }) : undefined
}

function make(path: string): boolean {
  try {
    makeFile(path, JSON.stringify(thisProcess()), 0o600)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function isHeld(path: string): boolean {
  try {
    const holder = parseHolder(readFileSync(path, 'utf8'))
    return holder !== undefined && isAlive(holder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
