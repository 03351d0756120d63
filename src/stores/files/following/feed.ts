import { randomUUID } from 'node:crypto'
import type { Key } from '../../../core/key.ts'
import type { Changed, Cursor, Feed, Unsubscribe } from '../../../core/store.ts'

/** How many changes are remembered. */
const KEPT = 20_000

/**
 * The changes since this process began, in order; the oldest are let go. A cursor is `<run>.<number>`: one of another run,
 * or of what was let go, is answered with a reset.
 */
export class ChangeFeed {
  readonly #run = randomUUID()
  readonly #listeners = new Set<() => void>()
  #changes: Changed[] = []
  #first = 0
  #told = 0

  push(key: Key, removed: boolean): void {
    this.#changes.push({ key, removed })
    if (this.#changes.length < KEPT * 2) return
    this.#first += this.#changes.length - KEPT
    this.#changes = this.#changes.slice(-KEPT)
  }

  /** Tells the listeners, where something came since they were last told. */
  tell(): void {
    if (this.#told === this.#end) return
    this.#told = this.#end
    for (const listener of [...this.#listeners]) listener()
  }

  after(cursor: Cursor | undefined, limit: number): Feed {
    const [run, number = ''] = (cursor ?? '').split('.')
    const start = /^\d+$/.test(number) ? Number(number) : -1
    if (run !== this.#run || start < this.#first || start > this.#end)
      return { changes: [], next: this.#cursor(this.#end), reset: true }
    const changes = this.#changes.slice(start - this.#first, start - this.#first + limit)
    return { changes, next: this.#cursor(start + changes.length), reset: false }
  }

  subscribe(listener: () => void): Unsubscribe {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  close(): void {
    this.#listeners.clear()
  }

  get #end(): number {
    return this.#first + this.#changes.length
  }

  #cursor(number: number): Cursor {
    return `${this.#run}.${number}`
  }
}
