import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog } from './catalog.ts'
import type { Tree } from './tree.ts'
import { FolderWatch } from './watch.ts'

/** How often everything is looked at, watcher or not, in milliseconds. */
const EVERY_MS = 30_000
/** How long after the start watching begins, in milliseconds. */
const BEGINS_MS = 300
/** From so many hints on it is quicker, and surer, to look at everything. */
const MANY = 200
/** For how long folders are looked at before other work gets its turn, in milliseconds. */
const SLICE_MS = 8

interface Parts {
  tree: Tree
  catalog: Catalog
  /** Called whenever something was looked at. */
  looked(): void
}

/** Keeps the catalog in agreement with the disk: at once where a watcher hints at a change, and by a regular look at everything, which is the truth. */
export class Reconciler {
  readonly #parts: Parts
  readonly #watch: FolderWatch
  #timer: NodeJS.Timeout | undefined
  #begins: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  #last: number | undefined
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#watch = new FolderWatch(parts.tree, (hints) => this.#follow(hints))
  }

  /** Watches soon, so that the first answers go before it, and then looks at everything: something may have happened since the first look. */
  start(): void {
    this.#timer = setInterval(() => void this.reconcile(), EVERY_MS)
    this.#timer.unref()
    this.#begins = setTimeout(() => void this.#watch.start().then(() => (this.#closed ? undefined : this.reconcile())), BEGINS_MS)
    this.#begins.unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    clearTimeout(this.#begins)
    await this.#watch.close()
    await this.#next
    await this.#running
  }

  /** Looks at everything; what the disk held when this was called is in the catalog when it resolves. */
  reconcile(): Promise<void> {
    if (!this.#running) return this.#begin()
    // The walk under way may have passed by what has changed since: one more is needed, and one is enough for all who ask.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#begin()
    })
    return this.#next
  }

  /** Figures for an operator. */
  state(): { watching: string; folders: number; reconciled_at: string | null } {
    const { fault } = this.#watch
    const watching = this.#timer === undefined ? 'off' : fault === undefined ? 'on' : `in part (${fault})`
    return {
      watching,
      folders: this.#watch.size,
      reconciled_at: this.#last === undefined ? null : new Date(this.#last).toISOString(),
    }
  }

  #begin(): Promise<void> {
    this.#running = this.#walk().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #walk(): Promise<void> {
    const { tree, catalog } = this.#parts
    const left = [tree.content, ...catalog.privateFolders()]
    let since = performance.now()
    for (let folder = left.pop(); folder !== undefined && !this.#closed; folder = left.pop()) {
      left.push(...catalog.look(folder))
      if (performance.now() - since < SLICE_MS) continue
      await nextTurn()
      since = performance.now()
    }
    if (this.#closed) return
    this.#last = Date.now()
    this.#parts.looked()
  }

  #follow(hints: Set<string>): void {
    if (hints.size > MANY) return void this.reconcile()
    for (const path of hints) this.#parts.catalog.lookAtAny(path)
    this.#parts.looked()
  }
}
