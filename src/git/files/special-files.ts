import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Stamp, stampAt } from '#lib/files/stamp.ts'
import { git } from '../process.ts'
import type { Repository } from '../repository.ts'

/** A change of a path from the top of the working tree. Modes are written as git does, all zeros if there is nothing. */
export interface SpecialChange {
  readonly path: string
  readonly oldMode: string
  readonly mode: string
}

const NOTHING = '000000'
const SUBMODULE = '160000'

/** Links, submodules, and files of which git keeps other bytes than they have: only git can say whether they were edited, and put them in place. */
export class SpecialFiles {
  /** Those that hold what is in no commit, or have something in their way. */
  readonly edited: readonly string[]
  readonly #top: string
  readonly #stamps: ReadonlyMap<SpecialChange, Stamp | undefined>

  static async look({ top }: Repository, changes: readonly SpecialChange[]): Promise<SpecialFiles> {
    const stamps = new Map(changes.map((change) => [change, stampAt(join(top, change.path))]))
    if (changes.length === 0) return new SpecialFiles(top, stamps, [])
    const args = ['diff', '--name-only', '-z', '--no-ext-diff', '--no-renames', '--ignore-submodules=all']
    const differing = new Set((await git(top, args)).toString('utf8').split('\0'))
    const isEdited = (change: SpecialChange) => stamps.get(change) !== undefined && differing.has(change.path)
    const edited = changes.filter((change) => isEdited(change) || isInTheWay(change, stamps.get(change)))
    const paths = edited.map(({ path }) => path)
    return new SpecialFiles(top, stamps, paths)
  }

  private constructor(top: string, stamps: ReadonlyMap<SpecialChange, Stamp | undefined>, edited: readonly string[]) {
    this.#top = top
    this.#stamps = stamps
    this.edited = edited
  }

  /** Brings them to what the index says. One that somebody has touched since it was looked at stays as it is: what they did would be lost. */
  async put(): Promise<void> {
    const isUntouched = ([{ path }, stamp]: [SpecialChange, Stamp | undefined]) => stampAt(join(this.#top, path)) === stamp
    const left = [...this.#stamps].filter(isUntouched).map(([change]) => change)
    // Of a submodule git makes the folder alone, and leaves one that is there.
    const files = left.filter(({ mode }) => mode !== NOTHING)
    for (const { path, oldMode, mode } of left) {
      if (mode === NOTHING && oldMode !== SUBMODULE) rmSync(join(this.#top, path), { force: true })
    }
    if (files.length === 0) return
    const input = files.map(({ path }) => `${path}\0`).join('')
    await git(this.#top, ['checkout-index', '-f', '-z', '--stdin'], { input })
  }
}

/**
 * Returns whether a file is in the way. If git had no file there, or a folder that is a repository of its own, anything found
 * there belongs to somebody.
 */
function isInTheWay({ oldMode, mode }: SpecialChange, stamp: Stamp | undefined): boolean {
  if (mode === SUBMODULE || mode === NOTHING) return false
  return stamp !== undefined && (oldMode === NOTHING || oldMode === SUBMODULE)
}
