/** A mutex for each name: work on the same name runs one after another within this process, other work side by side. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>()

  /** Runs `work` once all earlier work under `name` is done, and returns its result. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.runAll([name], work)
  }

  /** As `run`, once all earlier work under any of these names is done. It waits in line under all of them from the start. */
  runAll<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = names.flatMap((name) => this.#last.get(name) ?? [])
    const result = before.length > 0 ? Promise.all(before).then(work) : work()
    const leave = () => {
      for (const name of names) if (this.#last.get(name) === settled) this.#last.delete(name)
    }
    const settled: Promise<void> = result.then(leave, leave)
    for (const name of names) this.#last.set(name, settled)
    return result
  }
}
