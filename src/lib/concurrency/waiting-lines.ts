/**
 * Items that wait, in lines within lines by their names: each line of one level has its turn after the others, so that who waits
 * in a short one does not wait for a long one.
 */
export class WaitingLines<T> {
  readonly #items: T[] = []
  readonly #lines = new Map<string, WaitingLines<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Puts an item at the end of a line: that of the first name, within it that of the second, and so on. */
  add(item: T, [name, ...within]: readonly string[] = []): void {
    this.#size++
    if (name === undefined) {
      this.#items.push(item)
      return
    }
    const line = this.#lines.get(name) ?? new WaitingLines<T>()
    this.#lines.set(name, line)
    line.add(item, within)
  }

  /** Takes the item whose turn it is. */
  take(): T | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    const [first] = this.#lines
    if (!first || this.#items.length > 0) return this.#items.shift()
    const [name, line] = first
    this.#lines.delete(name)
    const item = line.take()
    if (line.size > 0) this.#lines.set(name, line)
    return item
  }

  /** Takes the last item of the longest line. */
  takeLast(): T | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    const [longest] = [...this.#lines].sort(([, one], [, other]) => other.size - one.size)
    if (!longest || this.#items.length > longest[1].size) return this.#items.pop()
    const [name, line] = longest
    const item = line.takeLast()
    if (line.size === 0) this.#lines.delete(name)
    return item
  }
}
