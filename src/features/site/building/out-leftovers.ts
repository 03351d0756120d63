import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { BadRequest } from '#lib/errors.ts'
import { makeFolder } from '#lib/files/make-folder.ts'
import { isRunning } from '#lib/running.ts'
import { readManifest } from './out-manifest.ts'
import { LEFT_IN_PLACE, MANIFEST } from './out-place.ts'
import { finishSwitch } from './out-switch.ts'

/**
 * Returns where a build makes what will take the place of a folder; with `-old` and `-gone` behind it, what was there before is
 * taken aside, with `-stage` what will be moved into it.
 */
export function nameBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.quire-${process.pid}`)
}

/** Makes the folders above one, and finds out at once if it can be made, too. Throws BadRequest, or what the system says. */
export function tryToMake(path: string): void {
  try {
    makeFolder(dirname(path))
    const beside = nameBeside(path)
    if ([path, beside].some((one) => lstatSync(one, { throwIfNoEntry: false }))) return
    mkdirSync(beside)
    rmdirSync(beside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new BadRequest(
      `The site can't be built into ${path}: no folder can be made there.`,
      'Choose another one, such as public.',
    )
  }
}

/**
 * Removes leftovers of builds that no longer run. One that was killed between two renames is completed: the new folder was whole. So
 * is one that was killed while it switched files, forwards or backwards.
 */
export function tidy(path: string): void {
  const beside = new RegExp(`^\\.${escaped(basename(path))}\\.quire-(\\d+)(-old|-gone|-stage)?$`)
  const left = leftIn(dirname(path), beside).toSorted()
  const aside = left.find((name) => name.endsWith('-old'))
  if (aside !== undefined && !existsSync(path)) {
    const made = aside.slice(0, -'-old'.length)
    renameSync(existsSync(made) ? made : aside, path)
  }
  for (const one of left) {
    if (!one.endsWith('-old')) rmSync(one, { recursive: true, force: true })
    else if (existsSync(one)) clear(one, path)
  }
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  for (const stage of leftIn(path, /^\.quire-(\d+)(?:\.tmp)?$/)) finishSwitch(path, stage)
}

/**
 * Removes what builds made of a folder that was taken aside. What others have put there meanwhile goes to the new one, and stays
 * where that has another.
 */
function clear(aside: string, path: string): void {
  const built = readManifest(aside)
  const isLeft = clearFolder(aside, path, '', (file) => built.has(file) || LEFT_IN_PLACE.test(basename(file)))
  if (isLeft) return
  // Last: without it, leftovers could not be told from other files.
  rmSync(join(aside, MANIFEST), { force: true })
  rmdirSync(aside)
}

/** Clears a folder that was set aside, and returns whether something is left in it. */
function clearFolder(aside: string, path: string, folder: string, isBuilt: (file: string) => boolean): boolean {
  let isLeft = false
  for (const entry of readdirSync(join(aside, folder), { withFileTypes: true })) {
    const file = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (file === MANIFEST) continue
    if (entry.isDirectory()) isLeft = clearFolder(aside, path, file, isBuilt) || isLeft
    else if (isBuilt(file) || isSame(join(aside, file), join(path, file))) rmSync(join(aside, file), { force: true })
    else isLeft = !isMoved(join(aside, file), join(path, file)) || isLeft
  }
  if (!isLeft && folder !== '') rmdirSync(join(aside, folder))
  return isLeft
}

/** Returns whether both are names of one file. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [lstatSync(one), lstatSync(other, { throwIfNoEntry: false })]
  return a.ino === b?.ino && a.dev === b.dev
}

/** Moves a file to a place where nothing is; whether it could. */
function isMoved(from: string, to: string): boolean {
  if (lstatSync(to, { throwIfNoEntry: false })) return false
  try {
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

/** Returns the paths named after a process that no longer runs, or after this one: then another had its number before. */
function leftIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder).flatMap((name) => {
    const pid = Number(pattern.exec(name)?.[1] ?? Number.NaN)
    return Number.isNaN(pid) || (pid !== process.pid && isRunning(pid)) ? [] : [join(folder, name)]
  })
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
