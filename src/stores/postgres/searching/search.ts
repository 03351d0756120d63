import { sql } from 'kysely'
import type { Found, SearchIndex, SearchQuery } from '#core/queries/search.ts'
import type { Store, Unsubscribe } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import type { Clock } from '#lib/clock.ts'
import { CatchUp } from '#lib/concurrency/catch-up.ts'
import { Unavailable } from '#lib/errors.ts'
import type { Database } from '../database.ts'
import type { Rows } from '../documents/rows.ts'
import { audienceOf } from './audience.ts'
import { isUpTo, type Standing } from './edition.ts'
import { Expansion } from './expansion.ts'
import { Forms } from './forms.ts'
import { Indexer } from './indexer.ts'
import { matched } from './matching.ts'

/** Time in milliseconds that a search waits for recent writes, and for an index that is being made. */
const PATIENCE = 50
const FIRST_PATIENCE = 5_000

export interface PostgresSearchDeps {
  readonly store: Pick<Store, 'subscribe'>
  readonly database: Database
  readonly rows: Rows
  readonly types: ContentTypes
  readonly clock: Clock
  /** The language of the texts: `site.locale`. */
  readonly locale: string
}

/** Search in PostgreSQL: all nodes share an index in it, which the first that learns of a change brings up to date. */
export class PostgresSearch implements SearchIndex {
  readonly #deps: PostgresSearchDeps
  readonly #indexer: Indexer
  readonly #forms: Forms
  readonly #unsubscribe: Unsubscribe
  readonly #runs = new CatchUp(() => this.ready())
  #revision = 0

  constructor(deps: PostgresSearchDeps) {
    this.#deps = deps
    const { store, database, rows, types, locale } = deps
    this.#indexer = new Indexer({ database, rows, types, analyser: new Analyser(locale), locale }, () => this.#revision++)
    this.#forms = new Forms(database)
    this.#unsubscribe = store.subscribe(() => {
      // Removed documents are not found any more at once; written ones are found as soon as they are indexed.
      this.#revision++
      this.#runs.soon()
    })
  }

  get revision(): number {
    return this.#revision
  }

  async find(query: SearchQuery): Promise<Found> {
    const { edition, sequence } = await this.#patiently()
    const { database, types, clock } = this.#deps
    await this.#forms.update(edition, sequence)
    const audience = audienceOf(query.readable, types, clock.now())
    const meant = await new Expansion({ database, forms: this.#forms, edition, audience }).of(query.clauses)
    const [found, changes] = await Promise.all([
      matched({ database, edition, audience }, meant, query),
      database.read((db) => audience.nextChange.execute(db)),
    ])
    return { ...found, until: changes.rows[0]?.at ?? Number.POSITIVE_INFINITY }
  }

  async bytes(): Promise<number> {
    const { rows } = await this.#deps.database.read((db) =>
      sql<{ bytes: number }>`
        select pg_total_relation_size('search_documents') + pg_total_relation_size('search_forms') as bytes`.execute(db),
    )
    return Number(rows[0]?.bytes ?? 0)
  }

  async ready(): Promise<void> {
    const { last } = await this.#indexer.standing()
    await this.#indexer.upTo(last)
  }

  async close(): Promise<void> {
    this.#unsubscribe()
    const ended = this.#runs.close()
    await this.#indexer.close()
    await ended
  }

  /** The index as it is, up to date where that can be had in a moment. */
  async #patiently(): Promise<Standing & { readonly edition: number }> {
    const before = await this.#indexer.standing()
    const standing = isUpTo(before, before.last) ? before : await this.#awaited(before)
    const { edition, isWhole } = standing
    if (edition === undefined || !isWhole) throw new Unavailable('The search index is being made.', 5)
    return { ...standing, edition }
  }

  async #awaited({ isWhole, last }: Standing): Promise<Standing> {
    await within(this.#indexer.upTo(last), isWhole ? PATIENCE : FIRST_PATIENCE)
    return this.#indexer.standing()
  }
}

/** Waits for something, but for so many milliseconds at most. What it fails with is thrown only where that is waited for. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  work.catch(() => undefined)
  await Promise.race([work, end]).finally(() => clearTimeout(timer))
}
