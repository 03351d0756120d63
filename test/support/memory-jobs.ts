import { type JobQueue, JobRuns, type Lease, PAUSE } from '#core/jobs/job-runs.ts'
import { checkedJob, type Job, type Jobs, type Stop, type WaitingJobs, type Workers } from '#core/jobs/jobs.ts'
import type { Clock } from '#lib/clock.ts'

/** An implementation of `Jobs` in a list. Several nodes share the queue. */
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
    this.#queue.add(checkedJob(job), at, this.#clock.now())
    this.#runs.wake()
  }

  async waiting(): Promise<readonly WaitingJobs[]> {
    return this.#queue.waiting()
  }

  run(workers: Workers): Stop {
    return this.#runs.run(workers)
  }

  close(): Promise<void> {
    return this.#runs.stop()
  }
}

/** The jobs of a `MemoryJobs`, in the order they were added. */
export class MemoryQueue implements JobQueue {
  #jobs: Lease[] = []
  #added = 0

  readonly #times = new Map<string, number>()

  add(job: Job, due: number, now: number): void {
    this.#added += 1
    this.#times.set(String(this.#added), now)
    this.#jobs.push({ id: String(this.#added), job, tries: 0, until: due })
  }

  waiting(): readonly WaitingJobs[] {
    const names = [...new Set(this.#jobs.map(({ job }) => job.name))].sort()
    return names.map((name) => {
      const times = this.#jobs.filter(({ job }) => job.name === name).map(({ id }) => this.#times.get(id) ?? 0)
      return { name, count: times.length, oldest: Math.min(...times) }
    })
  }

  async take(names: readonly string[], now: number, until: number): Promise<Lease | undefined> {
    const [first] = this.#jobs
      .filter((lease) => lease.until <= now && names.includes(lease.job.name))
      .sort((a, b) => a.until - b.until || Number(a.id) - Number(b.id))
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
