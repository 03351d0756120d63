import { type FSWatcher, watch } from 'node:fs'
import { isHidden } from '#core/files/layout.ts'
import { identityAt } from '#lib/files/stamp.ts'
import type { Tree } from '../disk/tree.ts'

/** Milliseconds within which hints are reported together. */
const BATCH_MS = 20

/** A watch is on the folder that had the path when it began, wherever that folder is moved. */
interface Watched {
  readonly watcher: FSWatcher
  /** Tells that folder from another with the path. */
  readonly identity: string | undefined
}

/**
 * Watches folders, one by one and never files (a watch a file costs memory and, at tens of thousands, seconds). What it tells are
 * hints: every watcher loses events when the event loop is held up, so that something else must find what was missed. Not by
 * chokidar: it reads a folder again, file by file, for whatever happens in it, and creates fell from 314 to 41 a second.
 */
export class FolderWatch {
  readonly #tree: Tree
  readonly #tell: (paths: Set<string>) => void
  readonly #watchers = new Map<string, Watched>()
  readonly #above = new Map<string, Watched>()
  #hints = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #fault: string | undefined

  /** `tell` is given the paths that something may have happened to: files, or folders in which something did. */
  constructor(tree: Tree, tell: (paths: Set<string>) => void) {
    this.#tree = tree
    this.#tell = tell
  }

  /** Reason why not every folder is watched, if so. */
  get fault(): string | undefined {
    return this.#fault
  }

  get size(): number {
    return this.#watchers.size
  }

  /** Watches just these folders from now on; returns those that were not watched before. */
  follow(folders: Iterable<string>): string[] {
    const wanted = new Set(folders)
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) stop(this.#watchers, folder)
    this.#followAbove()
    const fresh = [...wanted].filter((folder) => !this.#watchers.has(folder))
    return fresh.filter((folder) => this.#start(folder))
  }

  /** Lets go of the watch on a folder where another has its path now: `follow` then watches that one. */
  check(folder: string): void {
    const watched = this.#watchers.get(folder)
    if (watched && watched.identity !== identityAt(this.#tree.real(folder))) stop(this.#watchers, folder)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watchers of [this.#watchers, this.#above]) for (const folder of watchers.keys()) stop(watchers, folder)
  }

  /** The folders from the site's root down to the one of content: it may be replaced, and only they tell. */
  #followAbove(): void {
    const names = this.#tree.content.split('/')
    for (const [depth, name] of names.entries()) {
      const folder = names.slice(0, depth).join('/')
      const watched = this.#above.get(folder)
      if (watched?.identity === identityAt(this.#tree.real(folder)) && watched) continue
      stop(this.#above, folder)
      this.#watch(this.#above, folder, (_event, changed) => {
        if (changed === null || changed === name) this.#hint(this.#tree.content)
      })
    }
  }

  #start(folder: string): boolean {
    return this.#watch(this.#watchers, folder, (event, name) => this.#heard(folder, event, name))
  }

  #watch(watchers: Map<string, Watched>, folder: string, hear: (event: string, name: string | null) => void): boolean {
    try {
      const real = this.#tree.real(folder)
      // Before the watch begins: of a folder that is replaced meanwhile it is then found that it is not this one.
      const identity = identityAt(real)
      const watcher = watch(real, { persistent: false }, hear)
      watcher.on('error', (error: NodeJS.ErrnoException) => {
        this.#fault = error.code ?? error.message
        stop(watchers, folder)
      })
      watchers.set(folder, { watcher, identity })
      return true
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#fault = code
      return false
    }
  }

  #heard(folder: string, event: string, name: string | null): void {
    if (name !== null && isHidden(name)) return
    const path = name === null ? folder : `${folder}/${name}`
    if (event === 'rename') this.#release(path)
    this.#hint(path)
  }

  /** A folder that came, went or was moved is not the one that is watched, nor is any below it. */
  #release(folder: string): void {
    if (!this.#watchers.has(folder)) return
    for (const path of this.#watchers.keys()) if (path === folder || path.startsWith(`${folder}/`)) stop(this.#watchers, path)
  }

  #hint(path: string): void {
    if (path === this.#tree.content) this.#release(path)
    this.#hints.add(path)
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS)
  }

  #flush(): void {
    const hints = this.#hints
    this.#hints = new Set()
    this.#timer = undefined
    this.#tell(hints)
  }
}

function stop(watchers: Map<string, Watched>, folder: string): void {
  watchers.get(folder)?.watcher.close()
  watchers.delete(folder)
}
