import { sql } from 'kysely'
import { type JobQueue, JobRuns, type Lease, PAUSE } from '#core/jobs/job-runs.ts'
import { checkedJob, type Job, type Jobs, type Stop, type WaitingJobs, type Workers } from '#core/jobs/jobs.ts'
import type { Clock } from '#lib/clock.ts'
import type { Database } from './database.ts'

/** Jobs in a table: a lease is a row that is due when the lease ends. */
export class PostgresJobs implements Jobs {
  readonly #database: Database
  readonly #clock: Clock
  readonly #runs: JobRuns

  /** The database is opened and closed by who gives it. Who finds no job looks again after a `pause` in milliseconds. */
  constructor(database: Database, clock: Clock, pause: number = PAUSE) {
    this.#database = database
    this.#clock = clock
    this.#runs = new JobRuns(new Queue(database), clock, pause)
  }

  async add(job: Job, at: number = this.#clock.now()): Promise<void> {
    const { name, data } = checkedJob(job)
    const row = { name, data: JSON.stringify(data), due: Math.ceil(at), added: Math.floor(this.#clock.now()) }
    await this.#database.run((db) => db.insertInto('jobs').values(row).execute())
    this.#runs.wake()
  }

  async waiting(): Promise<readonly WaitingJobs[]> {
    const { rows } = await this.#database.read((db) =>
      sql<WaitingJobs>`select name, count(*) as count, min(coalesce(added, due)) as oldest from jobs group by name`.execute(db),
    )
    return [...rows].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  run(workers: Workers): Stop {
    return this.#runs.run(workers)
  }

  close(): Promise<void> {
    return this.#runs.stop()
  }
}

class Queue implements JobQueue {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async take(names: readonly string[], now: number, until: number): Promise<Lease | undefined> {
    const taken = await this.#database.run((db) =>
      sql<{ job: number; name: string; data: string; tries: number }>`
        update jobs set due = ${until}, tries = tries + 1
        where job = (select job from jobs where due <= ${now} and name = any(${names}) order by due, job limit 1 for update skip locked)
        returning job, name, data, tries`.execute(db),
    )
    const [row] = taken.rows
    return row && { id: String(row.job), job: { name: row.name, data: JSON.parse(row.data) }, tries: row.tries, until }
  }

  async move(lease: Lease, until: number): Promise<Lease | undefined> {
    const moved = await this.#database.run((db) =>
      db
        .updateTable('jobs')
        .set({ due: until })
        .where('job', '=', Number(lease.id))
        .where('due', '=', lease.until)
        .executeTakeFirst(),
    )
    return moved.numUpdatedRows > 0n ? { ...lease, until } : undefined
  }

  async remove(lease: Lease): Promise<void> {
    await this.#database.run((db) => db.deleteFrom('jobs').where('job', '=', Number(lease.id)).execute())
  }
}
