import { sql, type Transaction } from 'kysely'
import { type AuditEntry, takeEntries } from '#core/audit-log.ts'
import type { KnownDates } from '#core/dates.ts'
import { versionOf } from '#core/format/version.ts'
import { isPrivate, keyText } from '#core/key.ts'
import type { Fact } from '#core/ledger.ts'
import type { ComingFile, Destination, MovedDocument, MovedRevision, MovedWrite } from '#core/transfer.ts'
import { Conflict } from '#lib/errors.ts'
import { PostgresAuditLog } from '../audit-log.ts'
import { PostgresBlobs } from '../blobs.ts'
import { Database, type SiteState } from '../database.ts'
import { type Kept, Rows } from '../documents/rows.ts'
import { Shapes } from '../documents/shapes.ts'
import { PostgresLedger } from '../ledger.ts'
import { opening } from '../opening.ts'
import { Sealing } from '../sealing.ts'
import { PostgresSiteFiles } from '../site-files.ts'
import type { Tables } from '../tables.ts'
import { land, type Made, type Written } from '../writing/landing.ts'
import { datesByHistory } from './dates.ts'
import { type Arriving, arrivingOf } from './moved.ts'
import { type CarriedDatabase, nameOf } from './name.ts'

/** Largest number of documents, and of their bytes, that are taken in one transaction; number of facts taken at once. */
const MOST_DOCUMENTS = 500
const MOST_BYTES = 16 * 1024 * 1024
const FACTS_AT_ONCE = 100

/** A database that a site is moved into: many writes in one transaction, and the progress of the move in the same one. */
export class PostgresDestination implements Destination {
  readonly name: string
  readonly #options: CarriedDatabase
  readonly #database: Database
  readonly #rows: Rows
  #arriving: Arriving | undefined

  /** Opens the database, and makes its tables if there are none. */
  static async open(options: CarriedDatabase): Promise<PostgresDestination> {
    const rows = new Rows(new Shapes(options.types), new Sealing(options.secret))
    const database = await opening(options.url, () => Database.open(options.url))
    const site = await database.read((db) => db.selectFrom('site').select('arriving').executeTakeFirstOrThrow())
    return new PostgresDestination(options, database, rows, arrivingOf(site.arriving))
  }

  private constructor(options: CarriedDatabase, database: Database, rows: Rows, arriving: Arriving | undefined) {
    this.name = nameOf(options.url)
    this.#options = options
    this.#database = database
    this.#rows = rows
    this.#arriving = arriving
  }

  get arriving(): string | undefined {
    return this.#arriving?.fingerprint
  }

  async begin(fingerprint: string): Promise<number> {
    const begun = await this.#database.writing(async (trx, site) => {
      const known = arrivingOf(site.arriving)
      if (known?.fingerprint === fingerprint) {
        await emptyBesides(trx)
        return known
      }
      // What has not ended arriving was never a site: another state of it takes its place.
      if (known) await empty(trx)
      else await this.#refuseTaken(trx)
      await unfind(trx)
      const arriving = { fingerprint, writes: 0 }
      await note(trx, arriving)
      return arriving
    })
    this.#arriving = begun
    return begun.writes
  }

  async takeWrites(writes: readonly MovedWrite[]): Promise<void> {
    const before = this.#arrivingNow
    const arriving = { ...before, writes: before.writes + writes.length }
    await this.#database.writing(async (trx, site) => {
      checkOurs(site, before)
      await land(trx, this.#rows, site, { writes: writes.map(written), kept: [], gone: [], silent: [] })
      await note(trx, arriving)
    })
    this.#arriving = arriving
  }

  async takeDocuments(documents: AsyncIterable<MovedDocument>): Promise<void> {
    const dates = await this.#database.read(datesByHistory)
    let batch: MovedDocument[] = []
    let bytes = 0
    for await (const document of documents) {
      batch.push(document)
      bytes += document.bytes.length
      if (batch.length < MOST_DOCUMENTS && bytes < MOST_BYTES) continue
      await this.#keep(batch, dates)
      batch = []
      bytes = 0
    }
    if (batch.length > 0) await this.#keep(batch, dates)
  }

  async takeFiles(files: AsyncIterable<ComingFile>): Promise<void> {
    const { clock, blobs = new PostgresBlobs(this.#database, clock) } = this.#options
    const siteFiles = new PostgresSiteFiles(this.#database, blobs)
    for await (const { area, path, size, named, open } of files) {
      const stored = await blobs.put(await open(), size)
      // What its sidecar names is found by that.
      if (stored.ref !== named) await siteFiles.put([{ area, path, ...stored }])
    }
  }

  async takeFacts(facts: AsyncIterable<Fact>): Promise<void> {
    const { clock } = this.#options
    const ledger = new PostgresLedger(this.#database, clock)
    let puts: Promise<void>[] = []
    for await (const { name, value, until } of facts) {
      puts.push(ledger.put(name, value, until - clock.now()))
      if (puts.length < FACTS_AT_ONCE) continue
      await Promise.all(puts)
      puts = []
    }
    await Promise.all(puts)
    await ledger.close()
  }

  async takeAudit(entries: AsyncIterable<AuditEntry>): Promise<void> {
    await takeEntries(new PostgresAuditLog(this.#database), entries)
  }

  async finish(): Promise<void> {
    // Lists go by what is known of the tables; where that can't be had now, the database finds it out by itself.
    for (const table of ['documents', 'facts', 'writes', 'revisions', 'changes']) {
      await this.#database.run((db) => sql`vacuum (analyze) ${sql.table(table)}`.execute(db)).catch(() => undefined)
    }
    await this.#database.writing(async (trx, site) => {
      checkOurs(site, this.#arrivingNow)
      await unfind(trx)
      await trx.updateTable('site').set({ arriving: null, moved_to: null, moved_at: null }).execute()
    })
    this.#arriving = undefined
  }

  async close(): Promise<void> {
    await this.#database.close()
  }

  get #arrivingNow(): Arriving {
    if (!this.#arriving) throw new Error('Nothing has begun to arrive.')
    return this.#arriving
  }

  async #keep(documents: readonly MovedDocument[], dates: ReadonlyMap<string, KnownDates>): Promise<void> {
    const kept = documents.map(({ key, file, bytes }): Kept => {
      return { key, file, bytes, head: this.#rows.read(key, file, bytes), dates: dates.get(keyText(key)) ?? {} }
    })
    const silent = kept.filter(({ key }) => isPrivate(key.kind)).map(({ key }) => ({ key, removed: false }))
    await this.#database.writing(async (trx, site) => {
      checkOurs(site, this.#arrivingNow)
      await land(trx, this.#rows, site, { writes: [], kept, gone: [], silent })
    })
  }

  async #refuseTaken(trx: Transaction<Tables>): Promise<void> {
    const [document] = await trx.selectFrom('documents').select(['kind', 'id']).limit(1).execute()
    const [write] = await trx.selectFrom('writes').select('place').limit(1).execute()
    if (!document && !write) return
    const what = document ? `there is ${document.kind}/${document.id}` : 'there is a history'
    const hint = 'Take another database, or another schema: ?schema=another in storage.url.'
    throw new Conflict(`There is a site in ${this.name} already: ${what}.`, undefined, hint)
  }
}

async function note(trx: Transaction<Tables>, arriving: Arriving): Promise<void> {
  await trx
    .updateTable('site')
    .set({ arriving: JSON.stringify(arriving) })
    .execute()
}

/** Places go on from where they were: no cursor of before may come to mean something else. */
async function empty(trx: Transaction<Tables>): Promise<void> {
  await sql`truncate documents, facts, writes, revisions, changes, once, ledger, site_files, audit, audit_requests`.execute(trx)
}

/** No fingerprint tells of these: what came before and is gone since must not stay. They come whole each time. */
async function emptyBesides(trx: Transaction<Tables>): Promise<void> {
  await sql`truncate ledger, site_files, audit, audit_requests`.execute(trx)
}

/** Drops the search indexes, so that they are made anew of the documents that came: these are not all in the feed. */
async function unfind(trx: Transaction<Tables>): Promise<void> {
  await trx.deleteFrom('search_editions').execute()
}

function checkOurs({ arriving }: SiteState, { fingerprint, writes }: Arriving): void {
  const now = arrivingOf(arriving)
  if (now?.fingerprint === fingerprint && now.writes === writes) return
  throw new Conflict('Another process moves a site into this database.', undefined, 'Let it end.')
}

function written({ at, by, message, number, action, request, from, revisions }: MovedWrite): Written {
  return {
    ...{ at, by, message, made: revisions.map(made) },
    ...(number !== undefined && { number }),
    ...(action !== undefined && { action }),
    ...(request !== undefined && { request }),
    ...(from !== undefined && { movedFrom: from }),
  }
}

function made({ key, file, bytes, number, at, action, from, isEnd }: MovedRevision): Made {
  return {
    ...{ key, number, at, action, file, isEnd },
    ...(bytes && { bytes, version: versionOf(bytes) }),
    ...(from !== undefined && { movedFrom: from }),
  }
}
