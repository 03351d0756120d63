import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from '#lib/errors.ts'
import { makeFile } from '#lib/files/atomic.ts'
import { identityAt } from '#lib/files/stamp.ts'
import { type Holder, isAlive, parseHolder, thisProcess } from '#lib/process-identity.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'

/** Milliseconds that another process is waited for, where nothing else is said. */
const PATIENCE_MS = 5_000
const PAUSE_MS = 2
/** Milliseconds that the last holder of the lock leaves it to others that wait. */
const TURN_MS = 10
/** Number of attempts after which a waiting process marks that it waits again. */
const MARK_EVERY = 10
/**
 * The lock files that this process holds, by what they are on the disk: one may come back with a folder that was moved away while
 * it was given back, and a folder may have two paths.
 */
const held = new Set<string>()
/** A lock without a holder in it is one that is being made, or that a crash cut short. */
const TORN_MS = 5_000

/** One writer at a time on a site, across processes: a file that only one can make. What a dead process left is taken away. */
export class FileLock {
  readonly #path: string
  readonly #patience: number
  readonly #isPrivate: boolean
  readonly #check: () => void
  readonly #holder: string
  #identity = ''
  #released = Number.NEGATIVE_INFINITY

  /**
   * `patience` is how long to wait for another process, in milliseconds; `isPrivate`: the lock's folder is the private one, and
   * made where it is not there. `check` is called with the lock held, which is given back where that throws.
   */
  constructor(path: string, { patience = PATIENCE_MS, isPrivate = true, check = () => {} } = {}) {
    this.#path = path
    this.#patience = patience
    this.#isPrivate = isPrivate
    this.#check = check
    this.#holder = JSON.stringify(thisProcess())
  }

  /**
   * Waits for the lock; resolves with what gives it back. Throws Unavailable where another process keeps it. Who has just had it
   * lets others that wait go first.
   */
  async acquire(): Promise<() => void> {
    const begun = performance.now()
    if (begun - this.#released < TURN_MS && this.#isWanted()) await pause(TURN_MS)
    for (let tries = 0; !this.#try(); tries++) {
      if (performance.now() - begun > this.#patience) throw this.#busy()
      if (tries % MARK_EVERY === 1) this.#markWanted()
      await pause(PAUSE_MS)
    }
    try {
      this.#check()
    } catch (error) {
      this.#release()
      throw error
    }
    return () => this.#release()
  }

  /**
   * Marks that a process waits, for one that takes the lock again and again. It is a hint: a mark that is left over counts for a
   * moment only.
   */
  #markWanted(): void {
    try {
      writeFileSync(`${this.#path}.wanted`, '', { mode: 0o600 })
    } catch {
      // Then it is waited for without.
    }
  }

  #isWanted(): boolean {
    const marked = statSync(`${this.#path}.wanted`, { throwIfNoEntry: false })?.mtimeMs
    return marked !== undefined && Date.now() - marked < MARK_EVERY * PAUSE_MS * 4
  }

  /** Returns whether the lock is free, held, or left by a process that no longer exists. */
  state(): 'free' | 'held' | 'left' {
    const text = textOf(this.#path)
    if (text === undefined) return 'free'
    return this.#isStale(text) ? 'left' : 'held'
  }

  #try(): boolean {
    try {
      makeFile(this.#path, this.#holder, 0o600)
      this.#identity = identityAt(this.#path) ?? ''
      held.add(this.#identity)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' && this.#isPrivate) makePrivateDir(dirname(this.#path))
      else if (code === 'EEXIST') this.#removeStale()
      else if (code === 'ENOENT') throw this.#homeless()
      else throw error
      return false
    }
  }

  #removeStale(): void {
    const text = textOf(this.#path)
    if (text === undefined || !this.#isStale(text)) return
    const aside = `${this.#path}.${randomUUID()}`
    try {
      renameSync(this.#path, aside)
      // Another process may have taken the stale lock away and made its own in between: that one goes back.
      if (textOf(aside) !== text) linkSync(aside, this.#path)
      unlinkSync(aside)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }

  #isStale(text: string): boolean {
    if (text === this.#holder) return !held.has(identityAt(this.#path) ?? '')
    const holder = parseHolder(text)
    if (holder) return !isAlive(holder)
    const made = statSync(this.#path, { throwIfNoEntry: false })?.mtimeMs
    return made !== undefined && Date.now() - made > TORN_MS
  }

  #release(): void {
    this.#released = performance.now()
    held.delete(this.#identity)
    if (textOf(this.#path) === this.#holder) unlinkSync(this.#path)
  }

  /** A folder of others, such as the repository's own, was taken away. */
  #homeless(): Unavailable {
    const hint = `Put ${dirname(this.#path)} back, or restart the server.`
    return new Unavailable('A folder that the site is kept in is not there any more, so nothing can be saved.', 10, hint)
  }

  #busy(): Unavailable {
    const holder: Holder | undefined = parseHolder(textOf(this.#path) ?? '')
    const by = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
    return new Unavailable(
      `The site is being written to by ${by}.`,
      1,
      `Try again; if no such process runs, remove ${this.#path}.`,
    )
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
