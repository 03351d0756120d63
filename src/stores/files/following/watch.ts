import { type FSWatcher, watch } from 'node:fs'
import { isHidden } from '../../../core/layout.ts'
import type { Tree } from '../disk/tree.ts'

/** Hints that come within this time are told of together, in milliseconds. */
const BATCH_MS = 20

/**
 * Watches folders, one by one and never files (a watch a file costs memory and, at tens of thousands, seconds). What it tells are hints:
 * every watcher loses events when the event loop is held up, so that something else must find what was missed.
 * Not by chokidar: it reads a folder again, file by file, for whatever happens in it, and creates fell from 314 to 41 a second.
 */
export class FolderWatch {
  readonly #tree: Tree
  readonly #tell: (paths: Set<string>) => void
  readonly #watchers = new Map<string, FSWatcher>()
  #hints = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #fault: string | undefined

  /** `tell` is given the paths that something may have happened to: files, or folders in which something did. */
  constructor(tree: Tree, tell: (paths: Set<string>) => void) {
    this.#tree = tree
    this.#tell = tell
  }

  /** Why not every folder is watched, where that is so. */
  get fault(): string | undefined {
    return this.#fault
  }

  get size(): number {
    return this.#watchers.size
  }

  /** Watches just these folders from now on; returns those that were not watched before. */
  follow(folders: Iterable<string>): string[] {
    const wanted = new Set(folders)
    for (const [folder, watcher] of this.#watchers) if (!wanted.has(folder)) this.#stop(folder, watcher)
    const fresh = [...wanted].filter((folder) => !this.#watchers.has(folder))
    return fresh.filter((folder) => this.#start(folder))
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const [folder, watcher] of this.#watchers) this.#stop(folder, watcher)
  }

  #start(folder: string): boolean {
    try {
      const watcher = watch(this.#tree.real(folder), { persistent: false }, (_event, name) => this.#heard(folder, name))
      watcher.on('error', (error) => this.#failed(folder, watcher, error))
      this.#watchers.set(folder, watcher)
      return true
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#fault = code
      return false
    }
  }

  #stop(folder: string, watcher: FSWatcher): void {
    watcher.close()
    this.#watchers.delete(folder)
  }

  #failed(folder: string, watcher: FSWatcher, error: NodeJS.ErrnoException): void {
    this.#fault = error.code ?? error.message
    this.#stop(folder, watcher)
  }

  #heard(folder: string, name: string | null): void {
    if (name !== null && isHidden(name)) return
    this.#hints.add(name === null ? folder : `${folder}/${name}`)
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS)
  }

  #flush(): void {
    const hints = this.#hints
    this.#hints = new Set()
    this.#timer = undefined
    this.#tell(hints)
  }
}
