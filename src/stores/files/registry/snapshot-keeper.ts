import type { FileRegistry } from './file-registry.ts'
import type { Known, Snapshot } from './snapshot.ts'

/** Milliseconds after a change until a running server saves a snapshot. */
const EVERY_MS = 60_000

/** Saves the snapshot: a while after changes and at the end. It is a cache, so that write errors are ignored. */
export class SnapshotKeeper {
  readonly #registry: FileRegistry
  readonly #snapshot: Snapshot
  #saved = 0
  #timer: NodeJS.Timeout | undefined

  constructor(registry: FileRegistry, snapshot: Snapshot) {
    this.#registry = registry
    this.#snapshot = snapshot
  }

  load(): Known {
    return this.#snapshot.load()
  }

  /** Keeps one every while from now on, where something was read meanwhile. */
  start(): void {
    this.#timer = setInterval(() => this.#save(1), EVERY_MS)
    this.#timer.unref()
  }

  /** Keeps one for the next start; a command, which `serving` is false for, only where that start would gain much by it. */
  close(serving: boolean): void {
    clearInterval(this.#timer)
    this.#save(serving ? 1 : this.#registry.folders.size / 20)
  }

  #save(atLeast: number): void {
    const readings = this.#registry.readings
    if (readings - this.#saved < Math.max(1, atLeast)) return
    this.#saved = readings
    try {
      this.#snapshot.save(this.#registry.folders.contentEntries())
    } catch {
      // A full disk or a folder that can't be written to: the next start reads the files.
    }
  }
}
