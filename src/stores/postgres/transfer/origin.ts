import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { AuditEntry } from '#core/audit-log.ts'
import type { Remark } from '#core/backend.ts'
import { movedFiles } from '#core/files/moved-files.ts'
import type { Action } from '#core/history/revision.ts'
import { leftBehind } from '#core/jobs/left-behind.ts'
import { type Kind, keyOf, MEDIA } from '#core/key.ts'
import type { Fact } from '#core/ledger.ts'
import type { Cargo, MovedDocument, MovedFile, MovedRevision, MovedWrite, Origin } from '#core/transfer.ts'
import { Conflict } from '#lib/errors.ts'
import { PostgresAuditLog } from '../audit-log.ts'
import { PostgresBlobs } from '../blobs.ts'
import { Database, type SiteState } from '../database.ts'
import { Rows } from '../documents/rows.ts'
import { Shapes } from '../documents/shapes.ts'
import { PostgresJobs } from '../jobs.ts'
import { PostgresLedger } from '../ledger.ts'
import { opening } from '../opening.ts'
import { Sealing } from '../sealing.ts'
import { PostgresSiteFiles } from '../site-files.ts'
import type { Tables } from '../tables.ts'
import { DatabaseSnapshot } from './database-snapshot.ts'
import { GivenFacts } from './given-facts.ts'
import { refuseMoved } from './moved.ts'
import { type CarriedDatabase, nameOf } from './name.ts'

/** Number of writes, and number of documents, that are read at once. */
const WRITES_AT_ONCE = 200
const DOCUMENTS_AT_ONCE = 200

/** A site in a database, to be carried elsewhere. What is written to it meanwhile is found out at the end. */
export class PostgresOrigin implements Origin {
  readonly name: string
  readonly remarks: readonly Remark[]
  readonly cargo: Cargo
  readonly #options: CarriedDatabase
  readonly #database: Database
  readonly #snapshot: DatabaseSnapshot | undefined
  readonly #site: Pick<SiteState, 'name' | 'place' | 'moved_to'>
  readonly #rows: Rows
  readonly #given = new GivenFacts()

  /**
   * Opens the database. `isCopied` is for what stays where it is: all is read as of this moment, and `leave` marks nothing.
   * Throws Conflict where a site is still arriving in it.
   */
  static async open(options: CarriedDatabase, isCopied = false): Promise<PostgresOrigin> {
    const rows = new Rows(new Shapes(options.types), new Sealing(options.secret))
    const database = await opening(options.url, () => Database.open(options.url))
    try {
      await refuseMoved(database, true)
      const snapshot = isCopied ? await DatabaseSnapshot.open(database) : undefined
      const columns = ['name', 'place', 'moved_to'] as const
      const from = snapshot ?? database
      const site = await from.read((db) => db.selectFrom('site').select(columns).executeTakeFirstOrThrow())
      const remarks = leftBehind(await new PostgresJobs(database, options.clock).waiting())
      return new PostgresOrigin(options, { database, snapshot, rows, site, remarks, cargo: await from.read(cargoOf) })
    } catch (error) {
      await database.close()
      throw error
    }
  }

  private constructor(
    options: CarriedDatabase,
    parts: {
      database: Database
      snapshot: DatabaseSnapshot | undefined
      rows: Rows
      site: Pick<SiteState, 'name' | 'place' | 'moved_to'>
      remarks: readonly Remark[]
      cargo: Cargo
    },
  ) {
    this.name = nameOf(options.url)
    this.cargo = parts.cargo
    this.remarks = parts.remarks
    this.#options = options
    this.#database = parts.database
    this.#snapshot = parts.snapshot
    this.#site = parts.site
    this.#rows = parts.rows
  }

  get fingerprint(): string {
    return createHash('sha256').update(`${this.#site.name} ${this.#site.place}`).digest('hex')
  }

  get movedTo(): string | undefined {
    return this.#site.moved_to ?? undefined
  }

  async *writes(done: number): AsyncGenerator<MovedWrite> {
    let last = done === 0 ? 0 : await this.#read((db) => placeAfter(db, done))
    for (let some = await this.#some(last); some.length > 0; some = await this.#some(last)) {
      for (const { write } of some) yield write
      last = some.at(-1)?.place ?? last
    }
  }

  documents(): AsyncGenerator<MovedDocument> {
    return this.#documents()
  }

  async *#documents(kind?: Kind): AsyncGenerator<MovedDocument> {
    let last = 0
    for (;;) {
      const rows = await this.#read((db) => documentsAfter(db, last, kind))
      for (const row of rows) yield { key: keyOf(row.kind, row.id), file: row.file, bytes: this.#rows.bytes(row) }
      const end = rows.at(-1)
      if (!end) return
      last = end.doc
    }
  }

  async *files(): AsyncGenerator<MovedFile> {
    const { clock, blobs = new PostgresBlobs(this.#database, clock) } = this.#options
    const siteFiles = new PostgresSiteFiles(this.#database, blobs)
    yield* movedFiles({ siteFiles, blobs }, this.#documents(MEDIA))
  }

  async *facts(): AsyncGenerator<Fact> {
    yield* this.#given.giving(this.#ledger.facts())
  }

  async *audit(): AsyncGenerator<AuditEntry> {
    yield* new PostgresAuditLog(this.#database).all({})
  }

  async leave(name: string): Promise<void> {
    if (this.#snapshot) return
    const now = this.#options.clock.now()
    // A session that was ended since, or a code that was used, would be good at the other place.
    if (!(await this.#given.areStill(this.#ledger.facts(), now))) throw writtenMeanwhile()
    const at = new Date(now).toISOString()
    await this.#database.writing(async (trx, { place }) => {
      if (place !== this.#site.place) throw writtenMeanwhile()
      await trx.updateTable('site').set({ moved_to: name, moved_at: at }).execute()
    })
  }

  async close(): Promise<void> {
    await this.#snapshot?.close()
    await this.#database.close()
  }

  get #ledger(): PostgresLedger {
    return new PostgresLedger(this.#database, this.#options.clock)
  }

  #read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return (this.#snapshot ?? this.#database).read(work)
  }

  async #some(after: number): Promise<{ place: number; write: MovedWrite }[]> {
    const rows = await this.#read((db) => writesAfter(db, after))
    const [first, last] = [rows[0]?.place, rows.at(-1)?.place]
    if (first === undefined || last === undefined) return []
    const revisions = await this.#read((db) => revisionsBetween(db, first, last))
    const byPlace = new Map(rows.map(({ place }) => [place, [] as MovedRevision[]]))
    for (const revision of revisions) byPlace.get(revision.place)?.push(revisionOf(revision))
    return rows.map((row) => ({ place: row.place, write: writeOf(row, byPlace.get(row.place) ?? []) }))
  }
}

function writtenMeanwhile(): Conflict {
  const message = 'The site was written to meanwhile, so that what was moved is not all of it.'
  return new Conflict(message, undefined, 'End the servers that run on it, then run it again.')
}

async function cargoOf(db: Kysely<Tables>): Promise<Cargo> {
  const count = async (table: 'writes' | 'revisions') =>
    Number(
      (
        await db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    )
  const documents = async (like: 'like' | 'not like') => {
    const all = db.selectFrom('documents').select((eb) => eb.fn.countAll().as('n'))
    return Number((await all.where('kind', like, '.%').executeTakeFirstOrThrow()).n)
  }
  return {
    writes: await count('writes'),
    revisions: await count('revisions'),
    documents: await documents('not like'),
    privates: await documents('like'),
  }
}

/** The place of the last of the first `done` writes. */
async function placeAfter(db: Kysely<Tables>, done: number): Promise<number> {
  const row = await db
    .selectFrom('writes')
    .select('place')
    .orderBy('place')
    .offset(done - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.place ?? Number.MAX_SAFE_INTEGER
}

function writesAfter(db: Kysely<Tables>, place: number) {
  return db.selectFrom('writes').selectAll().where('place', '>', place).orderBy('place').limit(WRITES_AT_ONCE).execute()
}

function revisionsBetween(db: Kysely<Tables>, first: number, last: number) {
  const all = db.selectFrom('revisions').selectAll().where('place', '>=', first).where('place', '<=', last)
  return all.orderBy('place').orderBy('kind').orderBy('id').execute()
}

function documentsAfter(db: Kysely<Tables>, doc: number, kind: Kind | undefined) {
  const all = db.selectFrom('documents').select(['doc', 'kind', 'id', 'file', 'bytes']).where('doc', '>', doc)
  const some = kind === undefined ? all : all.where('kind', '=', kind)
  return some.orderBy('doc').limit(DOCUMENTS_AT_ONCE).execute()
}

function writeOf(row: Awaited<ReturnType<typeof writesAfter>>[number], revisions: MovedRevision[]): MovedWrite {
  const { at, name, email, message, number, action, request, moved_from } = row
  return {
    ...{ at, by: { name, email }, message, revisions },
    number: number ?? undefined,
    action: (action ?? undefined) as Action | undefined,
    request: request ?? undefined,
    from: moved_from ?? undefined,
  }
}

function revisionOf(row: Awaited<ReturnType<typeof revisionsBetween>>[number]): MovedRevision {
  const { kind, id, file, bytes, number, at, action, moved_from, is_end } = row
  return {
    ...{ key: keyOf(kind, id), file, number, at, isEnd: is_end },
    action: action as Action,
    bytes: bytes ?? undefined,
    from: moved_from ?? undefined,
  }
}
