import { setTimeout as pause, setImmediate } from 'node:timers/promises'

/** The way in which groups are committed. */
export interface GroupCommitOptions<Item, Answer> {
  /**
   * Commits the items of a group in their order. Resolves with the answer to each: a function that returns it, or throws why the
   * item is refused. Rejects where the group can't be committed; then nothing of it was.
   */
  commit(group: readonly Item[]): Promise<readonly (() => Answer)[]>
  /** Largest number of items of a group. */
  readonly most?: number
  /** Milliseconds to wait after a group of several until as many have come again: those that were answered may. */
  readonly linger?: number
  /** Returns whether the failure of a group may be that of one item: then each is committed alone. */
  isOfOne?(error: unknown): boolean
}

/** Number of items and of groups that were committed. */
export interface Committed {
  readonly items: number
  readonly groups: number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  done(answer: () => Answer): void
  failed(error: unknown): void
}

/**
 * Commits items in groups, so that they share the wait for the disk or one transaction: those that come in one iteration of the
 * event loop, and those that come while a group is committed, go together. One group at a time, in the order they come.
 */
export class GroupCommit<Item, Answer> {
  readonly #options: GroupCommitOptions<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  #working: Promise<void> | undefined
  #came: (() => void) | undefined
  #committed: Committed = { items: 0, groups: 0 }

  constructor(options: GroupCommitOptions<Item, Answer>) {
    this.#options = options
  }

  /** Adds an item to the next group; resolves with its answer when that is committed. */
  add(item: Item): Promise<Answer> {
    const answered = new Promise<() => Answer>((done, failed) => {
      this.#waiting.push({ item, done, failed })
      this.#came?.()
      this.#working ??= this.#work()
    })
    return answered.then((answer) => answer())
  }

  /** Counts of what was committed since this was made; items that were refused in their group are among them. */
  get committed(): Committed {
    return this.#committed
  }

  /** Resolves when nothing is being committed. */
  async idle(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    await setImmediate()
    const { most = Number.POSITIVE_INFINITY, linger = 0 } = this.#options
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, most)
      await this.#commit(group)
      if (linger > 0 && group.length > 1) await this.#linger(linger, this.#waiting.length + group.length)
    }
    // In the same step as the last look at what waits, or an item that comes in between would wait for ever.
    this.#working = undefined
  }

  async #commit(group: readonly Waiting<Item, Answer>[]): Promise<void> {
    const { commit, isOfOne } = this.#options
    try {
      const answers = await commit(group.map(({ item }) => item))
      const { items, groups } = this.#committed
      this.#committed = { items: items + group.length, groups: groups + 1 }
      for (const [at, { done }] of group.entries())
        done(answers[at] ?? refused(new Error('A group was committed without an answer to each item.')))
    } catch (error) {
      if (group.length > 1 && isOfOne?.(error)) for (const one of group) await this.#commit([one])
      else for (const { failed } of group) failed(error)
    }
  }

  /** Waits for a moment, or until so many wait. */
  async #linger(most: number, enough: number): Promise<void> {
    const all = new AbortController()
    this.#came = () => {
      if (this.#waiting.length >= enough) all.abort()
    }
    await pause(most, undefined, { signal: all.signal }).catch(() => undefined)
    this.#came = undefined
  }
}

/** Returns the answer to an item that is refused. */
export function refused(error: unknown): () => never {
  return () => {
    throw error
  }
}

/** Adds up what several have committed. */
export function sumOf(all: readonly Committed[]): Committed {
  return all.reduce((sum, { items, groups }) => ({ items: sum.items + items, groups: sum.groups + groups }), {
    items: 0,
    groups: 0,
  })
}
