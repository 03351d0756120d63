import { setImmediate } from 'node:timers/promises'

/** Milliseconds that a long piece of work goes on before other work runs. */
const SLICE_MS = 8

/**
 * Has pieces of work that take longer than a slice go on one at a time. All that wait for their next slice get it before anything
 * else runs, so that many at once would hold it up.
 */
export class SliceQueue {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is one's turn, with what ends the turn. */
  async enter(): Promise<() => void> {
    const before = this.#last
    let leave = (): void => undefined
    this.#last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}

/** Splits a long piece of work into slices, between which requests are answered. */
export class Slices {
  readonly #queue: SliceQueue | undefined
  #leave: (() => void) | undefined
  #since = performance.now()

  /** Slices of work that waits in a queue once it takes longer than one; then call `end`. */
  constructor(queue?: SliceQueue) {
    this.#queue = queue
  }

  /** True if it is time to let others go first; then call `pause`. Cheap to check. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE_MS
  }

  async pause(): Promise<void> {
    this.#leave ??= await this.#queue?.enter()
    await setImmediate()
    this.#since = performance.now()
  }

  /** Lets the next one of the queue go on. */
  end(): void {
    this.#leave?.()
    this.#leave = undefined
  }
}
