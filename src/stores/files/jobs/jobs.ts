import { JobRuns, PAUSE } from '#core/jobs/job-runs.ts'
import { checkedJob, type Job, type Jobs, type Stop, type WaitingJobs, type Workers } from '#core/jobs/jobs.ts'
import type { Clock } from '#lib/clock.ts'
import type { PrivateTrust } from '../disk/private-trust.ts'
import { JobFolder } from './job-folder.ts'

/** Jobs in a folder, one file each. Safe among processes; those that run elsewhere are waited for by looking again. */
export class FilesJobs implements Jobs {
  readonly #folder: JobFolder
  readonly #clock: Clock
  readonly #runs: JobRuns

  /**
   * `folder` (absolute) is made when there is something to keep. Who finds no job looks again after a `pause` in milliseconds.
   * `trust` tells which files in it count; without it all do.
   */
  constructor(folder: string, clock: Clock, { pause = PAUSE, trust }: { pause?: number; trust?: PrivateTrust } = {}) {
    this.#folder = new JobFolder(folder, trust)
    this.#clock = clock
    this.#runs = new JobRuns(this.#folder, clock, pause)
  }

  async add(job: Job, at: number = this.#clock.now()): Promise<void> {
    await this.#folder.add(checkedJob(job), Math.ceil(at), Math.floor(this.#clock.now()))
    this.#runs.wake()
  }

  async waiting(): Promise<readonly WaitingJobs[]> {
    return this.#folder.waiting()
  }

  run(workers: Workers): Stop {
    return this.#runs.run(workers)
  }

  close(): Promise<void> {
    return this.#runs.stop()
  }
}
