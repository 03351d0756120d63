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

/** Number of items that are sorted, or merged, between two looks at the clock. */
const AT_ONCE = 1000

/** Sorts a list as `Array.sort` does, in slices; the list itself may be changed. */
export async function sortedInSlices<T>(list: T[], compare: (a: T, b: T) => number, slices: Slices): Promise<T[]> {
  if (list.length <= AT_ONCE) return list.sort(compare)
  let runs: T[][] = []
  for (let at = 0; at < list.length; at += AT_ONCE) {
    if (slices.isOver) await slices.pause()
    runs.push(list.slice(at, at + AT_ONCE).sort(compare))
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await mergedRuns(runs[at] ?? [], runs[at + 1] ?? [], compare, slices))
    runs = merged
  }
  return runs[0] ?? []
}

/** Of equals those of the first list come first. */
async function mergedRuns<T>(one: T[], other: T[], compare: (a: T, b: T) => number, slices: Slices): Promise<T[]> {
  if (other.length === 0) return one
  const merged: T[] = []
  let [at, there] = [0, 0]
  while (at < one.length && there < other.length) {
    if (merged.length % AT_ONCE === 0 && slices.isOver) await slices.pause()
    const [a, b] = [one[at] as T, other[there] as T]
    if (compare(a, b) <= 0) {
      merged.push(a)
      at++
    } else {
      merged.push(b)
      there++
    }
  }
  for (; at < one.length; at++) merged.push(one[at] as T)
  for (; there < other.length; there++) merged.push(other[there] as T)
  return merged
}
