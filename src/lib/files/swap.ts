import { copyFileSync, linkSync, lstatSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { Slices } from '../concurrency/slices.ts'
import { Unavailable } from '../errors.ts'
import { besideOf, makeFolders, removeFolders, syncFolder, writeBeside } from './atomic.ts'
import { type AnyBytes, piecesOf } from './bytes.ts'
import { type Stamp, stampAt } from './stamp.ts'

/** The replacement of one file. `stamp` is its state when this was worked out; it is replaced only if that still holds. */
export interface Replacement {
  /** Absolute. */
  real: string
  /** The folder below which folders are made. */
  root: string
  before: AnyBytes | undefined
  stamp: Stamp | undefined
  after: AnyBytes | undefined
  mode: number
  folderMode: number
}

/** Number of files open at once: a pull may bring more than a process may have. */
const AT_ONCE = 64

/** Number of files that are put in place before other work may run. */
const IN_ONE_GO = 32

interface Prepared {
  replacement: Replacement
  beside: string | undefined
  /** The state of the file beside. */
  made: Stamp | undefined
}

/** A replacement that was made, and what it is undone from where the former bytes are not in memory. */
interface Done {
  readonly replacement: Replacement
  readonly aside: string | undefined
}

/** Replaces several files, all or none: the new ones are written beside and are on the disk before the first is renamed. */
export class Swap {
  readonly #prepared: Prepared[] = []
  readonly #made: string[] = []
  readonly #asides: string[] = []
  #isPut = false

  /** Writes the new files beside. If one can't be written, nothing is left behind; Unavailable where its folder went away. */
  static async prepare(replacements: readonly Replacement[]): Promise<Swap> {
    const swap = new Swap()
    try {
      const there = new Set<string>()
      for (const { real, root, after, folderMode } of replacements) {
        if (!after || there.has(dirname(real))) continue
        swap.#made.push(...makeFolders(root, dirname(real), folderMode))
        there.add(dirname(real))
      }
      await swap.#writeAll(replacements)
      return swap
    } catch (error) {
      swap.discard()
      // Whoever moves or removes a folder at this moment is done with it soon.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      throw new Unavailable('A folder or file was moved or removed meanwhile: nothing was changed.')
    }
  }

  /** In the order of the replacements. Waits for all even when one fails, so that what was made can be cleaned up. */
  async #writeAll(replacements: readonly Replacement[]): Promise<void> {
    for (let at = 0; at < replacements.length; at += AT_ONCE) {
      const results = await Promise.allSettled(replacements.slice(at, at + AT_ONCE).map(prepare))
      for (const result of results) if (result.status === 'fulfilled') this.#prepared.push(result.value)
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
  }

  /** The state of each new file before it gets its name, in the order of the replacements; undefined for one that is removed. */
  get made(): (Stamp | undefined)[] {
    return this.#prepared.map(({ made }) => made)
  }

  /** The paths that the new files have until they are put, in the order of the replacements; undefined for one that is removed. */
  get besides(): (string | undefined)[] {
    return this.#prepared.map(({ beside }) => beside)
  }

  /** Checks that every file is still in the state that the replacements were worked out from. */
  async holds(): Promise<boolean> {
    const slices = new Slices()
    for (const { replacement } of this.#prepared) {
      if (stampAt(replacement.real) !== replacement.stamp) return false
      if (slices.isOver) await slices.pause()
    }
    return true
  }

  /**
   * Renames the new files into place, and undoes this if a later one fails. A few are renamed in one go, so that nothing else of
   * this process runs in between; of many, others see some before the rest. False, with nothing changed, where `holds` does not
   * hold any more. A file that somebody saves while others are being renamed stays as it is: their text would be lost.
   */
  async put(): Promise<boolean> {
    if (!(await this.holds())) return false
    const done: Done[] = []
    const slices = new Slices()
    try {
      for (const [at, { replacement, beside }] of this.#prepared.entries()) {
        if (at % IN_ONE_GO === 0 && slices.isOver) await slices.pause()
        if (stampAt(replacement.real) !== replacement.stamp) continue
        const aside = keptAside(replacement)
        if (aside) this.#asides.push(aside)
        if (beside) renameSync(beside, replacement.real)
        else if (!isSameFile(replacement.real, done)) unlinkSync(replacement.real)
        done.push({ replacement, aside })
      }
      this.#isPut = true
      return true
    } catch (error) {
      for (const one of done.toReversed()) undo(one)
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  /** Resolves when what `put` did is on the disk; a folder that somebody has moved or removed since is theirs. */
  async settle(): Promise<void> {
    const folders = this.#prepared.map(({ replacement }) => dirname(replacement.real))
    const above = this.#made.map((folder) => dirname(folder))
    const sync = (folder: string) =>
      syncFolder(folder).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    await Promise.all([...new Set([...folders, ...above])].map(sync))
  }

  /** Takes away what was made and not put in place. */
  discard(): void {
    for (const { beside } of this.#prepared) if (beside) rmSync(beside, { force: true })
    for (const aside of this.#asides) rmSync(aside, { force: true })
    if (!this.#isPut) removeFolders(this.#made)
  }
}

async function prepare(replacement: Replacement): Promise<Prepared> {
  const { real, after, mode } = replacement
  const beside = after && (await writeBeside(real, Buffer.isBuffer(after) ? after : piecesOf(after), mode))
  return { replacement, beside, made: beside && stampAt(beside) }
}

/** Gives a file that is not in memory a second name, or a copy where the file system has no such names. */
function keptAside({ real, before }: Replacement): string | undefined {
  if (!before || Buffer.isBuffer(before)) return undefined
  const aside = besideOf(real)
  try {
    linkSync(real, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    copyFileSync(real, aside)
  }
  return aside
}

/** A folder that somebody has moved or removed since is theirs: the others are undone all the same. */
function undo({ replacement: { real, before }, aside }: Done): void {
  try {
    if (aside) renameSync(aside, real)
    else if (Buffer.isBuffer(before)) writeFileSync(real, before)
    else rmSync(real, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/**
 * Returns whether the disk treats two names such as `A.md` and `a.md` as one file. The old name of a move must not be removed
 * then.
 */
function isSameFile(real: string, done: readonly Done[]): boolean {
  const twin = done.map(({ replacement }) => replacement.real).find((other) => other.toLowerCase() === real.toLowerCase())
  return twin !== undefined && lstatSync(twin).ino === lstatSync(real).ino
}
