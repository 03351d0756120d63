import autocannon from 'autocannon'

/** One thing to ask again and again. */
export interface Target {
  url: string
  method?: 'GET' | 'POST' | 'PUT'
  headers?: Record<string, string>
  /** A body, made anew for each request. */
  body?: () => string
  /** The path, made anew for each request, in place of the one in `url`. */
  path?: () => string
}

/**
 * The results of a round: requests per second, the number of responses that were not 2xx and of those that were, and the latency
 * in milliseconds.
 */
export interface Round {
  perSecond: number
  failed: number
  answered: number
  p50: number
  p99: number
}

/** Asks for `seconds` over `connections` and counts. */
export async function fire(target: Target, connections: number, seconds: number): Promise<Round> {
  const result = await autocannon({
    url: target.url,
    connections,
    duration: seconds,
    headers: target.headers ?? {},
    method: target.method ?? 'GET',
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          ...(target.path ? { path: target.path() } : {}),
          ...(target.body ? { body: target.body() } : {}),
        }),
      },
    ],
  })
  return {
    perSecond: result.requests.total / result.duration,
    failed: result.non2xx + result.errors,
    answered: result['2xx'],
    p50: result.latency.p50,
    p99: result.latency.p99,
  }
}

/** The middle of some numbers. */
export function median(numbers: number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** Two targets in turn, A B A B …: the median of each and of the ratio A/B, pair by pair. */
export async function compare(a: Target, b: Target, rounds: number, connections = 10, seconds = 3) {
  const pairs: { a: Round; b: Round }[] = []
  await fire(a, connections, 1)
  await fire(b, connections, 1)
  for (let n = 0; n < rounds; n++) pairs.push({ a: await fire(a, connections, seconds), b: await fire(b, connections, seconds) })
  return {
    a: median(pairs.map((p) => p.a.perSecond)),
    b: median(pairs.map((p) => p.b.perSecond)),
    ratio: median(pairs.map((p) => p.a.perSecond / p.b.perSecond)),
    failed: pairs.reduce((sum, p) => sum + p.a.failed + p.b.failed, 0),
  }
}
