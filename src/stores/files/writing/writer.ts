import { setTimeout as pause } from 'node:timers/promises'
import type { Author, Document } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import type { Note } from '#core/history/revision.ts'
import type { Change } from '#core/store.ts'
import { sweep } from '#git/landing/recovery.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { failureOf } from '#lib/files/atomic.ts'
import type { Batch } from '#stores/engine/batch.ts'
import type { Worked } from '#stores/engine/changes.ts'
import type { Draft } from '#stores/engine/drafts.ts'
import { type Committed, GroupCommit, refused } from '#stores/engine/group-commit.ts'
import { Plan } from '#stores/engine/plan.ts'
import type { FileLock } from '../disk/lock.ts'
import type { Tree } from '../disk/tree.ts'
import type { BrowseIndex } from '../index/browse-index.ts'
import type { Documents } from '../registry/documents.ts'
import type { FileRegistry } from '../registry/file-registry.ts'
import { FilesContext } from './batch-context.ts'
import type { BesideBytes } from './beside.ts'
import type { InGit } from './record-files.ts'
import type { Edit, Step } from './steps.ts'
import { UnderSave } from './under-save.ts'

/** Number of times that a batch is worked out anew because an author saved one of its files meanwhile. */
const TRIES = 10

/** Milliseconds that a write waits for others to have saved its files: who saves again and again is not waited for longer. */
const SAVES_MS = 1_000

/** Milliseconds of waiting after a group for the same callers to write again: larger groups are worth the moment. */
const LINGER_MS = 10

/** A batch, worked out: what it does to the files on top of the batches before it. */
export interface Planned extends Worked {
  readonly edits: readonly Edit[]
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
  /** As in `FilesOptions`. */
  stillMs?: number | undefined
  /** As in `FilesContext`. */
  inGit?: InGit | undefined
  /** As in `FilesOptions`. */
  besideBytes?: BesideBytes | undefined
}

type Answer = () => Document[]

/** A batch in the queue. */
interface Queued extends Batch {
  /** The time, of `performance.now`, until which it waits for others to have saved its files. */
  readonly until: number
}

/** Sent back to wait, outside of the queue: somebody has begun to save a file of the batch. */
class BeingSaved extends Error {}

/** A batch, worked out, or refused; none of it where it changes nothing. */
interface Result {
  /** The documents that the batch put, as it left them, in the order of its changes. */
  readonly made: readonly Draft[]
  readonly planned?: Planned
  readonly refusal?: { readonly error: unknown }
}

/**
 * Writes batches in the order they come, each all or none. Those that wait are written as a group, so that they share the waiting
 * for the disk; where a group fails, each is tried alone.
 */
export class Writer {
  readonly #deps: Deps
  readonly #queue: GroupCommit<Queued, Document[]>
  readonly #saves: UnderSave

  constructor(deps: Deps) {
    this.#deps = deps
    this.#saves = new UnderSave(deps, deps.stillMs)
    this.#queue = new GroupCommit({
      commit: (group) => this.#commit(group),
      most: deps.keeping.most,
      linger: LINGER_MS,
      // An error that hits one batch then hits all of the group.
      isOfOne: (error) => !(error instanceof Unavailable),
    })
  }

  /**
   * Finishes the write that a process was killed at, or takes away the files that it had begun. Where that can't be done they
   * stay: reading need not wait for it.
   */
  async begin(): Promise<void> {
    const { lock, tree, keeping, inGit } = this.#deps
    if (lock.state() !== 'left') return
    try {
      const release = await lock.acquire()
      try {
        await keeping.calm()
        // In a repository another process may be at work on the content.
        if (!inGit) sweep(tree.real(tree.content))
      } finally {
        release()
      }
    } catch (error) {
      if (!(failureOf(error) instanceof Unavailable)) throw error
    }
  }

  async write(changes: readonly Change[], by: Author, note: Note): Promise<Document[]> {
    const batch = { changes, by, note, until: performance.now() + SAVES_MS }
    for (;;) {
      // Before its turn: others are not held up by it.
      for (let rest = this.#unsaved(batch); rest > 0; rest = this.#unsaved(batch)) await pause(rest)
      try {
        return await this.#queue.add(batch)
      } catch (error) {
        if (!(error instanceof BeingSaved)) throw failureOf(error)
      }
    }
  }

  /** As `GroupCommit.committed`. */
  get committed(): Committed {
    return this.#queue.committed
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  /** Milliseconds for which a batch is to wait for others to have saved its files; 0 or less where it need not. */
  #unsaved({ changes, until }: Queued): number {
    return this.#saves.rest(changes, until)
  }

  async #commit(group: readonly Queued[]): Promise<Answer[]> {
    const release = await this.#deps.lock.acquire()
    return this.#apply(group).finally(release)
  }

  async #apply(group: readonly Queued[]): Promise<Answer[]> {
    let isGit = false
    for (let tries = 0; tries < TRIES; tries++) {
      const holds = await this.#deps.keeping.calm()
      const context = new FilesContext(this.#deps)
      try {
        const plan = new Plan(context, this.#deps.editing)
        const results: Result[] = []
        for (const batch of group) {
          const isBeingSaved = this.#unsaved(batch) > 0
          results.push(isBeingSaved ? { made: [], refusal: { error: new BeingSaved() } } : await resultOf(batch, plan, context))
        }
        // Somebody may have begun to save what was read since.
        if (group.some((batch, at) => !results[at]?.refusal && this.#unsaved(batch) > 0)) continue
        const steps = context.steps(plan.total(), plan.gone())
        isGit = results.some(({ refusal }) => refusal) && !holds()
        if (isGit) continue
        const planned = results.flatMap(({ planned }) => planned ?? [])
        if (planned.length === 0 || (await this.#keep(planned, steps, holds))) {
          const answers: Answer[] = []
          for (const result of results) answers.push(await this.#answer(result))
          return answers
        }
        isGit = !holds()
      } finally {
        await context.discard()
      }
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

  async #answer({ made, refusal }: Result): Promise<Answer> {
    if (refusal) return refused(refusal.error)
    const documents: Document[] = []
    const slices = new Slices()
    for (const draft of made) {
      const document = this.#deps.documents.get(draft.key)
      // An author may have saved, moved or removed the file since; another batch may have changed it.
      const isOurs = document?.version === draft.head.version || !draft.document
      const answer = isOurs ? document : draft.document
      if (answer) documents.push(answer)
      if (slices.isOver) await slices.pause()
    }
    return () => documents
  }
}

function unsteady(isGit: boolean): Unavailable {
  if (!isGit) return new Unavailable('The files of this record are being changed again and again, so nothing was saved.', 1)
  const hint = 'Wait for it to end, then save again.'
  return new Unavailable('Other git commands lock the index of the repository again and again, so nothing was saved.', 3, hint)
}

async function resultOf({ changes, by, note }: Batch, plan: Plan, context: FilesContext): Promise<Result> {
  try {
    const outcomes = await plan.add(changes)
    const made = changes.flatMap((change) => ('put' in change ? (plan.current(change.key) ?? []) : []))
    const edits = context.edits(outcomes)
    const from = outcomes.find((outcome) => outcome.from)?.from
    return { made, ...(edits.length > 0 && { planned: { outcomes, edits, by, note, from } }) }
  } catch (error) {
    return { made: [], refusal: { error } }
  }
}
