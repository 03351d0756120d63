import type { Json } from './json.ts'

/** Something to be done later. What `data` is, who adds a job and who does it agree on by its name. */
export interface Job {
  readonly name: string
  readonly data: Json
}

/** Does a job. When it rejects, the job is tried again later. It may be given the same job twice, and knows how to bear that. */
export type Worker = (job: Job) => Promise<void>

/** Told of a job that is given up, and why. */
export type GaveUp = (job: Job, error: unknown) => void

/** Takes no more jobs, and resolves when what is under way has ended. */
export type Stop = () => Promise<void>

/**
 * How long a worker has a job before another may take it, in milliseconds. While it is at work its lease is renewed, so this is what passes
 * before the job of a process that died is done by another.
 */
export const LEASE = 60_000

/** How often a job is tried, over about a day, before it is given up. Each time a worker begins counts, so that a job that ends its process is given up, too. */
export const TRIES = 16

const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 6 * 3_600_000

/** How long a job rests after its nth try failed, in milliseconds: five seconds, then twice as long each time, six hours at most. */
export function restAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
}

/** What is to be done later, by whichever node comes to it; it outlives the process that asked for it. */
export interface Jobs {
  /**
   * Adds a job, to be done from `at` on (milliseconds since 1970; at once without it): durable when it resolves. It is done at least once, by one worker
   * at a time: again where its worker failed, or was not heard of for as long as a lease is. Jobs are begun in the order they are due, but
   * end in any.
   */
  add(job: Job, at?: number): Promise<void>
  /**
   * Gives jobs that are due to a worker, one at a time; run as many as may be at work at once. A job added on this node is begun at once, any other within about
   * a second. What fails for good (see `TRIES`) is removed, and `gaveUp` is told. While the store is away, nothing is begun.
   */
  run(worker: Worker, gaveUp: GaveUp): Stop
  /** Stops all that run. */
  close(): Promise<void>
}
