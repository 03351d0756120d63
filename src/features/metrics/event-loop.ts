import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metric, Sample } from './exposition.ts'

/** Milliseconds between two looks at the clock. */
const RESOLUTION = 20

const NANOSECONDS = 1e9

/** The delay of the event loop: how much later than due a timer comes. */
export class EventLoop {
  #delays: IntervalHistogram | undefined
  #last: readonly Sample[] = []

  begin(): void {
    this.#delays ??= monitorEventLoopDelay({ resolution: RESOLUTION })
    this.#delays.enable()
  }

  close(): void {
    this.#delays?.disable()
  }

  /** The delays since the last call, in seconds; those told then where none was seen since, as right after it. */
  metric(): Metric {
    if (this.#delays && this.#delays.count > 0) {
      this.#last = samplesOf(this.#delays)
      this.#delays.reset()
    }
    const help = 'Delay of the event loop since the last time this was read.'
    return { name: 'quire_event_loop_delay_seconds', type: 'gauge', help, samples: this.#last }
  }
}

function samplesOf(delays: IntervalHistogram): Sample[] {
  const stats = { mean: delays.mean, p50: delays.percentile(50), p99: delays.percentile(99), max: delays.max }
  return Object.entries(stats).map(([stat, value]) => ({ labels: { stat }, value: late(value) }))
}

/** The time between two looks is longer than the resolution by the delay. */
function late(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION / 1000)
}
