import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { JobQueue, Lease } from '#core/jobs/job-runs.ts'
import type { Job, WaitingJobs } from '#core/jobs/jobs.ts'
import { failureOf, syncFolder, writeBeside } from '#lib/files/atomic.ts'
import { stampAt } from '#lib/files/stamp.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import type { PrivateTrust } from '../disk/private-trust.ts'

/** Digits of an instant in a name, so that names are in the order of what is due. */
const DIGITS = 16

/** The second number of an id, before its UUID. */
const ADDED = /^\d{16}-(\d{16})-/

/** A job's file. */
interface JobFile {
  readonly file: string
  /** Name of the job; undefined in the names of an earlier release, of which the file tells. */
  readonly name: string | undefined
  readonly due: number
  readonly id: string
  readonly tries: number
}

/**
 * A file for each job: when it is due, its id, how often it was tried, and its name. The process that renames it has it: the
 * system lets one process do so. What is not on the disk yet of a lease is of no use after a crash, so only jobs are waited for.
 */
export class JobFolder implements JobQueue {
  readonly #folder: string
  readonly #trust: PrivateTrust | undefined
  #added = 0

  constructor(folder: string, trust: PrivateTrust | undefined) {
    this.#folder = folder
    this.#trust = trust
  }

  /** Adds a job; on the disk when it resolves. */
  async add(job: Job, due: number, now: number): Promise<void> {
    try {
      makePrivateDir(dirname(this.#folder))
      if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 })) await syncFolder(dirname(this.#folder))
      const file = join(this.#folder, fileOf({ name: job.name, due, id: this.#newId(now), tries: 0 }))
      const beside = await writeBeside(file, Buffer.from(JSON.stringify(job)), 0o600)
      this.#trust?.wrote(stampAt(beside) ?? '')
      await rename(beside, file)
      await syncFolder(this.#folder)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async take(names: readonly string[], now: number, until: number): Promise<Lease | undefined> {
    for (const { file, name, id, tries } of this.#due(now)) {
      const job = name === undefined || names.includes(name) ? this.#read(file) : undefined
      if (!job || !names.includes(job.name)) continue
      const lease = { id, job, tries: tries + 1, until }
      if (this.#rename(file, leasedFile(lease))) return lease
    }
    return undefined
  }

  async move(lease: Lease, until: number): Promise<Lease | undefined> {
    return this.#rename(leasedFile(lease), leasedFile({ ...lease, until })) ? { ...lease, until } : undefined
  }

  async remove(lease: Lease): Promise<void> {
    rmSync(join(this.#folder, leasedFile(lease)), { force: true })
  }

  /** As `Jobs.waiting`. */
  waiting(): WaitingJobs[] {
    const all = new Map<string, WaitingJobs>()
    for (const { file, name = this.#read(file)?.name, due, id } of this.#files().flatMap((file) => parse(file) ?? [])) {
      if (name === undefined) continue
      const { count, oldest } = all.get(name) ?? { count: 0, oldest: Number.POSITIVE_INFINITY }
      all.set(name, { name, count: count + 1, oldest: Math.min(oldest, addedOf(id) ?? due) })
    }
    return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #due(now: number): JobFile[] {
    return this.#files()
      .flatMap((file) => parse(file) ?? [])
      .filter(({ due }) => due <= now)
  }

  #files(): string[] {
    try {
      return readdirSync(this.#folder).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  }

  #rename(from: string, to: string): boolean {
    try {
      renameSync(join(this.#folder, from), join(this.#folder, to))
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  #counts(file: string): boolean {
    const stats = lstatSync(join(this.#folder, file), { bigint: true })
    return this.#trust?.has(`${basename(this.#folder)}/${file}`, stats) !== false
  }

  /** Returns a job; undefined if its file is gone, does not count, or was spoiled by hand. */
  #read(file: string): Job | undefined {
    try {
      if (!this.#counts(file)) return undefined
      const { name, data } = JSON.parse(readFileSync(join(this.#folder, file), 'utf8'))
      return { name, data }
    } catch {
      return undefined
    }
  }

  /** Jobs that one process adds for the same instant are in the order it adds them. */
  #newId(now: number): string {
    this.#added += 1
    return [this.#added, now].map((number) => `${String(number).padStart(DIGITS, '0')}-`).join('') + randomUUID()
  }
}

/** The time at which a job was added; undefined for one of an earlier release. */
function addedOf(id: string): number | undefined {
  const added = ADDED.exec(id)?.[1]
  return added === undefined ? undefined : Number(added)
}

function leasedFile({ id, job, tries, until }: Lease): string {
  return fileOf({ name: job.name, due: until, id, tries })
}

function fileOf({ name, due, id, tries }: Omit<JobFile, 'file'>): string {
  return `${String(due).padStart(DIGITS, '0')}.${id}.${tries}.${name}.job`
}

function parse(file: string): JobFile | undefined {
  const [, due, id, tries, name] = /^(\d+)\.([\d a-f-]+)\.(\d+)\.(?:([a-z\d-]+)\.)?job$/.exec(file) ?? []
  return id === undefined ? undefined : { file, name, due: Number(due), id, tries: Number(tries) }
}
