import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { StepFiles } from './step-files.ts'
import type { Step } from './steps.ts'
import type { Keeping, Planned } from './writer.ts'

/** Files alone, without a history: what is private, and sites outside of git. */
export class PlainKeeping implements Keeping {
  readonly most = 64
  readonly #tree: Tree
  readonly #registry: FileRegistry

  constructor(tree: Tree, registry: FileRegistry) {
    this.#tree = tree
    this.#registry = registry
  }

  async calm(): Promise<() => boolean> {
    return () => true
  }

  async keep(_batches: readonly Planned[], steps: readonly Step[]): Promise<boolean> {
    const files = await StepFiles.prepare(this.#tree, this.#registry, steps)
    try {
      if (!(await files.holds()) || !(await files.put())) return false
    } finally {
      files.discard()
    }
    await files.settle()
    return true
  }
}
