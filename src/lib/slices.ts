import { setImmediate } from 'node:timers/promises'

/** For how long a long piece of work goes on before other work gets its turn, in milliseconds. */
const SLICE_MS = 8

/** Parts a long piece of work, so that requests are answered in between. */
export class Slices {
  #since = performance.now()

  /** True if it is time to let others go first; then call `pause`. Cheap to check. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  async pause(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
