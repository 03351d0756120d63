import type { Clock } from '#lib/clock.ts'
import { GRACE, type Job, LEASE, restAfter, type Stop, TRIES, type Worker, type Workers } from './jobs.ts'

/** A job in the hands of a worker. */
export interface Lease {
  readonly id: string
  readonly job: Job
  /** Number of this try, counted from 1. */
  readonly tries: number
  /** The end of the lease, in milliseconds since 1970. */
  readonly until: number
}

/**
 * A store's queue of jobs. Each job has an instant from which on it may be taken. For a leased job that is the end of its lease.
 */
export interface JobQueue {
  /**
   * Takes one job with one of these names that is due at `now`, the one due longest first, so that it is due again at `until`. Of
   * many callers at once, one gets it.
   */
  take(names: readonly string[], now: number, until: number): Promise<Lease | undefined>
  /** Makes a job that is still leased so due at another instant; undefined where another has taken it since. */
  move(lease: Lease, until: number): Promise<Lease | undefined>
  /** Removes a job that is done. */
  remove(lease: Lease): Promise<void>
}

type ByName = ReadonlyMap<string, Worker>

/** A loop that waits for a job. */
interface Waiting {
  wake(): void
}

/** Milliseconds that an idle worker waits before looking for a job again. */
export const PAUSE = 1000

/** Number of times that a live worker renews a lease within its duration. */
const RENEWALS = 3

/** The workers of a process on a queue of jobs: see `Jobs.run`. */
export class JobRuns {
  readonly #queue: JobQueue
  readonly #clock: Clock
  readonly #pause: number
  readonly #stops = new Set<Stop>()
  readonly #waiting = new Set<Waiting>()

  constructor(queue: JobQueue, clock: Clock, pause: number) {
    this.#queue = queue
    this.#clock = clock
    this.#pause = pause
  }

  /** See `Jobs.run`. */
  run(workers: Workers): Stop {
    const state = { isStopped: false }
    const stopping = new AbortController()
    const ended = this.#work(state, new Map(Object.entries(workers)), stopping.signal)
    const stop = async () => {
      state.isStopped = true
      this.wake()
      const grace = setTimeout(() => stopping.abort(), GRACE)
      await ended
      clearTimeout(grace)
      this.#stops.delete(stop)
    }
    this.#stops.add(stop)
    return stop
  }

  /** Wakes workers that wait: there may be a job. */
  wake(): void {
    for (const { wake } of this.#waiting) wake()
  }

  /** Stops all that run. */
  async stop(): Promise<void> {
    await Promise.all([...this.#stops].map((stop) => stop()))
  }

  async #work(state: { readonly isStopped: boolean }, workers: ByName, signal: AbortSignal): Promise<void> {
    while (!state.isStopped) {
      const waiting = this.#wait()
      const lease = await this.#take([...workers.keys()])
      if (!lease) await waiting.over
      waiting.wake()
      const worker = lease && workers.get(lease.job.name)
      if (worker) await this.#do(lease, worker, signal)
    }
  }

  /** Begun before the queue is looked at, or what is added meanwhile would be waited for. */
  #wait(): Waiting & { over: Promise<void> } {
    let wake = () => {}
    const over = new Promise<void>((resolve) => {
      wake = resolve
    })
    const timer = setTimeout(() => wake(), this.#pause)
    const waiting: Waiting & { over: Promise<void> } = { wake: () => wake(), over }
    this.#waiting.add(waiting)
    void over.then(() => {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    })
    return waiting
  }

  /** A queue that is away is one without jobs. */
  async #take(names: readonly string[]): Promise<Lease | undefined> {
    const now = this.#clock.now()
    return this.#queue.take(names, now, now + LEASE).catch(() => undefined)
  }

  async #do(lease: Lease, worker: Worker, signal: AbortSignal): Promise<void> {
    if (lease.tries > TRIES) return this.#giveUp(lease, new Error('Its process ended each time it was tried.'), worker)
    const renewing = this.#renew(lease)
    try {
      await worker.work(lease.job, signal)
      await renewing.end()
    } catch (error) {
      const last = await renewing.end()
      if (lease.tries === TRIES) return this.#giveUp(last, error, worker)
      return this.#rest(last)
    }
    await this.#remove(lease)
  }

  #renew(lease: Lease): { end(): Promise<Lease> } {
    let last = lease
    let renewed = Promise.resolve()
    const renew = async () => {
      const next = await this.#queue.move(last, this.#clock.now() + LEASE).catch(() => undefined)
      last = next ?? last
    }
    const timer = setInterval(() => {
      renewed = renewed.then(renew)
    }, LEASE / RENEWALS)
    return {
      end: async () => {
        clearInterval(timer)
        await renewed
        return last
      },
    }
  }

  /** Postpones a job after a failed try. If that can't be stored now, the lease runs out and the job is done once more. */
  async #rest(lease: Lease): Promise<void> {
    await this.#queue.move(lease, this.#clock.now() + restAfter(lease.tries)).catch(() => undefined)
  }

  async #remove(lease: Lease): Promise<void> {
    await this.#queue.remove(lease).catch(() => undefined)
  }

  async #giveUp(lease: Lease, error: unknown, worker: Worker): Promise<void> {
    await this.#remove(lease)
    worker.gaveUp(lease.job, error)
  }
}
