/** Lets pieces of work on the same name run one after another within this process; others run side by side. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs `work` once all that was asked for under `name` before is done, and gives what it gives. */
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
