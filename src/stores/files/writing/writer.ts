import { lstatSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Document } from '../../../core/document.ts'
import { Unavailable } from '../../../core/errors.ts'
import { isPrivate } from '../../../core/key.ts'
import type { Change } from '../../../core/store.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Documents } from '../catalog/documents.ts'
import { failureOf, makeFolders, removeFolders, syncFolder, writeBeside } from '../disk/atomic.ts'
import type { FileLock } from '../disk/lock.ts'
import { PRIVATE, type Tree } from '../disk/tree.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import { Plan, type Step } from './plan.ts'

/** How often a batch is worked out anew because an author saved one of its files meanwhile. */
const TRIES = 10
/** How many batches are written together at most. */
const GROUP = 64

interface Parts {
  tree: Tree
  catalog: Catalog
  index: BrowseIndex
  documents: Documents
  lock: FileLock
}

/** A step whose new bytes are on the disk, under another name. */
interface Prepared {
  step: Step
  beside: string | undefined
}

/** A batch that waits to be written. */
interface Batch {
  changes: readonly Change[]
  done(documents: Document[]): void
  failed(error: unknown): void
}

/**
 * Writes batches in the order they come, each all or none: new files are made beside, and put in place only when every one of them is on
 * the disk. Those that wait are written as a group, so that they share the waiting for the disk; where a group fails, each is tried alone.
 */
export class Writer {
  readonly #parts: Parts
  #waiting: Batch[] = []
  #working: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  write(changes: readonly Change[]): Promise<Document[]> {
    if (new Set(changes.map(({ key }) => isPrivate(key.kind))).size > 1) throw new Error('A batch is all content or all private.')
    return new Promise((done, failed) => {
      this.#waiting.push({ changes, done, failed })
      this.#working ??= this.#work()
    })
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    // What comes in the same turn of the event loop goes into one group.
    await nextTurn()
    while (this.#waiting.length > 0) {
      await this.#writeGroup(this.#waiting.splice(0, GROUP))
    }
    // In the same step as the last look at what waits, or a batch that comes in between would wait for ever.
    this.#working = undefined
  }

  async #writeGroup(group: readonly Batch[]): Promise<void> {
    let answers: (() => void)[]
    try {
      const release = await this.#parts.lock.acquire()
      answers = await this.#apply(group).finally(release)
    } catch (error) {
      answers = group.map(
        ({ failed }) =>
          () =>
            failed(failureOf(error)),
      )
    }
    for (const answer of answers) answer()
  }

  /** Writes a group, or else each of it alone; resolves with what to answer once the lock is given back. */
  async #apply(group: readonly Batch[]): Promise<(() => void)[]> {
    try {
      return await this.#applyTogether(group)
    } catch (error) {
      const [only, ...others] = group
      if (only && others.length === 0) return [() => only.failed(failureOf(error))]
    }
    const answers: (() => void)[] = []
    for (const batch of group) answers.push(...(await this.#apply([batch])))
    return answers
  }

  async #applyTogether(group: readonly Batch[]): Promise<(() => void)[]> {
    for (let tries = 0; tries < TRIES; tries++) {
      const plan = new Plan(this.#parts)
      const outcomes = group.map((batch) => ({ batch, refusal: refusalOf(() => plan.add(batch.changes)) }))
      const steps = plan.steps()
      if (steps.length === 0 || (await this.#carryOut(steps))) return outcomes.map((outcome) => this.#answer(outcome))
    }
    throw new Unavailable('The files of this record are being changed all the time.')
  }

  #answer({ batch, refusal }: { batch: Batch; refusal: { error: unknown } | undefined }): () => void {
    if (refusal) return () => batch.failed(failureOf(refusal.error))
    const documents = this.#results(batch.changes)
    return () => batch.done(documents)
  }

  #results(changes: readonly Change[]): Document[] {
    return changes.flatMap((change) => ('put' in change ? (this.#parts.documents.get(change.key) ?? []) : []))
  }

  /** False, with nothing changed, where a file is no longer what the steps were worked out from. */
  async #carryOut(steps: readonly Step[]): Promise<boolean> {
    const { tree } = this.#parts
    const made: string[] = []
    const prepared: Prepared[] = []
    let done = false
    try {
      for (const { path, after } of steps) if (after) made.push(...this.#makeFolders(path))
      await this.#prepareAll(steps, prepared)
      if (steps.some(({ path, stamp }) => tree.inTheWay(path) !== stamp)) return false
      this.#swap(prepared)
      done = true
    } finally {
      for (const { beside } of prepared) if (beside) rmSync(beside, { force: true })
      if (!done) removeFolders(made)
    }
    const folders = [...steps.map(({ path }) => dirname(tree.real(path))), ...made.map((folder) => dirname(folder))]
    await Promise.all([...new Set(folders)].map(syncFolder))
    return true
  }

  #makeFolders(path: string): string[] {
    const { tree } = this.#parts
    const isOurs = path.startsWith(`${PRIVATE}/`)
    return makeFolders(tree.real(isOurs ? PRIVATE : tree.content), dirname(tree.real(path)), isOurs ? 0o700 : 0o777)
  }

  /** Adds to `prepared` in the order of the steps. Waits for all even when one fails, so that what was made can be cleaned up. */
  async #prepareAll(steps: readonly Step[], prepared: Prepared[]): Promise<void> {
    const results = await Promise.allSettled(steps.map((step) => this.#prepare(step)))
    for (const result of results) if (result.status === 'fulfilled') prepared.push(result.value)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #prepare(step: Step): Promise<Prepared> {
    if (!step.after) return { step, beside: undefined }
    const real = this.#parts.tree.real(step.path)
    return { step, beside: await writeBeside(real, step.after, modeOf(step.path, real)) }
  }

  /** In one go, so that nothing else of this process comes between; what was done is undone when a later step fails. */
  #swap(prepared: readonly Prepared[]): void {
    const { tree, catalog } = this.#parts
    const done: Step[] = []
    try {
      for (const { step, beside } of prepared) {
        const real = tree.real(step.path)
        if (beside) renameSync(beside, real)
        else if (!isSameFile(real, done, tree)) unlinkSync(real)
        done.push(step)
      }
    } catch (error) {
      for (const step of done.toReversed()) undo(tree.real(step.path), step)
      throw error
    } finally {
      for (const { step } of prepared) catalog.lookAt(step.path)
    }
  }
}

function refusalOf(add: () => void): { error: unknown } | undefined {
  try {
    add()
    return undefined
  } catch (error) {
    return { error }
  }
}

function undo(real: string, { before }: Step): void {
  if (before) writeFileSync(real, before)
  else rmSync(real, { force: true })
}

/** Where the disk takes `A.md` and `a.md` for one file, the old name of a move must not be removed. */
function isSameFile(real: string, done: readonly Step[], tree: Tree): boolean {
  const twin = done.map(({ path }) => tree.real(path)).find((other) => other.toLowerCase() === real.toLowerCase())
  return twin !== undefined && lstatSync(twin).ino === lstatSync(real).ino
}

/** A file keeps its mode; a new one gets the usual, a private one is its owner's alone. */
function modeOf(path: string, real: string): number {
  if (path.startsWith(`${PRIVATE}/`)) return 0o600
  const mode = statSync(real, { throwIfNoEntry: false })?.mode
  return mode === undefined ? 0o666 & ~process.umask() : mode & 0o777
}
