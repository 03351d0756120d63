import type { Json } from '#lib/json.ts'

/** Something to be done later. `data` is agreed on by name between the code that adds a job and its worker. */
export interface Job {
  /** Small letters, digits and hyphens (`JOB_NAME`). */
  readonly name: string
  readonly data: Json
}

/** Does the jobs of one name. */
export interface Worker {
  /**
   * Does a job. If it rejects, the job is tried again later. It may get the same job twice, and must handle that. `signal` is
   * aborted where a stop has waited for it for `GRACE`.
   */
  work(job: Job, signal: AbortSignal): Promise<void>
  /** Called with a job that is given up, and the last error. */
  gaveUp(job: Job, error: unknown): void
}

/** Form of a job's name. */
const JOB_NAME = /^[a-z][a-z\d-]{0,39}$/

/** The workers of a process by the name of the jobs that they do. A job with any other name is left to another process. */
export type Workers = Readonly<Record<string, Worker>>

/** Stops taking jobs, and resolves when those under way have ended. */
export type Stop = () => Promise<void>

/**
 * Milliseconds that a worker keeps a job before another may take it. The lease is renewed while the worker runs, so this is the
 * delay before another process takes over the job of one that died.
 */
export const LEASE = 60_000

/** Milliseconds that jobs under way have to end before they are told to. */
export const GRACE = 5000

/**
 * Number of times that a job is tried, over about a day, before it is given up. Each start by a worker counts, so that a job that
 * ends its process is given up, too.
 */
export const TRIES = 16

/** Returns the job. Throws TypeError if its name is not of the form of one. */
export function checkedJob(job: Job): Job {
  if (!JOB_NAME.test(job.name)) throw new TypeError(`A job can't have the name ${JSON.stringify(job.name)}.`)
  return job
}

const FIRST_PAUSE = 5_000
const LONGEST_PAUSE = 6 * 3_600_000

/** Returns the milliseconds that a job rests after its nth failed try: five seconds, doubled each time, six hours at most. */
export function restAfter(tries: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tries - 1))
}

/** The jobs of one name that are not done yet. */
export interface WaitingJobs {
  readonly name: string
  readonly count: number
  /** Time at which the oldest of them was added, in milliseconds since 1970. Of one of an earlier release: when it is due. */
  readonly oldest: number
}

/** A queue of jobs to be done later, by any node. It outlives the process that added the job. */
export interface Jobs {
  /**
   * Adds a job, to be done from `at` on (milliseconds since 1970; at once without it): durable when it resolves. It is done at
   * least once, by one worker at a time: again if its worker failed, or did not renew its lease. Jobs begin in the order they are
   * due, but end in any. Throws TypeError for an invalid name.
   */
  add(job: Job, at?: number): Promise<void>
  /**
   * Hands jobs that are due to the worker of their name, one at a time; call it as often as jobs may be under way at once. A job
   * added on this node is begun at once, any other within about a second. A job with a name that `workers` lacks is neither taken
   * nor counted as tried. A job that failed for good (see `TRIES`) is removed, and its worker is told. While the store is away,
   * nothing is begun.
   */
  run(workers: Workers): Stop
  /** Counts the jobs that are not done yet, by name in code point order: those that are due, under way, and for later. */
  waiting(): Promise<readonly WaitingJobs[]>
  /** Stops all that run. */
  close(): Promise<void>
}
