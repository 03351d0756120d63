/** Milliseconds that a result is taken as true. */
const LENGTH = 50
const MOST = 1000

/** Remembers what was found within one moment, and nothing from the one before: secrets do not stay in it. */
export class Moment<T> {
  /** Grows when what was found is forgotten: what was looked up meanwhile may be of before. */
  generation = 0
  #found = new Map<string, T>()
  #ends = 0

  get(name: string): T | undefined {
    if (performance.now() >= this.#ends) this.clear()
    return this.#found.get(name)
  }

  set(name: string, value: T): void {
    if (this.#found.size < MOST) this.#found.set(name, value)
  }

  /** Forgets everything, and begins the next moment. */
  clear(): void {
    this.generation++
    this.#ends = performance.now() + LENGTH
    if (this.#found.size > 0) this.#found = new Map()
  }
}
