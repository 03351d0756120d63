/** A mutex for each name: work on the same name runs one after another within this process, other work side by side. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs `work` once all earlier work under `name` is done, and returns its result. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name)
    const result = before ? before.then(work) : work()
    const leave = () => {
      if (this.#last.get(name) === settled) this.#last.delete(name)
    }
    const settled: Promise<void> = result.then(leave, leave)
    this.#last.set(name, settled)
    return result
  }
}
