import { setTimeout as pause } from 'node:timers/promises'
import { untilDone } from '#git/landing/checkout.ts'
import type { Repository } from '#git/repository.ts'
import { append } from '#lib/append.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Tree } from '../disk/tree.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { FolderWatch } from './watch.ts'

/** Interval at which everything is checked, with or without a watcher, in milliseconds. */
const EVERY_MS = 30_000
/** Milliseconds after the start until everything is checked first. */
const FIRST_MS = 300
/** Milliseconds until a postponed check is resumed, and for which a check of everything continues for such ones. */
const AGAIN_MS = 20
const PATIENCE_MS = 6_000
/** Longest time in milliseconds that a list waits for the rest of what others changed at once, and between two looks at that. */
const WHOLE_MS = 3_000
const PAUSE_MS = 5
/** Milliseconds within which the watch tells of a change that was found before it did. */
const SOON_MS = 200
/** From so many hints on it is quicker, and surer, to look at everything. */
const MANY = 200

interface Deps {
  tree: Tree
  registry: FileRegistry
  /** Told whenever something was looked at. */
  told: readonly { tell(): void }[]
  /** Repository whose git processes may change the checked files. */
  repository: Repository | undefined
}

/**
 * Keeps the registry in agreement with the disk: at once where a watcher hints at a change, and by a regular look at everything,
 * which is the truth.
 */
export class Reconciler {
  readonly #deps: Deps
  readonly #watch: FolderWatch
  #timer: NodeJS.Timeout | undefined
  #first: NodeJS.Timeout | undefined
  #again: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #last: number | undefined
  /** The reason for which the last look failed, until one succeeds. */
  #fault: string | undefined
  #closed = false
  /** Number of looks under way. */
  #looks = 0
  #isPartly = false
  #partlyUntil = 0
  #wasHeld = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#watch = new FolderWatch(deps.tree, (hints) => this.#begun(this.#counted(() => this.#follow(hints))))
  }

  /**
   * Watches from now on; what happened between the first look and the watch is found soon after, when the first answers have
   * gone.
   */
  start(): void {
    this.#watch.follow(this.#deps.registry.folders.paths())
    this.#timer = setInterval(() => this.#begun(this.reconcile()), EVERY_MS)
    this.#timer.unref()
    this.#first = setTimeout(() => this.#begun(this.reconcile()), FIRST_MS)
    this.#first.unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    clearTimeout(this.#first)
    clearTimeout(this.#again)
    this.#watch.close()
    await this.#next?.catch(() => undefined)
    await this.#running?.catch(() => undefined)
  }

  /** Looks at everything; what the disk held when this was called is in the registry when it resolves. */
  reconcile(): Promise<void> {
    if (!this.#running) return this.#begin()
    // The walk under way may have passed by what has changed since: one more is needed, and one is enough for all who ask.
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#begin()
      })
    return this.#next
  }

  /** Takes note of a change by others: more may be to come, by the look that found it or by the one that will. */
  took(): void {
    if (this.#timer === undefined) return
    if (this.#looks > 0) this.#isPartly = true
    else this.#partlyUntil = performance.now() + SOON_MS
  }

  /** True while some of what others changed at once is taken in, and the rest may not be. */
  get isPartly(): boolean {
    return !this.#closed && (this.#isPartly || performance.now() < this.#partlyUntil)
  }

  /** Resolves when what others changed at once is taken in, or when that has been waited for long enough. */
  async whole(): Promise<void> {
    for (const end = performance.now() + WHOLE_MS; this.isPartly && performance.now() < end; ) await pause(PAUSE_MS)
  }

  /** Looks at files, by their paths from the root; false where some are postponed. */
  lookAt(files: readonly string[]): boolean {
    const { registry, told } = this.#deps
    registry.lookAtPlaces(files)
    for (const one of told) one.tell()
    return registry.putOff.size === 0
  }

  /** Looks at postponed files as soon as nobody works on them. */
  lookAgain(): void {
    if (this.#timer === undefined || this.#closed || this.#running) return
    this.#again ??= setTimeout(() => {
      this.#again = undefined
      this.#begun(this.#counted(() => this.#follow(this.#deps.registry.putOff.take())))
    }, AGAIN_MS).unref()
  }

  /** Keeps the error of work that nobody awaits for the operator to see; the next look finds what this one did not. */
  #begun(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#fault = error instanceof Error ? error.message : String(error)
    })
  }

  /** Figures for an operator. */
  state(): { watching: string; folders: number; reconciled_at: string | null } {
    const fault = this.#fault ?? this.#watch.fault
    const watching = this.#timer === undefined ? 'off' : fault === undefined ? 'on' : `in part (${fault})`
    return {
      watching,
      folders: this.#watch.size,
      reconciled_at: this.#last === undefined ? null : new Date(this.#last).toISOString(),
    }
  }

  #begin(): Promise<void> {
    this.#running = this.#counted(() => this.#walk()).finally(() => {
      this.#running = undefined
      if (this.#deps.registry.putOff.size > 0) this.lookAgain()
    })
    return this.#running
  }

  async #counted(look: () => Promise<void>): Promise<void> {
    this.#looks++
    try {
      await look()
    } finally {
      this.#looks--
      this.#endLook()
    }
  }

  /** Ends a look: lists wait on for what is put off, and then for what the watch has still to tell of the same work. */
  #endLook(): void {
    const { isHeld } = this.#deps.registry.putOff
    this.#partlyUntil = this.#wasHeld && !isHeld && this.#isPartly ? performance.now() + SOON_MS : 0
    this.#wasHeld = isHeld
    if (this.#looks === 0 && !isHeld) this.#isPartly = false
  }

  async #walk(): Promise<void> {
    const { tree, registry } = this.#deps
    const end = performance.now() + PATIENCE_MS
    await this.#calm()
    await this.#each([tree.content, ...registry.folders.privatePaths()], (folder) => {
      this.#watch.check(folder)
      return registry.look(folder)
    })
    while (!this.#closed && registry.putOff.size > 0 && performance.now() < end) {
      await pause(AGAIN_MS)
      await this.#calm()
      await this.#each([...registry.putOff.take()], (path) => this.#lookAt(path) ?? [])
    }
    if (this.#closed) return
    this.#last = Date.now()
    this.#fault = undefined
    this.#settle()
  }

  /** Looks at paths, and at those that a look gives, in slices. */
  async #each(left: string[], look: (path: string) => string[]): Promise<void> {
    const slices = new Slices()
    for (let path = left.pop(); path !== undefined && !this.#closed; path = left.pop()) {
      append(left, look(path))
      if (slices.isOver) await slices.pause()
    }
  }

  async #follow(hints: Set<string>): Promise<void> {
    await this.#calm()
    if (hints.size > MANY || hints.has(this.#deps.tree.content)) return this.reconcile()
    const left = [...hints]
    const slices = new Slices()
    for (let path = left.pop(); path !== undefined && !this.#closed; path = left.pop()) {
      const below = this.#lookAt(path)
      // Something in the way that is not content: the look at everything reports it.
      if (!below) return this.reconcile()
      append(left, below)
      if (slices.isOver) await slices.pause()
    }
    if (!this.#closed) this.#settle()
  }

  /** In the middle of a checkout, files are missing that are there before and after. */
  async #calm(): Promise<void> {
    const { repository } = this.#deps
    if (repository) await untilDone(repository)
  }

  #lookAt(path: string): string[] | undefined {
    try {
      return this.#deps.registry.lookAtAny(path)
    } catch {
      return undefined
    }
  }

  /** A folder that was not watched yet is looked at again: a file may have come before the watch began. */
  #settle(): void {
    const { registry, told } = this.#deps
    if (this.#timer !== undefined) {
      const follow = () => this.#watch.follow(registry.folders.paths())
      for (let fresh = follow(); fresh.length > 0; fresh = follow()) {
        for (const folder of fresh) registry.look(folder)
      }
    }
    for (const one of told) one.tell()
  }
}
