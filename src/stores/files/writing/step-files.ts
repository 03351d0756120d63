import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path/posix'
import { Slices } from '#lib/concurrency/slices.ts'
import { Conflict } from '#lib/errors.ts'
import { type Replacement, Swap } from '#lib/files/swap.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { Written } from '../registry/entry-reader.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import type { JournalStep } from './plain-journal.ts'
import type { Step } from './steps.ts'

/** Number of files of a folder that are checked before other work may run. */
const AT_ONCE = 32

/** The steps of a group on their way to the site's files. */
export class StepFiles {
  readonly #registry: FileRegistry
  readonly #steps: readonly Step[]
  readonly #swap: Swap

  /** Writes the new files beside those they are to replace. Throws Conflict where the folder of the content leads out of the site. */
  static async prepare(tree: Tree, registry: FileRegistry, steps: readonly Step[]): Promise<StepFiles> {
    const replacements: Replacement[] = []
    const slices = new Slices()
    for (const step of steps) {
      if (tree.isElsewhere(step.path)) throw new Conflict('The folder of the content is a link that leads out of the site.')
      replacements.push(replacementOf(tree, step))
      if (slices.isOver) await slices.pause()
    }
    const swap = await Swap.prepare(replacements)
    for (const [at, { path }] of steps.entries()) if (path.startsWith(`${PRIVATE}/`)) tree.trust.wrote(swap.made[at] ?? '')
    return new StepFiles(registry, steps, swap)
  }

  private constructor(registry: FileRegistry, steps: readonly Step[], swap: Swap) {
    this.#registry = registry
    this.#steps = steps
    this.#swap = swap
  }

  /** The changes that are about to be made, for a journal. */
  get journal(): JournalStep[] {
    const { besides } = this.#swap
    return this.#steps.map(({ path, stamp }, at) => {
      const beside = besides[at]
      return { path, beside: beside === undefined ? null : basename(beside), before: stamp ?? null }
    })
  }

  /** Checks that every file is still in the state that the steps were worked out from. */
  holds(): Promise<boolean> {
    return this.#swap.holds()
  }

  /** Puts the new files in place, and has the registry look at them. False, with nothing changed, where that can't be any more. */
  async put(): Promise<boolean> {
    try {
      return await this.#swap.put()
    } finally {
      await this.#look()
    }
  }

  /** Folder by folder: each is asked once whether it is one still. */
  async #look(): Promise<void> {
    const made = this.#swap.made
    const folders = new Map<string, Written[]>()
    for (const [at, { path, document, isBeside }] of this.#steps.entries()) {
      if (isBeside) continue
      const file = { name: basename(path), made: made[at], document }
      const files = folders.get(dirname(path))
      if (files) files.push(file)
      else folders.set(dirname(path), [file])
    }
    const slices = new Slices()
    for (const [folder, files] of folders) {
      for (let at = 0; at < files.length; at += AT_ONCE) {
        if (slices.isOver) await slices.pause()
        this.#registry.lookAtWritten(folder, files.slice(at, at + AT_ONCE))
      }
    }
  }

  settle(): Promise<void> {
    return this.#swap.settle()
  }

  discard(): void {
    this.#swap.discard()
  }
}

function replacementOf(tree: Tree, { path, before, stamp, after }: Step): Replacement {
  const real = tree.real(path)
  const isOurs = path.startsWith(`${PRIVATE}/`)
  const root = tree.real(isOurs ? PRIVATE : tree.content)
  return { real, root, before, stamp, after, mode: modeOf(real, isOurs), folderMode: isOurs ? 0o700 : 0o777 }
}

/** A file keeps its mode; a new one gets the usual, a private one is its owner's alone. */
function modeOf(real: string, isOurs: boolean): number {
  if (isOurs) return 0o600
  const mode = statSync(real, { throwIfNoEntry: false })?.mode
  return mode === undefined ? 0o666 & ~process.umask() : mode & 0o777
}
