import type { Clock } from '../../src/core/clock.ts'
import { type JobQueue, JobRuns, type Lease, PAUSE } from '../../src/core/job-runs.ts'
import type { GaveUp, Job, Jobs, Stop, Worker } from '../../src/core/jobs.ts'

/** What `Jobs` promises, in a list. What several nodes share is the queue. */
export class MemoryJobs implements Jobs {
  readonly #queue: MemoryQueue
  readonly #clock: Clock
  readonly #runs: JobRuns

  constructor(queue: MemoryQueue, clock: Clock, pause: number = PAUSE) {
    this.#queue = queue
    this.#clock = clock
    this.#runs = new JobRuns(queue, clock, pause)
  }

  async add(job: Job, at: number = this.#clock.now()): Promise<void> {
    this.#queue.add(job, at)
    this.#runs.wake()
  }

  run(worker: Worker, gaveUp: GaveUp): Stop {
    return this.#runs.run(worker, gaveUp)
  }

  close(): Promise<void> {
    return this.#runs.stop()
  }
}

/** The jobs of a `MemoryJobs`, in the order they were added. */
export class MemoryQueue implements JobQueue {
  #jobs: Lease[] = []
  #added = 0

  add(job: Job, due: number): void {
    this.#added += 1
    this.#jobs.push({ id: String(this.#added), job, tries: 0, until: due })
  }

  async take(now: number, until: number): Promise<Lease | undefined> {
    const [first] = this.#jobs.filter((job) => job.until <= now).sort((a, b) => a.until - b.until || Number(a.id) - Number(b.id))
    return first && this.#replace(first, { ...first, until, tries: first.tries + 1 })
  }

  async move(lease: Lease, until: number): Promise<Lease | undefined> {
    const now = this.#jobs.find(({ id }) => id === lease.id)
    return now?.until === lease.until ? this.#replace(now, { ...now, until }) : undefined
  }

  async remove(lease: Lease): Promise<void> {
    this.#jobs = this.#jobs.filter(({ id }) => id !== lease.id)
  }

  #replace(before: Lease, after: Lease): Lease {
    this.#jobs = this.#jobs.map((job) => (job === before ? after : job))
    return after
  }
}
