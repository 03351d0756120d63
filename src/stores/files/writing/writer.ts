import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Author, Document } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { isPrivate, type Key } from '#core/key.ts'
import type { Note } from '#core/revision.ts'
import type { Change } from '#core/store.ts'
import { sweep } from '#git/recovery.ts'
import { failureOf } from '#lib/atomic-files.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { Slices } from '#lib/slices.ts'
import type { FileLock } from '../disk/lock.ts'
import type { Tree } from '../disk/tree.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import type { Documents } from '../registry/documents.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { type Edit, Plan, type Step } from './plan.ts'

/** Number of times that a batch is worked out anew because an author saved one of its files meanwhile. */
const TRIES = 10

/** Milliseconds of waiting after a group for the same callers to write again. */
const LINGER_MS = 10

/** A batch, worked out: what it does to the files on top of the batches before it. */
export interface Planned {
  edits: readonly Edit[]
  by: Author
  note: Note
  /** The key that the batch moves a document from. */
  from: Key | undefined
}

/** The durable storage for groups of batches. */
export interface Keeping {
  /** Largest number of batches that are kept together. */
  readonly most: number
  /**
   * Resolves when the files can be looked at, with what tells whether what was seen in them since holds: nobody was in the middle
   * of changing them. Throws Unavailable where somebody is for too long.
   */
  calm(): Promise<() => boolean>
  /**
   * Does the steps, which are what the batches come to; when it resolves with true they are on the disk for good. False, with
   * nothing changed, where a file is no longer what the steps were worked out from. Throws, with nothing changed, where they
   * can't be done.
   */
  keep(batches: readonly Planned[], steps: readonly Step[]): Promise<boolean>
}

interface Deps {
  tree: Tree
  registry: FileRegistry
  index: BrowseIndex
  documents: Documents
  lock: FileLock
  keeping: Keeping
  editing: EditThread
}

/** A batch that waits to be written. */
interface Batch {
  changes: readonly Change[]
  by: Author
  note: Note
  done(documents: Document[]): void
  failed(error: unknown): void
}

/** The edits that a batch makes to the files, or the reason why it is rejected. */
interface Outcome {
  batch: Batch
  edits?: Edit[]
  refusal?: { error: unknown }
}

/**
 * Writes batches in the order they come, each all or none. Those that wait are written as a group, so that they share the waiting
 * for the disk; where a group fails, each is tried alone.
 */
export class Writer {
  readonly #deps: Deps
  #waiting: Batch[] = []
  #working: Promise<void> | undefined
  #came: (() => void) | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Takes away the files that a process which was killed at a write had begun. Where that can't be done they stay: reading need
   * not wait for it.
   */
  async begin(): Promise<void> {
    const { lock, tree } = this.#deps
    if (lock.state() !== 'left') return
    try {
      const release = await lock.acquire()
      try {
        sweep(tree.real(tree.content))
      } finally {
        release()
      }
    } catch (error) {
      if (!(failureOf(error) instanceof Unavailable)) throw error
    }
  }

  write(changes: readonly Change[], by: Author, note: Note): Promise<Document[]> {
    return new Promise((done, failed) => {
      this.#waiting.push({ changes, by, note, done, failed })
      this.#came?.()
      this.#working ??= this.#work()
    })
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    await this.#working
  }

  async #work(): Promise<void> {
    // Writes of one iteration of the event loop go into one group.
    await setImmediate()
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#deps.keeping.most)
      await this.#writeGroup(group)
      // Who was answered may come again at once: larger groups are worth the moment.
      if (group.length > 1) await this.#linger(this.#waiting.length + group.length)
    }
    // In the same step as the last look at what waits, or a batch that comes in between would wait for ever.
    this.#working = undefined
  }

  /** Waits for a moment, or until so many wait. */
  async #linger(enough: number): Promise<void> {
    const all = new AbortController()
    this.#came = () => {
      if (this.#waiting.length >= enough) all.abort()
    }
    await pause(LINGER_MS, undefined, { signal: all.signal }).catch(() => undefined)
    this.#came = undefined
  }

  async #writeGroup(group: readonly Batch[]): Promise<void> {
    let answers: (() => void)[]
    try {
      const release = await this.#deps.lock.acquire()
      answers = await this.#apply(group).finally(release)
    } catch (error) {
      answers = refusals(group, error)
    }
    for (const answer of answers) answer()
  }

  /** Writes a group, or else each of it alone; resolves with what to answer once the lock is given back. */
  async #apply(group: readonly Batch[]): Promise<(() => void)[]> {
    try {
      return await this.#applyTogether(group)
    } catch (error) {
      // An error that hits one batch then hits all of the group.
      if (group.length === 1 || error instanceof Unavailable) return refusals(group, error)
    }
    const answers: (() => void)[] = []
    for (const batch of group) answers.push(...(await this.#apply([batch])))
    return answers
  }

  async #applyTogether(group: readonly Batch[]): Promise<(() => void)[]> {
    let isGit = false
    for (let tries = 0; tries < TRIES; tries++) {
      const holds = await this.#deps.keeping.calm()
      const plan = new Plan(this.#deps)
      const outcomes: Outcome[] = []
      for (const batch of group) outcomes.push({ batch, ...(await outcomeOf(plan.add(batch.changes))) })
      const steps = plan.steps()
      isGit = outcomes.some(({ refusal }) => refusal) && !holds()
      if (isGit) continue
      const planned = outcomes.flatMap(({ batch, edits }) => plannedOf(batch, edits ?? []))
      if (planned.length === 0 || (await this.#keep(planned, steps, holds))) {
        const answers: (() => void)[] = []
        for (const outcome of outcomes) answers.push(await this.#answer(outcome))
        return answers
      }
      isGit = !holds()
    }
    throw unsteady(isGit)
  }

  /** A conflict with what somebody was in the middle of changing is none. */
  async #keep(planned: readonly Planned[], steps: readonly Step[], holds: () => boolean): Promise<boolean> {
    try {
      return await this.#deps.keeping.keep(planned, steps)
    } catch (error) {
      if (error instanceof Conflict && !holds()) return false
      throw error
    }
  }

  async #answer({ batch, refusal }: Outcome): Promise<() => void> {
    if (refusal) return () => batch.failed(failureOf(refusal.error))
    const documents = await this.#results(batch.changes)
    return () => batch.done(documents)
  }

  async #results(changes: readonly Change[]): Promise<Document[]> {
    const documents: Document[] = []
    const slices = new Slices()
    for (const change of changes) {
      const document = 'put' in change ? this.#deps.documents.get(change.key) : undefined
      if (document) documents.push(document)
      if (slices.isOver) await slices.pause()
    }
    return documents
  }
}

function unsteady(isGit: boolean): Unavailable {
  if (!isGit) return new Unavailable('The files of this record are being changed again and again, so nothing was saved.', 1)
  const hint = 'Wait for it to end, then save again.'
  return new Unavailable('Other git commands lock the index of the repository again and again, so nothing was saved.', 3, hint)
}

/** Throws where changes are not all content or all private. Whether they are private. */
export function arePrivate(changes: readonly Change[]): boolean {
  const [first, ...others] = new Set(changes.map(({ key }) => isPrivate(key.kind)))
  if (others.length > 0) throw new Error('A batch is all content or all private.')
  return first === true
}

function plannedOf({ changes, by, note }: Batch, edits: readonly Edit[]): Planned[] {
  const from = changes.map((change) => ('put' in change ? change.from : undefined)).find((key) => key !== undefined)
  return edits.length === 0 ? [] : [{ edits, by, note, from }]
}

function outcomeOf(adding: Promise<Edit[]>): Promise<Omit<Outcome, 'batch'>> {
  return adding.then(
    (edits) => ({ edits }),
    (error: unknown) => ({ refusal: { error } }),
  )
}

function refusals(group: readonly Batch[], error: unknown): (() => void)[] {
  return group.map(
    ({ failed }) =>
      () =>
        failed(failureOf(error)),
  )
}
