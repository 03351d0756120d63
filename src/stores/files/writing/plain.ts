import { isRecordName } from '#core/files/layout.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { PlainJournal } from './plain-journal.ts'
import { StepFiles } from './step-files.ts'
import type { Step } from './steps.ts'
import type { Keeping, Planned } from './writer.ts'

/** Files alone, without a history: what is private, and sites outside of git. */
export class PlainKeeping implements Keeping {
  readonly most = 64
  readonly #tree: Tree
  readonly #registry: FileRegistry
  readonly #journal: PlainJournal

  constructor(tree: Tree, registry: FileRegistry) {
    this.#tree = tree
    this.#registry = registry
    this.#journal = new PlainJournal(tree)
  }

  /** Finishes what another process was killed at. */
  async calm(): Promise<() => boolean> {
    const finished = await this.#journal.finish()
    if (finished.length > 0) this.#registry.lookAtPlaces(finished.filter(isRecordName))
    return () => true
  }

  async keep(batches: readonly Planned[], steps: readonly Step[]): Promise<boolean> {
    const files = await StepFiles.prepare(this.#tree, this.#registry, steps)
    // A file alone is there or not.
    const isNoted = batches.some(({ edits }) => edits.length > 1)
    try {
      if (!(await this.#isPut(files, isNoted))) return false
      await files.settle()
      return true
    } finally {
      if (isNoted) this.#journal.remove()
    }
  }

  async #isPut(files: StepFiles, isNoted: boolean): Promise<boolean> {
    try {
      if (!(await files.holds())) return false
      if (isNoted) await this.#journal.write(files.journal)
      return await files.put()
    } finally {
      files.discard()
    }
  }
}
