import type { Shape } from './shapes.ts'
import { threadClock } from './thread-clock.js'

/** CPU time of the thread for a text of some size, in milliseconds. */
export interface Time {
  readonly size: number
  readonly ms: number
}

/** The result for one shape; `fault` is set if it is not as it should be. */
export interface Verdict {
  readonly shape: string
  readonly fault: string | undefined
  readonly times: readonly Time[]
}

const SMALLEST = 4 * 1024
export const LARGEST = 1024 * 1024
/** Longest time in milliseconds that a text of 1 MiB may hold the event loop. */
const HELD_MS = 100
/** Times below this count for nothing: they are noise. */
const FLOOR_MS = 40
/** Clocks of threads may say no less than this. */
const LEAST_MS = 4
/** Four times the text: n log n takes 5 times as long at most, the square 16 times. */
const MOST_GROWTH = 8
/** If one size takes longer than this, twice as much is not tried. */
const ENOUGH_MS = 400
const RUNS = 3
/** Number of attempts at what seems too slow: another process may have been the cause. */
const TRIES = 3
const now = threadClock()

/**
 * Does a thing with texts of a shape that double in size, and says what is wrong with how long it takes; of what `holds` nothing
 * up, with how that grows.
 */
export function judge(prepare: (text: string) => () => unknown, shape: Shape, holds: boolean): Verdict {
  let verdict = tried(prepare, shape, holds)
  for (let n = 1; n < TRIES && verdict.fault !== undefined; n++) verdict = tried(prepare, shape, holds)
  return verdict
}

function tried(prepare: (text: string) => () => unknown, shape: Shape, holds: boolean): Verdict {
  const times: Time[] = []
  for (let size = SMALLEST; size <= LARGEST; size *= 2) {
    const work = prepare(shape.of(size))
    times.push({ size, ms: least(work) })
    if ((times.at(-1)?.ms ?? 0) > ENOUGH_MS) break
  }
  return { shape: shape.name, fault: faultOf(times, holds), times }
}

function faultOf(times: readonly Time[], holds: boolean): string | undefined {
  const isSteep = (n: number) => {
    const [now, before] = [times[n], times[n - 2]]
    return now !== undefined && before !== undefined && now.ms > FLOOR_MS && now.ms / Math.max(before.ms, LEAST_MS) > MOST_GROWTH
  }
  // Once may be a cache that is full, or code that is compiled anew.
  const steep = times.findIndex(({ ms }, n) => isSteep(n) && (isSteep(n + 1) || (n === times.length - 1 && ms > ENOUGH_MS)))
  if (steep >= 0)
    return `grows ${((times[steep]?.ms ?? 0) / (times[steep - 2]?.ms ?? 1)).toFixed(0)} times with four times the text`
  const last = times.at(-1)
  return holds && last !== undefined && last.ms > HELD_MS ? 'holds the event loop' : undefined
}

/** The least time of some runs: another process, or collecting garbage, only adds to it. */
function least(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const before = now()
    work()
    best = Math.min(best, now() - before)
    if (best > ENOUGH_MS || best < FLOOR_MS / 4) return best
  }
  return best
}
