import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The folder of the new files, within that in which a switch is made ready. */
export const NEW = 'new'
const [OLD, LINKS, VIEW] = ['old', 'links', 'view']

/** Returns the folder within another in which this process switches files of it. */
export function stageIn(path: string): string {
  return join(path, `.quire-${process.pid}`)
}

/**
 * Changes files of a folder at one moment, for whoever opens them. Each becomes a link that leads to what is there, by way of a link
 * that all have in common; that one is turned from the old files to the new ones, and each takes the place of its link. `made` is
 * the folder of the new files, on the same disk; the `stale` ones are taken away.
 */
export function switchFiles(path: string, made: string, files: readonly string[], stale: readonly string[]): void {
  const changed = [...files, ...stale]
  const stage = staged(path, made, changed)
  for (const folder of new Set(files.map((file) => dirname(file)))) mkdirSync(join(path, folder), { recursive: true })
  for (const [n, file] of changed.entries()) renameSync(join(stage, LINKS, `${n}`), join(path, file))
  symlinkSync(NEW, join(stage, LINKS, VIEW))
  renameSync(join(stage, LINKS, VIEW), join(stage, VIEW))
  // What the site does not show any more must not be found there if the process ends here.
  chmodSync(join(stage, OLD), 0)
  finishSwitch(path, stage)
}

/** Brings a switch to its end wherever it was broken off: with all files as they were, or as they are made. */
export function finishSwitch(path: string, stage: string): void {
  if (!existsSync(stage)) return
  const [old, made, view] = [join(stage, OLD), join(stage, NEW), join(stage, VIEW)]
  if (existsSync(old)) chmodSync(old, 0o700)
  if (existsSync(view)) for (const file of new Set([...namesIn(old), ...namesIn(made)])) settle(path, file, view)
  rmSync(stage, { recursive: true, force: true })
}

/** Removes folders below `top` that are empty: this one, and those above it. */
export function removeEmpty(folder: string, top: string): void {
  for (let path = join(top, folder); path !== top; path = dirname(path)) {
    if (!existsSync(path)) continue
    if (readdirSync(path).length > 0) return
    rmdirSync(path)
  }
}

/** Makes all ready, beside the folder if it can be moved there: till then nobody sees of it. */
function staged(path: string, made: string, changed: readonly string[]): string {
  const stage = stageIn(path)
  const isInside = dirname(made) === stage
  const place = isInside ? stage : `${made}-stage`
  mkdirSync(join(place, LINKS), { recursive: true })
  mkdirSync(join(place, OLD))
  for (const [n, file] of changed.entries()) {
    giveName(join(path, file), join(place, OLD, file))
    const up = '../'.repeat(file.split('/').length - 1)
    symlinkSync(`${up}${basename(stage)}/${VIEW}/${file}`, join(place, LINKS, `${n}`))
  }
  symlinkSync(OLD, join(place, VIEW))
  if (isInside) return stage
  renameSync(made, join(place, NEW))
  renameSync(place, stage)
  return stage
}

/** Gives a file a second name, if it is there; a copy where it can have but one. */
function giveName(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true })
  try {
    if (lstatSync(from).isSymbolicLink()) copyFileSync(from, to)
    else linkSync(from, to)
  } catch {
    // A file of somebody else, or a disk without links.
    copyFileSync(from, to)
  }
}

/** Puts a file in the place of the link to it, or takes the link away. */
function settle(path: string, file: string, view: string): void {
  const place = join(path, file)
  const found = lstatSync(place, { throwIfNoEntry: false })
  const isLink = found?.isSymbolicLink() && readlinkSync(place).endsWith(`${basename(dirname(view))}/${VIEW}/${file}`)
  if (isLink && existsSync(join(view, file))) renameSync(join(view, file), place)
  else if (isLink) rmSync(place)
  if (isLink ? !existsSync(place) : !found) removeEmpty(dirname(file), path)
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
}
