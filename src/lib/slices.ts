import { setImmediate } from 'node:timers/promises'

/** Milliseconds that a long piece of work goes on before other work runs. */
const SLICE_MS = 8

/** Splits a long piece of work into slices, between which requests are answered. */
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
