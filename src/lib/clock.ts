/** The source of time: milliseconds since 1970 UTC. An argument everywhere, so that tests can move it. */
export interface Clock {
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
