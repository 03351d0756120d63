import { sql } from 'kysely'
import { type Author, bytesOf, type Document, type Head, type Problem } from '#core/document.ts'
import { EditThread } from '#core/format/edit-thread.ts'
import type { PastList, PastMoment } from '#core/history/past.ts'
import type { Note, Revision, RevisionNumber } from '#core/history/revision.ts'
import { type Key, type Kind, keyText } from '#core/key.ts'
import type { Page, Query } from '#core/queries/query.ts'
import type { Change, Cursor, Feed, Health, Latest, Part, Store, Unsubscribe } from '#core/store.ts'
import { arePrivate } from '../engine/batch.ts'
import { Browse } from './browsing/browse.ts'
import { kindsOfContent } from './browsing/kinds.ts'
import { Checkup } from './checkup.ts'
import { Database } from './database.ts'
import { Answers } from './documents/answers.ts'
import { deriveAnew } from './documents/derivation.ts'
import { DocumentCache } from './documents/document-cache.ts'
import { type DocumentRow, Rows } from './documents/rows.ts'
import { Shapes } from './documents/shapes.ts'
import { ChangeFeed } from './following/feed.ts'
import { type AsOf, Freshness } from './following/freshness.ts'
import { Listener } from './following/listener.ts'
import { PastLists } from './history/lists.ts'
import { HistoryReader } from './history/reader.ts'
import type { PostgresOptions } from './options.ts'
import { Sealing } from './sealing.ts'
import { channelOf } from './writing/landing.ts'
import { doneOnce } from './writing/once.ts'
import { Writer } from './writing/writer.ts'

/**
 * Documents in a PostgreSQL, which any number of nodes may share. Reads see every write that was answered before them, on
 * whatever node.
 */
export class PostgresStore implements Store {
  readonly database: Database
  readonly rows: Rows
  readonly #options: PostgresOptions
  readonly #freshness: Freshness
  readonly #cache: DocumentCache
  readonly #answers: Answers
  readonly #browse: Browse
  readonly #history: HistoryReader
  readonly #pastLists: PastLists
  readonly #feed: ChangeFeed
  readonly #editing = new EditThread()
  readonly #writer: Writer
  readonly #checkup: Checkup
  #listener: Listener | undefined

  /**
   * Opens a database, brings its tables up to date, and what lists go by in line with the configuration. Throws BadConfig where
   * it can't serve.
   */
  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const sealing = new Sealing(options.secret)
    const database = await Database.open(options.url)
    const store = new PostgresStore(options, database, sealing)
    try {
      await store.#begin()
      return store
    } catch (error) {
      await store.close()
      throw error
    }
  }

  private constructor(options: PostgresOptions, database: Database, sealing: Sealing) {
    const { types, clock } = options
    this.#options = options
    this.database = database
    const shapes = new Shapes(types)
    this.rows = new Rows(shapes, sealing)
    this.#freshness = new Freshness(database)
    this.#cache = new DocumentCache(this.#freshness)
    this.#browse = new Browse(database, types, clock)
    const nextStatusChange = (kind: Kind, now: number) => this.#browse.nextStatusChange(kind, now)
    this.#answers = new Answers({ freshness: this.#freshness, shapes, clock, nextStatusChange })
    this.#history = new HistoryReader(database, this.rows, this.#freshness)
    this.#pastLists = new PastLists(database, this.rows, this.#freshness)
    this.#feed = new ChangeFeed(database, this.#freshness)
    const onWritten = (documents: readonly Document[], asOf: AsOf) => {
      for (const document of documents) this.#cache.keep(document, asOf)
    }
    this.#writer = new Writer({ database, rows: this.rows, clock, freshness: this.#freshness, editing: this.#editing, onWritten })
    this.#checkup = new Checkup(database, this.#writer, () => this.#listener?.isListening)
  }

  async #begin(): Promise<void> {
    const { watch, onProblem } = this.#options
    await deriveAnew(this.database, this.rows)
    await this.#freshness.now()
    if (onProblem) for (const problem of await this.problems()) onProblem(problem)
    if (!watch) return
    const news = () => void this.#freshness.now().catch(() => undefined)
    this.#listener = new Listener(this.database, channelOf(this.#freshness.site), news)
    await this.#listener.start()
  }

  async kinds(): Promise<Kind[]> {
    const asOf = await this.#freshness.now()
    return this.#answers.kinds(asOf, () => this.database.read(kindsOfContent))
  }

  head(key: Key): Promise<Head | undefined> {
    return this.get(key)
  }

  async get(key: Key): Promise<Document | undefined> {
    const asOf = await this.#freshness.now()
    const hot = this.#cache.get(keyText(key))
    if (hot) return hot
    const { rows } = await this.database.read((db) =>
      sql<DocumentRow>`/* prepared */ select kind, id, file, bytes, version, head, problem, created_at, updated_at
        from documents where kind = ${key.kind} and id = ${key.id}`.execute(db),
    )
    const [row] = rows
    return row && this.#cache.keep(this.rows.document(row), asOf)
  }

  async browse(kind: Kind, query: Query): Promise<Page<Document>> {
    const asOf = await this.#freshness.now()
    const page = await this.#answers.of(kind, ['documents', query], asOf, async () => {
      const { rows, total } = await this.#browse.page(kind, query, 'document')
      const items = rows.map((row) => this.#cache.keep(this.rows.document(row as DocumentRow), asOf))
      return { value: { items, total }, bytes: sumOf(items, bytesOf) }
    })
    return { items: [...page.items], total: page.total }
  }

  async heads(kind: Kind, query: Query): Promise<Page<Head>> {
    // Of what is sealed, only the bytes say anything.
    if (this.rows.isSealed(kind)) return this.browse(kind, query)
    const asOf = await this.#freshness.now()
    const page = await this.#answers.of(kind, ['heads', query], asOf, async () => {
      const { rows, total } = await this.#browse.page(kind, query, 'head')
      const items = rows.map((row) => this.rows.head(row))
      return { value: { items, total }, bytes: 2 * sumOf(rows, ({ head }) => head.length) }
    })
    return { items: [...page.items], total: page.total }
  }

  async count(kind: Kind, query: Query, by: string): Promise<Map<string, number>> {
    const asOf = await this.#freshness.now()
    const work = async () => {
      const value = await this.#browse.count(kind, query, by)
      return { value, bytes: 2 * sumOf([...value.keys()], (text) => text.length) }
    }
    return new Map(await this.#answers.of(kind, ['count', by, query], asOf, work))
  }

  async write(changes: readonly Change[], by: Author, note: Note = {}): Promise<Document[]> {
    arePrivate(changes)
    return this.#writer.write(changes, by, note)
  }

  async written(once: string): Promise<Document[] | undefined> {
    const now = this.#options.clock.now()
    const done = await this.database.read((db) => doneOnce(db, this.rows, [once], now))
    return done.get(once)
  }

  history(key: Key, part: Part): Promise<Page<Revision> | undefined> {
    return this.#history.history(key, part)
  }

  at(key: Key, number: RevisionNumber): Promise<Document | undefined> {
    return this.#history.at(key, number)
  }

  past(kind: Kind, moment: PastMoment): Promise<PastList | undefined> {
    return this.#pastLists.list(kind, moment)
  }

  latest(part: Part): Promise<readonly Latest[]> {
    return this.#history.latest(part)
  }

  async dated(): Promise<void> {}

  /** A document comes here by its key, so that no name is a wrong one. */
  async misnamed(): Promise<undefined> {
    return undefined
  }

  async problems(kind?: Kind): Promise<Problem[]> {
    const rows = await this.database.read((db) => {
      const all = db.selectFrom('documents').select('problem').where('problem', 'is not', null)
      return (kind === undefined ? all : all.where('kind', '=', kind)).execute()
    })
    const problems = rows.flatMap(({ problem }) => (problem === null ? [] : (JSON.parse(problem) as Problem)))
    return problems.sort((a, b) => (a.file < b.file ? -1 : 1))
  }

  changes(after: Cursor | undefined, limit: number): Promise<Feed> {
    return this.#feed.reader.changes(after, limit)
  }

  subscribe(listener: () => void): Unsubscribe {
    return this.#feed.reader.subscribe(listener)
  }

  health(): Promise<Health> {
    return this.#checkup.report()
  }

  async close(): Promise<void> {
    await this.#writer.idle()
    await this.#editing.close()
    await this.#listener?.close()
    this.#feed.reader.close()
    await this.database.close()
  }
}

function sumOf<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((sum, one) => sum + of(one), 0)
}
