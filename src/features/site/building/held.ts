import { stampAt } from './out-stamps.ts'

/** The meaning of a file, as long as that is the file which it was taken from, or written to. */
export class Held<T> {
  #held: { readonly path: string; readonly stamp: string; readonly meaning: T } | undefined

  /** The meaning of the file at a path; undefined where that is not held, or the file is another by now. */
  at(path: string): T | undefined {
    return this.#held?.path === path && this.#held.stamp === stampAt(path) ? this.#held.meaning : undefined
  }

  /** Holds what the file with this stamp means: one that was taken before it was read, or before it got its name. */
  keep(path: string, stamp: string | undefined, meaning: T): void {
    this.#held = stamp === undefined ? undefined : { path, stamp, meaning }
  }
}
