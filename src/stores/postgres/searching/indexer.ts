import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Database } from '../database.ts'
import type { Rows } from '../documents/rows.ts'
import type { Tables } from '../tables.ts'
import { type Batch, nextChanges, nextDocuments, type Source } from './batch.ts'
import { editionName, isUpTo, type Standing, standingOf } from './edition.ts'
import { type Kept, keep, tidy } from './keeping.ts'
import { Reader } from './reader.ts'

/** Pause in milliseconds before it is checked again whether another node has done the work. */
const PAUSE = 20

/** Longest time in milliseconds that documents are read at a stretch before other work may run. */
const STRETCH = 10

/** Time in milliseconds that a transaction may be idle in the database while documents are read. */
const READING_MS = 20_000

export interface IndexerDeps {
  readonly database: Database
  readonly types: ContentTypes
  readonly rows: Rows
  readonly analyser: Analyser
  /** The language of the texts, as `site.locale` has it. */
  readonly locale: string
}

/**
 * Brings the index up to date with the documents, in parts that are done whole or not at all. Any number of nodes may be at it:
 * one at a time works, the others wait for it; where it ends or dies, another goes on.
 */
export class Indexer {
  readonly #deps: IndexerDeps
  readonly #name: string
  readonly #reader: Reader
  readonly #onProgress: () => void
  #standing: Standing | undefined
  #running: Promise<void> | undefined
  #closed = false

  /** `onProgress` is called whenever this node finds that the index is another than it knew. */
  constructor(deps: IndexerDeps, onProgress: () => void) {
    this.#deps = deps
    this.#name = editionName(deps.analyser, deps.types)
    this.#reader = new Reader(deps.analyser, deps.locale)
    this.#onProgress = onProgress
  }

  /** Reads the progress of the index from the database. */
  async standing(): Promise<Standing> {
    const before = this.#standing
    const now = await this.#deps.database.read((db) => standingOf(db, this.#name))
    this.#standing = now
    const isSame = before?.edition === now.edition && before?.sequence === now.sequence && before?.scanned === now.scanned
    if (!isSame) this.#onProgress()
    return now
  }

  /** Resolves when all that the site had at `last` can be found, by whichever node's work. */
  async upTo(last: number): Promise<void> {
    while (!this.#closed && !isUpTo(await this.standing(), last)) {
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined
      })
      await this.#running
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.catch(() => undefined)
    await this.#reader.close()
  }

  async #run(): Promise<void> {
    const isOurs = await this.#deps.database.transaction((trx) => this.#work(trx))
    if (!isOurs) await pause(PAUSE)
  }

  /** Does the next part, where nobody else is at it. */
  async #work(trx: Transaction<Tables>): Promise<boolean> {
    const lock = `quire search ${this.#deps.database.schema} ${this.#name}`
    // What a crash of the database takes back is done again.
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as "isOurs",
        set_config('synchronous_commit', 'off', true), set_config('idle_in_transaction_session_timeout', ${String(READING_MS)}, true)`.execute(
      trx,
    )
    if (!rows[0]?.isOurs) return false
    const standing = await standingOf(trx, this.#name)
    if (standing.edition === undefined) await this.#begin(trx, standing)
    else if (!isUpTo(standing, standing.last)) await this.#goOn(trx, standing.edition, standing)
    return true
  }

  async #begin(trx: Transaction<Tables>, { site, last }: Standing): Promise<void> {
    await sql`delete from search_editions where name = ${this.#name}`.execute(trx)
    await sql`insert into search_editions (name, site, place, scanned) values (${this.#name}, ${site}, ${last}, 0)`.execute(trx)
  }

  async #goOn(trx: Transaction<Tables>, edition: number, { sequence, scanned, last }: Standing): Promise<void> {
    const batch = scanned === null ? await nextChanges(trx, sequence) : await nextDocuments(trx, sequence, scanned)
    // From here on nothing is known of what changed: all is read anew, and what is there serves until then.
    if (!batch) return void (await note(trx, edition, { sequence: last, scanned: 0 }))
    await keep(trx, edition, await this.#read(batch), goneOf(batch, this.#deps.types))
    await note(trx, edition, batch)
    if (scanned !== null && batch.scanned === null) {
      await tidy(trx, edition)
      await sql`delete from search_editions where edition <> ${edition} and used < now() - interval '1 day'`.execute(trx)
    }
  }

  async #read({ sources }: Batch): Promise<Kept[]> {
    const kept: Kept[] = []
    let from = performance.now()
    for (const source of sources) {
      const one = await this.#readOne(source)
      if (one) kept.push(one)
      if (performance.now() - from < STRETCH) continue
      await setImmediate()
      from = performance.now()
    }
    return kept
  }

  async #readOne(source: Source): Promise<Kept | undefined> {
    const { types, rows } = this.#deps
    const type = types.get(source.kind)
    const { kind, id, doc } = source
    return type && { kind, id, doc, reading: await this.#reader.read(type, rows.document(source)) }
  }
}

async function note(
  trx: Transaction<Tables>,
  edition: number,
  { sequence, scanned }: Pick<Batch, 'sequence' | 'scanned'>,
): Promise<void> {
  await sql`update search_editions set place = ${sequence}, scanned = ${scanned}::bigint,
    whole = whole or ${scanned}::bigint is null, used = now() where edition = ${edition}`.execute(trx)
}

function goneOf({ gone }: Batch, types: ContentTypes): Batch['gone'] {
  return gone.filter(({ kind }) => types.get(kind))
}
