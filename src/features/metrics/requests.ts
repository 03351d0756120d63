import type { Metric, Sample } from './exposition.ts'

/** Upper bounds of the buckets of durations, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** The methods that are told apart: a client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The label of requests that no route answers. */
const NO_ROUTE = 'none'

/** The requests of one route and method. */
class Durations {
  readonly route: string
  readonly method: string
  readonly statuses = new Map<number, number>()
  /** Number of requests in each bucket alone; the last one is of all that took longer. */
  readonly buckets = new Float64Array(BOUNDS.length + 1)
  seconds = 0

  constructor(route: string, method: string) {
    this.route = route
    this.method = method
  }

  add(status: number, seconds: number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    this.seconds += seconds
    let nth = 0
    while (nth < BOUNDS.length && seconds > (BOUNDS[nth] ?? 0)) nth++
    this.buckets[nth] = (this.buckets[nth] ?? 0) + 1
  }

  /** The samples of a histogram. */
  samples(): Sample[] {
    const labels = { method: this.method, route: this.route }
    let count = 0
    const buckets = [...this.buckets].map((more, nth) => {
      count += more
      return { suffix: '_bucket', labels: { ...labels, le: nth < BOUNDS.length ? String(BOUNDS[nth]) : '+Inf' }, value: count }
    })
    return [...buckets, { suffix: '_sum', labels, value: this.seconds }, { suffix: '_count', labels, value: count }]
  }
}

/** Counts of the requests of a server, by route, method and status. There are as many as its routes have, whatever is asked for. */
export class RequestCounts {
  readonly #routes = new Map<string, Map<string, Durations>>()

  /** Counts a request that was answered. `route` is the pattern that took it; undefined where none did. */
  add(route: string | undefined, method: string, status: number, seconds: number): void {
    this.#of(route ?? NO_ROUTE, METHODS.has(method) ? method : 'other').add(status, seconds)
  }

  /** The metrics of the requests. */
  metrics(): Metric[] {
    const all = [...this.#routes.values()].flatMap((methods) => [...methods.values()])
    const counted = all.flatMap(({ route, method, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value })),
    )
    return [
      { name: 'quire_http_requests_total', type: 'counter', help: 'Requests that were answered.', samples: counted },
      {
        name: 'quire_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the head of a request to the end of its answer.',
        samples: all.flatMap((durations) => durations.samples()),
      },
    ]
  }

  #of(route: string, method: string): Durations {
    const methods = this.#routes.get(route) ?? new Map<string, Durations>()
    const durations = methods.get(method) ?? new Durations(route, method)
    if (durations.statuses.size === 0) this.#routes.set(route, methods.set(method, durations))
    return durations
  }
}
