import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { Author, Document } from '#core/document.ts'
import type { EditThread } from '#core/format/edit-thread.ts'
import { isPrivate, type Key } from '#core/key.ts'
import type { Note } from '#core/revision.ts'
import type { Change } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Failure, NotWritable } from '#lib/errors.ts'
import type { Database, SiteState } from '../database.ts'
import type { Rows } from '../documents/rows.ts'
import type { Freshness } from '../following/freshness.ts'
import type { Tables } from '../tables.ts'
import { survey } from './batch-context.ts'
import { land, type Written } from './landing.ts'
import { doneOnce, forgetOld } from './once.ts'
import { type Draft, type Outcome, Plan } from './plan.ts'
import { RevisionWriter } from './revision-writer.ts'

/** Largest number of batches that are written in one transaction. */
const MOST = 64

/**
 * From so many changes on, working them out takes longer than a transaction may be silent; how long each may take, in
 * milliseconds.
 */
const MANY = 1000
const EACH_MS = 5

/** A batch that waits to be written. */
interface Batch {
  readonly changes: readonly Change[]
  readonly by: Author
  readonly note: Note
  done(documents: Document[]): void
  failed(error: unknown): void
}

/** The result of a group: an answer for each batch, and the changes that this node has to take note of. */
interface Applied {
  readonly answers: readonly (() => void)[]
  readonly first: number
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
   * Given the documents as they now are, before the writes that made them are answered; `asOf` is the sequence they are true of.
   */
  readonly onWritten: (documents: readonly Document[], asOf: number) => void
}

/**
 * Writes batches in the order they come, each all or none. Those that wait are written in one transaction, so that they share the
 * lock on the site and the wait for the disk.
 */
export class Writer {
  readonly #deps: Deps
  #waiting: Batch[] = []
  #working: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  write(changes: readonly Change[], by: Author, note: Note): Promise<Document[]> {
    return new Promise((done, failed) => {
      this.#waiting.push({ changes, by, note, done, failed })
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
    while (this.#waiting.length > 0) await this.#writeGroup(this.#waiting.splice(0, MOST))
    // In the same step as the last look at what waits, or a batch that comes in between would wait for ever.
    this.#working = undefined
  }

  async #writeGroup(group: readonly Batch[]): Promise<void> {
    const { database, freshness, onWritten } = this.#deps
    let isKept = false
    try {
      const { answers, first, keys, documents } = await database.writing((trx, site) => this.#apply(trx, site, group))
      isKept = true
      freshness.wrote(first, keys)
      onWritten(documents, first + keys.length - 1)
      for (const answer of answers) answer()
    } catch (error) {
      // What the database does not take of one batch is no failure of the others.
      if (!isKept && group.length > 1 && !(error instanceof Failure)) return this.#writeEach(group)
      for (const batch of group) batch.failed(error)
    }
  }

  async #writeEach(group: readonly Batch[]): Promise<void> {
    for (const batch of group) await this.#writeGroup([batch])
  }

  async #apply(trx: Transaction<Tables>, site: SiteState, group: readonly Batch[]): Promise<Applied> {
    checkPlace(site)
    const { rows, clock, editing } = this.#deps
    const now = clock.now()
    const all = group.flatMap(({ changes }) => changes)
    if (all.length > MANY) await beSilent(trx, all.length * EACH_MS)
    const context = await survey(trx, rows, all)
    const done = await doneOnce(
      trx,
      rows,
      group.flatMap(({ note }) => note.once ?? []),
      now,
    )
    const [plan, revisions] = [new Plan(context, rows, editing), new RevisionWriter(context)]
    const writes: Written[] = []
    const silent: Outcome[] = []
    const answers: (() => void)[] = []
    for (const { changes, by, note, done: resolve, failed } of group) {
      const before = note.once === undefined ? undefined : done.get(note.once)
      if (before) {
        answers.push(() => resolve(before))
        continue
      }
      try {
        const outcomes = await plan.add(changes)
        const written = revisions.written(outcomes, by, note, now)
        if (written) writes.push(written)
        for (const outcome of outcomes) this.#date(plan, revisions, outcome, written)
        silent.push(...outcomes.filter(({ key }) => isPrivate(key.kind)))
        const drafts = changes.flatMap((change) => ('put' in change ? (plan.current(change.key) ?? []) : []))
        const documents = drafts.map((draft) => this.#document(draft))
        // The same request in the same group gets the same answer, too.
        if (written?.once !== undefined) done.set(written.once, documents)
        answers.push(() => resolve(documents))
      } catch (error) {
        answers.push(() => failed(error))
      }
    }
    const { kept, gone } = plan.total()
    const quiet = silent.map(({ key, after }) => ({ key, removed: after === undefined }))
    const keys = [...writes.flatMap(({ made }) => made.map(({ key }) => key)), ...quiet.map(({ key }) => key)]
    if (keys.length > 0) await land(trx, rows, site, { writes, kept, gone, silent: quiet })
    await forgetOld(trx, site.place, site.place + keys.length, now)
    return { answers, first: site.place + 1, keys, documents: kept.map((draft) => this.#document(draft)) }
  }

  #date(plan: Plan, revisions: RevisionWriter, outcome: Outcome, written: Written | undefined): void {
    const at = written?.made[0]?.at
    if (at !== undefined && outcome.after) plan.date(outcome.key, { createdAt: revisions.createdAt(outcome, at), updatedAt: at })
  }

  /** The same object for the same draft: what a write gives is what is read after it. */
  readonly #made = new WeakMap<Draft, Document>()

  #document(draft: Draft): Document {
    const made = this.#made.get(draft) ?? this.#deps.rows.documentOf(draft)
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
