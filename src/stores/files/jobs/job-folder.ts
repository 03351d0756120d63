import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { JobQueue, Lease } from '../../../core/job-runs.ts'
import type { Job } from '../../../core/jobs.ts'
import { failureOf, syncFolder, writeBeside } from '../disk/atomic.ts'
import { makePrivateDir } from '../disk/state.ts'

/** Digits of an instant in a name, so that names are in the order of what is due. */
const DIGITS = 16

interface Named {
  readonly name: string
  readonly due: number
  readonly id: string
  readonly tries: number
}

/**
 * A file for each job, named by when it is due, what it is called, and how often it was tried. Whoever gives it another name has it: the
 * system lets one process do so. What is not on the disk yet of a lease is of no use after a crash, so only jobs are waited for.
 */
export class JobFolder implements JobQueue {
  readonly #folder: string
  #added = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Adds a job; on the disk when it resolves. */
  async add(job: Job, due: number): Promise<void> {
    try {
      makePrivateDir(dirname(this.#folder))
      if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 })) await syncFolder(dirname(this.#folder))
      const name = join(this.#folder, nameOf({ due, id: this.#newId(), tries: 0 }))
      await rename(await writeBeside(name, Buffer.from(JSON.stringify(job)), 0o600), name)
      await syncFolder(this.#folder)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async take(now: number, until: number): Promise<Lease | undefined> {
    for (const named of this.#due(now)) {
      const { id, tries } = named
      const taken = nameOf({ due: until, id, tries: tries + 1 })
      const job = this.#rename(named.name, taken) && this.#read(taken)
      if (job) return { id, job, tries: tries + 1, until }
    }
    return undefined
  }

  async move(lease: Lease, until: number): Promise<Lease | undefined> {
    return this.#rename(leasedName(lease), leasedName({ ...lease, until })) ? { ...lease, until } : undefined
  }

  async remove(lease: Lease): Promise<void> {
    rmSync(join(this.#folder, leasedName(lease)), { force: true })
  }

  #due(now: number): Named[] {
    return this.#names()
      .flatMap((name) => parse(name) ?? [])
      .filter(({ due }) => due <= now)
  }

  #names(): string[] {
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

  /** What was made a mess of by hand is no job. */
  #read(name: string): Job | undefined {
    try {
      const { name: of, data } = JSON.parse(readFileSync(join(this.#folder, name), 'utf8'))
      return { name: of, data }
    } catch {
      return undefined
    }
  }

  /** Jobs that one process adds for the same instant are in the order it adds them. */
  #newId(): string {
    this.#added += 1
    return `${String(this.#added).padStart(DIGITS, '0')}-${randomUUID()}`
  }
}

function leasedName({ id, tries, until }: Lease): string {
  return nameOf({ due: until, id, tries })
}

function nameOf({ due, id, tries }: Omit<Named, 'name'>): string {
  return `${String(due).padStart(DIGITS, '0')}.${id}.${tries}.job`
}

function parse(name: string): Named | undefined {
  const [, due, id, tries] = /^(\d+)\.([\d a-f-]+)\.(\d+)\.job$/.exec(name) ?? []
  return id === undefined ? undefined : { name, due: Number(due), id, tries: Number(tries) }
}
