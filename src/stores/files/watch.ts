import { basename, join, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import { isHidden } from './layout.ts'
import type { Tree } from './tree.ts'

/** Hints that come within this time are told of together, in milliseconds. */
const BATCH_MS = 20
/** When a new folder is looked at again, in milliseconds: a file may have come before its watch began. */
const AGAIN_MS = 150

/**
 * Watches the folders of the content and never its files (a watch a file costs memory and, at tens of thousands, seconds). What it tells
 * are hints: every watcher loses events when the event loop is held up, so that something else must find what was missed.
 */
export class FolderWatch {
  readonly #tree: Tree
  readonly #tell: (paths: Set<string>) => void
  readonly #again = new Set<NodeJS.Timeout>()
  #watcher: FSWatcher | undefined
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

  /** How many folders are watched. */
  get size(): number {
    return Object.keys(this.#watcher?.getWatched() ?? {}).length
  }

  /** Watches all folders of the content, also those that come; resolves when those there now are watched. */
  async start(): Promise<void> {
    const root = this.#tree.real(this.#tree.content)
    const watcher = watch(root, {
      ignored: (path, stats) => stats?.isDirectory() === false || (path !== root && isHidden(basename(path))),
      followSymlinks: false,
      persistent: false,
    })
    this.#watcher = watcher
    watcher.on('raw', (_event, name, details) => this.#heard((details as { watchedPath: string }).watchedPath, name))
    watcher.on('error', (error) => {
      this.#fault = (error as NodeJS.ErrnoException).code ?? String(error)
    })
    await new Promise<void>((resolve) => watcher.once('ready', resolve))
    watcher.on('addDir', (folder) => this.#came(folder))
    watcher.on('unlinkDir', (folder) => this.#hint(folder))
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    for (const timer of this.#again) clearTimeout(timer)
    await this.#watcher?.close()
  }

  #heard(folder: string, name: unknown): void {
    if (typeof name !== 'string' || name === '') this.#hint(folder)
    else if (!isHidden(name)) this.#hint(join(folder, name))
  }

  #came(folder: string): void {
    this.#hint(folder)
    const timer = setTimeout(() => {
      this.#again.delete(timer)
      this.#hint(folder)
    }, AGAIN_MS)
    this.#again.add(timer)
  }

  #hint(real: string): void {
    const below = real.slice(this.#tree.real(this.#tree.content).length).replaceAll(sep, '/')
    this.#hints.add(this.#tree.content + below)
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS)
  }

  #flush(): void {
    const hints = this.#hints
    this.#hints = new Set()
    this.#timer = undefined
    this.#tell(hints)
  }
}
