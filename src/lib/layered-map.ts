/** The most changes that a map holds above the one it goes on from: with more, both are put together. */
const MOST_CHANGES = 256

/**
 * A map from texts that no change touches: `with` gives another one, which shares with it what is alike. That costs as much as there
 * are changes, and now and then as much as there are values. Looking up costs what two maps do.
 */
export class LayeredMap<V extends {}> {
  readonly size: number
  readonly #below: ReadonlyMap<string, V>
  /** Undefined stands for what is removed. */
  readonly #above: ReadonlyMap<string, V | undefined>

  /** `below` must be changed by nobody. */
  constructor(below: ReadonlyMap<string, V> = new Map(), above: ReadonlyMap<string, V | undefined> = new Map()) {
    this.#below = below
    this.#above = above
    let size = below.size
    for (const [name, value] of above) size += Number(value !== undefined) - Number(below.has(name))
    this.size = size
  }

  get(name: string): V | undefined {
    const value = this.#above.get(name)
    return value !== undefined || this.#above.has(name) ? value : this.#below.get(name)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** The map with other values under some names; undefined removes what is there. */
  with(changes: Iterable<readonly [name: string, value: V | undefined]>): LayeredMap<V> {
    const above = new Map(this.#above)
    for (const [name, value] of changes) above.set(name, value)
    if (above.size <= MOST_CHANGES) return new LayeredMap(this.#below, above)
    const all = new Map(this.#below)
    for (const [name, value] of above) {
      if (value === undefined) all.delete(name)
      else all.set(name, value)
    }
    return new LayeredMap(all)
  }

  /** All values with their names. One that was changed stays where it was, new ones come last. */
  *entries(): Generator<[name: string, value: V], void, undefined> {
    for (const [name] of this.#below) {
      const value = this.get(name)
      if (value !== undefined) yield [name, value]
    }
    for (const [name, value] of this.#above) if (value !== undefined && !this.#below.has(name)) yield [name, value]
  }

  /** All values, in that order. */
  *values(): Generator<V, void, undefined> {
    for (const [, value] of this.entries()) yield value
  }
}
