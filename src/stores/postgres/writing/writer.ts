import { sql, type Transaction } from 'kysely'
import type { Author, Document } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import type { Note } from '#core/history/revision.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Failure, NotWritable } from '#lib/errors.ts'
import type { Batch } from '#stores/engine/batch.ts'
import type { Draft, Outcome } from '#stores/engine/drafts.ts'
import { type Committed, GroupCommit, refused } from '#stores/engine/group-commit.ts'
import { Plan } from '#stores/engine/plan.ts'
import type { Database, SiteState } from '../database.ts'
import { mustFit, type Rows } from '../documents/rows.ts'
import type { AsOf, Freshness, Landed } from '../following/freshness.ts'
import type { Tables } from '../tables.ts'
import { survey } from './batch-context.ts'
import { land, type Written } from './landing.ts'
import { doneOnce } from './once.ts'
import { takeAlong, takeAway } from './own-files.ts'
import { RevisionWriter } from './revision-writer.ts'
import { forgetOld } from './sweep.ts'

/** Largest number of batches that are written in one transaction. */
const MOST = 64

/**
 * From so many changes on, working them out takes longer than a transaction may be silent; how long each may take, in
 * milliseconds.
 */
const MANY = 1000
const EACH_MS = 5

type Answer = () => Document[]

/** The result of a group: an answer for each batch, and the changes that this node has to take note of. */
interface Applied {
  readonly answers: readonly Answer[]
  /** Absent where nothing was to be written. */
  readonly landed: Landed | undefined
  readonly keys: readonly Key[]
  readonly documents: readonly Document[]
}

interface Deps {
  readonly database: Database
  readonly rows: Rows
  readonly clock: Clock
  readonly freshness: Freshness
  readonly editing: EditThread
  /**
   * Given the documents as they now are, before the writes that made them are answered; `asOf` is what they are true of.
   */
  readonly onWritten: (documents: readonly Document[], asOf: AsOf) => void
}

/**
 * Writes batches in the order they come, each all or none. Those that wait are written in one transaction, so that they share the
 * lock on the site and the wait for the disk.
 */
export class Writer {
  readonly #deps: Deps
  readonly #queue: GroupCommit<Batch, Document[]>

  constructor(deps: Deps) {
    this.#deps = deps
    this.#queue = new GroupCommit({
      commit: (group) => this.#commit(group),
      most: MOST,
      // What the database does not take of one batch is no failure of the others.
      isOfOne: (error) => !(error instanceof Failure),
    })
  }

  async write(changes: readonly Change[], by: Author, note: Note): Promise<Document[]> {
    for (const change of changes) if ('put' in change) mustFit(change.key)
    return this.#queue.add({ changes, by, note })
  }

  /** As `GroupCommit.committed`. */
  get committed(): Committed {
    return this.#queue.committed
  }

  /** Resolves when nothing is being written. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async #commit(group: readonly Batch[]): Promise<readonly Answer[]> {
    const { database, freshness, onWritten } = this.#deps
    // As of the beginning: while the write goes on, the database may be set back, and what the write made be gone.
    const known = freshness.database
    const { answers, landed, keys, documents } = await database.writing((trx, site) => this.#apply(trx, site, group))
    try {
      if (landed) {
        freshness.wrote(landed, keys)
        onWritten(documents, { database: known, sequence: landed.after.sequence })
      }
      return answers
    } catch (error) {
      // It is kept: nothing of it may be tried again.
      return group.map(() => refused(error))
    }
  }

  async #apply(trx: Transaction<Tables>, site: SiteState, group: readonly Batch[]): Promise<Applied> {
    checkPlace(site)
    const { rows, clock, editing } = this.#deps
    const now = clock.now()
    const all = group.flatMap(({ changes }) => changes)
    if (all.length > MANY) await beSilent(trx, all.length * EACH_MS)
    const { context, histories, docs, beside } = await survey(trx, rows, all)
    const done = await doneOnce(
      trx,
      rows,
      group.flatMap(({ note }) => note.once ?? []),
      now,
    )
    const [plan, revisions] = [new Plan(context, editing), new RevisionWriter(histories)]
    const writes: Written[] = []
    const silent: Outcome[] = []
    const answers: Answer[] = []
    for (const { changes, by, note } of group) {
      const before = note.once === undefined ? undefined : done.get(note.once)
      if (before) {
        answers.push(() => before)
        continue
      }
      try {
        const outcomes = await plan.add(changes)
        const written = revisions.written(outcomes, by, note, now)
        if (written) writes.push(written)
        silent.push(...outcomes.filter(({ key }) => isPrivate(key.kind)))
        const drafts = changes.flatMap((change) => ('put' in change ? (plan.current(change.key) ?? []) : []))
        const documents = drafts.map((draft) => this.#document(draft, revisions))
        // The same request in the same group gets the same answer, too.
        if (written?.once !== undefined) done.set(written.once, documents)
        answers.push(() => documents)
      } catch (error) {
        answers.push(refused(error))
      }
    }
    const total = plan.total()
    const kept = total.flatMap(({ after }) => (after ? [{ ...after, dates: revisions.datesOf(after.key) }] : []))
    const gone = total.flatMap(({ key, after }) => (after ? [] : (docs.get(keyText(key)) ?? [])))
    const quiet = silent.map(({ key, after }) => ({ key, removed: after === undefined }))
    const keys = [...writes.flatMap(({ made }) => made.map(({ key }) => key)), ...quiet.map(({ key }) => key)]
    const landed = keys.length > 0 ? await land(trx, rows, site, { writes, kept, gone, silent: quiet }) : undefined
    await beside.settle(trx, total)
    await takeAway(trx, plan.gone())
    await takeAlong(
      trx,
      total.flatMap(({ after }) => after?.along ?? []),
    )
    await forgetOld(trx, site.place, site.place + keys.length, now)
    const documents = total.flatMap(({ after }) => (after ? this.#document(after, revisions) : []))
    return { answers, landed, keys, documents }
  }

  /** The same object for the same draft: what a write gives is what is read after it. */
  readonly #made = new WeakMap<Draft, Document>()

  #document(draft: Draft, revisions: RevisionWriter): Document {
    const made = this.#made.get(draft) ?? this.#deps.rows.documentOf({ ...draft, dates: revisions.datesOf(draft.key) })
    this.#made.set(draft, made)
    return made
  }
}

function checkPlace({ moved_to, arriving }: SiteState): void {
  if (arriving !== null)
    throw new NotWritable('A site is being moved into this database; it takes no writes until that has ended.', 30)
  if (moved_to !== null) throw new NotWritable(`The site was moved to ${moved_to}; what is here takes no writes any more.`, 60)
}

/** Lets the transaction go without a question for so many milliseconds. */
async function beSilent(trx: Transaction<Tables>, most: number): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(most)}, true)`.execute(trx)
}
