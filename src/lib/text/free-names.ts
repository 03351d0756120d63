/**
 * Names that are each given once: a second `a` is `a-2`, a third `a-3`. Takes the same time for each name, however many are
 * alike.
 */
export class FreeNames {
  readonly #taken = new Set<string>()
  /** The number to go on from, of a name that was asked for before. */
  readonly #next = new Map<string, number>()
  readonly #joiner: string
  readonly #first: number

  /** `first` is the number of a second name that is the same. */
  constructor(joiner = '-', first = 2) {
    this.#joiner = joiner
    this.#first = first
  }

  /** The name itself, or where it is taken the name with the first free number behind it. */
  take(name: string): string {
    let free = name
    let number = this.#next.get(name) ?? this.#first
    while (this.#taken.has(free)) free = `${name}${this.#joiner}${number++}`
    this.#next.set(name, number)
    this.#taken.add(free)
    return free
  }
}
