import { PRIVATE } from '../disk/tree.ts'

/**
 * Others who change many files at once, as an author's git does: what is seen of content meanwhile was not there before and won't
 * be afterwards.
 */
export interface Others {
  /**
   * Returns a function that, once files were read, returns whether nobody worked on them meanwhile; undefined if there is no need
   * to ask.
   */
  watch(): (() => boolean) | undefined
  /** A callback for a postponed file. */
  putOff(): void
}

/**
 * Paths of content at which something changed while others worked on it: they are not read yet, and are to be looked at again.
 */
export class PutOff {
  readonly #others: Others | undefined
  readonly #paths = new Set<string>()

  constructor(others: Others | undefined) {
    this.#others = others
  }

  get size(): number {
    return this.#paths.size
  }

  /**
   * Begins a look at a path. Gives what ends it: true where what was seen is to be taken in. What is private always is, at once.
   */
  begin(path: string): () => boolean {
    const holds = path.startsWith(PRIVATE) ? undefined : this.#others?.watch()
    return () => {
      if (!holds || holds()) return true
      this.#paths.add(path)
      this.#others?.putOff()
      return false
    }
  }

  /** The paths so far, which are let go of. */
  take(): Set<string> {
    const paths = new Set(this.#paths)
    this.#paths.clear()
    return paths
  }
}
