import { PRIVATE } from '../disk/tree.ts'

/**
 * Others who change many files at once, as an author's git does: what is seen of content meanwhile was not there before and won't
 * be afterwards.
 */
export interface Others {
  /**
   * Gives what tells, once files were looked at, whether nobody was at work on them meanwhile; undefined where it need not be
   * asked.
   */
  watch(): (() => boolean) | undefined
  /** Told that something was put off. */
  putOff(): void
}

/** Paths of content at which something was seen while others were at work: it is not taken in, and is to be looked at again. */
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
