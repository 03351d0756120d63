import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { type AnyBytes, piecesOf } from '#lib/files/bytes.ts'
import { failureOf, GitFailure, git, startGit } from '../process.ts'
import { type Repository, readRef } from '../repository.ts'
import { type CommitOrder, commitLines, PENDING } from './import-commands.ts'
import { packNames, removeEmptyMarks } from './kept-packs.ts'

/** After so many batches a process is ended and another begun: until then each of its packs is kept from being put together with others. */
const MOST = 32

/** Number of times a batch is made anew because packs went away meanwhile. */
const MOST_TRIES = 5

/** Time in milliseconds to wait for another's lock on the ref where commits wait, and the pause between two tries. */
const PATIENCE_MS = 3_000
const PAUSE_MS = 20

/**
 * Makes commits with `git fast-import`. One process makes many batches, as long as each is on top of the one before it, and every
 * pack is still there that was there before: a process takes for stored what it has once seen in a pack, also when `git gc` or
 * `git repack` has taken the pack away. Anything else (a commit by another's hand, a batch that was dropped) has a process of its
 * own.
 */
export class FastImport {
  readonly #repository: Repository
  readonly #ahead: boolean
  #session: Session | undefined
  #tip: string | undefined

  /** `ahead`: whether to have a process ready for the first commits. */
  constructor(repository: Repository, ahead: boolean) {
    this.#repository = repository
    this.#ahead = ahead
    this.#prepare()
  }

  /** Makes the commits on top of `base` (or with none below) and resolves with their hashes; they are on the disk then, and on no branch. One call at a time. */
  async make(base: string | undefined, orders: readonly CommitOrder[]): Promise<string[]> {
    try {
      for (let tries = 1; ; tries++) {
        const packs = packNames(this.#repository)
        const hashes = await this.#attempt(base, orders, packs)
        await holdPending(this.#repository, hashes.at(-1))
        const now = packNames(this.#repository)
        const session = this.#session
        if (session) session.packs = now
        this.#tip = hashes.at(-1) ?? this.#tip
        if (areAllIn(packs, now)) return hashes
        if (session) await this.#end(session)
        if (tries === MOST_TRIES) throw new GitFailure('fast-import', null, 'packs are taken away all the time')
      }
    } finally {
      if (this.#session && this.#session.batches >= MOST) void this.#end(this.#session)
      this.#prepare()
    }
  }

  async #attempt(base: string | undefined, orders: readonly CommitOrder[], packs: ReadonlySet<string>): Promise<string[]> {
    const known = this.#session
    // Not before it has let go of its packs: the same commits again make the same pack.
    if (known && !(known.continues(base) && areAllIn(known.packs, packs))) await this.#end(known)
    const session = this.#session ?? this.#begin()
    try {
      return await session.make(base, orders)
    } catch (error) {
      await this.#end(session)
      // One that has waited may have lost its pack to a pruning since.
      if (session !== known) throw error
      removeEmptyMarks(this.#repository)
      return await this.#begin().make(base, orders)
    }
  }

  async close(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    await session?.close()
  }

  /**
   * Closes it once no commit waits any more, and takes the ref away if it is at the last one made here: what is taken back of a
   * branch is to be held by nothing.
   */
  async clear(): Promise<void> {
    await this.close()
    const tip = this.#tip
    this.#tip = undefined
    if (tip === undefined) return
    // Another process may have commits wait there by now; the next batch replaces what is left.
    await git(this.#repository.top, ['update-ref', '-d', PENDING, tip]).catch(() => undefined)
  }

  /** Has a process ready for the next batch; where none can be started now, that batch will tell. */
  #prepare(): void {
    if (!this.#ahead || this.#session) return
    try {
      this.#begin()
    } catch {
      this.#session = undefined
    }
  }

  #begin(): Session {
    const session = new Session(this.#repository.top)
    this.#session = session
    return session
  }

  #end(session: Session): Promise<void> {
    if (this.#session === session) this.#session = undefined
    return session.close()
  }
}

/** Takes the ref away where commits wait, if these are all below a commit, as those of a process that was killed may be. */
export async function clearPending({ top }: Repository, tip: string): Promise<void> {
  try {
    await git(top, ['merge-base', '--is-ancestor', PENDING, tip])
    await git(top, ['update-ref', '-d', PENDING])
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
  }
}

/**
 * Has the ref where commits wait name the last of them: a pruning takes away what no ref names, and the next batch would build on it.
 * A fast-import goes on where another git has the ref locked, as in the middle of `git pack-refs`, and says so at its end alone.
 */
async function holdPending(repository: Repository, tip: string | undefined): Promise<void> {
  if (tip === undefined || readRef(repository, PENDING) === tip) return
  for (const end = performance.now() + PATIENCE_MS; ; ) {
    try {
      await git(repository.top, ['update-ref', PENDING, tip])
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await pause(PAUSE_MS)
    }
  }
}

function areAllIn(names: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...names].every((name) => others.has(name))
}

/** One process, and what it has made. */
class Session {
  batches = 0
  /** The packs that there were when it last made something. */
  packs: ReadonlySet<string> = new Set()
  #made = 0
  readonly #child: ChildProcessWithoutNullStreams
  readonly #ended: Promise<void>
  #tip: string | undefined
  #isGone = false
  #stdout = ''
  #stderr = ''
  #waiting: { until: string; done(output: string): void; failed(error: Error): void } | undefined

  constructor(top: string) {
    const child = startGit(top, ['fast-import', '--quiet', '--force', '--date-format=raw'])
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => this.#heard(chunk.toString('latin1')))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = `${this.#stderr}${chunk}`.slice(-2000)
    })
    child.stdin.on('error', () => undefined)
    this.#ended = new Promise((resolve) => {
      const over = (error: Error) => {
        this.#isGone = true
        this.#waiting?.failed(error)
        resolve()
      }
      child.on('error', over)
      child.on('close', (code) => over(failureOf('fast-import', code, this.#stderr)))
    })
  }

  /** Returns whether commits on top of `base` can be made here. */
  continues(base: string | undefined): boolean {
    return !this.#isGone && (this.batches === 0 || (base !== undefined && base === this.#tip))
  }

  async make(base: string | undefined, orders: readonly CommitOrder[]): Promise<string[]> {
    const from = this.batches++ === 0 ? base : undefined
    const first = this.#made + 1
    this.#made += orders.length
    const until = `progress ${this.#made}\n`
    const lines = orders.flatMap((order, at) => commitLines(order, first + at, at === 0 ? from : undefined))
    // What comes after a checkpoint is read when all before it is on the disk.
    const all = [...lines, Buffer.from(`checkpoint\n${until}`)]
    const output = await new Promise<string>((done, failed) => {
      if (this.#isGone) return failed(new GitFailure('fast-import', null, this.#stderr))
      this.#waiting = { until, done, failed }
      this.#send(all).catch((error: Error) => {
        // It waits for bytes that do not come.
        this.#child.kill()
        failed(error)
      })
    })
    const hashes = output.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
    if (hashes.length !== orders.length)
      throw new GitFailure('fast-import', null, `${orders.length} commits asked for, ${hashes.length} made`)
    this.#tip = hashes.at(-1)
    return hashes
  }

  /** Writes what is in memory in one go, and files piece by piece. */
  async #send(all: readonly AnyBytes[]): Promise<void> {
    let held: Buffer[] = []
    for (const bytes of all) {
      if (Buffer.isBuffer(bytes)) {
        held.push(bytes)
        continue
      }
      this.#child.stdin.write(Buffer.concat(held))
      held = []
      for await (const piece of piecesOf(bytes)) if (!this.#child.stdin.write(piece)) await this.#drained()
    }
    this.#child.stdin.write(Buffer.concat(held))
  }

  async #drained(): Promise<void> {
    const drained = new Promise<void>((resolve) => this.#child.stdin.once('drain', resolve))
    await Promise.race([drained, this.#ended])
    if (this.#isGone) throw new GitFailure('fast-import', null, this.#stderr)
  }

  async close(): Promise<void> {
    this.#child.stdin.end()
    await this.#ended
  }

  #heard(text: string): void {
    this.#stdout += text
    const waiting = this.#waiting
    if (!waiting || !this.#stdout.endsWith(waiting.until)) return
    this.#waiting = undefined
    const output = this.#stdout
    this.#stdout = ''
    waiting.done(output)
  }
}
