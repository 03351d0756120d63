/** One who waits for a page to become another. */
interface Listener {
  readonly path: string
  /** The state of the page that they have. */
  readonly state: string
  readonly changed: () => void
}

/** The most who wait at once: each is a visible window of a browser on this machine. */
const MOST = 32
const LOOK_EVERY_MS = 500

/**
 * Tells those who show a page when it has become another. While nobody waits, nothing is looked at; the state of a page is asked
 * for once for all who wait for it.
 */
export class PageWatch {
  readonly #stateOf: (path: string) => Promise<string | undefined>
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  /** `stateOf` resolves with a text that is another once the page is; with undefined where that can't be said just now. */
  constructor(stateOf: (path: string) => Promise<string | undefined>) {
    this.#stateOf = stateOf
  }

  /** Has `changed` called once, when the page at a path is not in that state. Returns what ends the waiting; undefined for too many. */
  add(path: string, state: string, changed: () => void): (() => void) | undefined {
    if (this.#listeners.size >= MOST) return undefined
    const listener = { path, state, changed }
    this.#listeners.add(listener)
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref()
    void this.look()
    return () => this.#remove(listener)
  }

  /** Looks at all pages that somebody waits for; one look at a time. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#listeners.clear()
  }

  async #look(): Promise<void> {
    for (const path of new Set([...this.#listeners].map((listener) => listener.path))) {
      const state = await this.#stateOf(path)
      if (state === undefined) continue
      for (const listener of [...this.#listeners]) {
        if (listener.path !== path || listener.state === state) continue
        this.#remove(listener)
        listener.changed()
      }
    }
  }

  #remove(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
