import { type ControlledTransaction, Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { BadConfig, Failure, Unavailable } from '#lib/errors.ts'
import { type Address, addressOf } from './address.ts'
import { failureOf, isLost, isRefused } from './failures.ts'
import { type Mark, Marks, wasKept } from './marks.ts'
import { migrate } from './migrations.ts'
import { preparing } from './prepared.ts'
import type { SiteTable, Tables } from './tables.ts'

/**
 * Limits, in milliseconds: on the way to a connection, on a statement, on the wait for another's lock, on a transaction that
 * nothing comes of.
 */
const CONNECT_MS = 5_000
const STATEMENT_MS = 30_000
const LOCK_MS = 8_000
const IDLE_MS = 5_000

/** Largest number of connections of a node, not counting the one that listens. */
const CONNECTIONS = 10

/** `int8` as a number: what we keep in one stays below 2^53. */
const INT8 = 20

/** The oldest PostgreSQL that will do, as `server_version_num` has it. */
const OLDEST = 140_000

/** The site's row as a writer finds it, and what names its transaction. */
export type SiteState = SiteTable & { readonly transaction: string }

/** A site's database: connections, and the way to ask with them. Every method throws Unavailable while the database is away. */
export class Database {
  readonly schema: string
  readonly #pool: pg.Pool
  readonly #config: pg.PoolConfig
  readonly #kysely: Kysely<Tables>
  #isClosed = false
  readonly #marks = new Marks()

  /** Opens a database and brings its tables up to date. Throws BadConfig where it can't serve. */
  static async open(url: string): Promise<Database> {
    const database = new Database(addressOf(url))
    try {
      await database.#check()
      await migrate(database.schema, (work) => database.transaction(work))
      return database
    } catch (error) {
      await database.close()
      throw error
    }
  }

  private constructor({ schema, url }: Address) {
    const { plain, options } = sessionOf(url)
    this.schema = schema
    this.#config = {
      connectionString: plain,
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // A machine that is gone without a word is found out in seconds, not in the hours that systems wait.
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'quire',
      options: [
        options,
        `-c search_path=${schema}`,
        `-c statement_timeout=${STATEMENT_MS}`,
        `-c lock_timeout=${LOCK_MS}`,
        `-c idle_in_transaction_session_timeout=${IDLE_MS}`,
        '-c synchronous_commit=on',
        // Planning a list takes less than compiling it.
        '-c jit=off',
        '-c default_transaction_isolation=read\\ committed',
        '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3',
      ].join(' '),
      types: { getTypeParser: parserOf },
    }
    this.#pool = new pg.Pool(this.#config)
    // A connection that dies while nobody uses it is no failure of anyone's: the pool makes another.
    this.#pool.on('error', () => undefined)
    // A client that dies in use rejects its query; without a listener it would end the process as well.
    this.#pool.on('connect', (client) => void client.on('error', () => undefined))
    this.#kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparing(this.#pool) }) })
  }

  /** Asks something that changes nothing; where the connection is found to be lost, once more on another. */
  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      return await work(this.#kysely).catch((error: unknown) => {
        if (!isLost(error)) throw error
        return work(this.#kysely)
      })
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** A statement that stands alone and changes something. It is not tried again: whether it was done can't be known. */
  async run<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      return await work(this.#kysely)
    } catch (error) {
      throw this.#failure(error)
    }
  }

  /** Runs a transaction without the lock on the site: all of it is done or nothing. It is not tried again, as with `run`. */
  async transaction<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.run((db) => db.transaction().execute(work))
  }

  /**
   * Runs a transaction as the one writer of the site on all nodes; it is committed when this resolves. If the connection is lost
   * during the commit, the database is asked whether it was; the error says that this is not known only if the answer can't be
   * had in time.
   */
  async writing<T>(work: (trx: Transaction<Tables>, site: SiteState) => Promise<T>): Promise<T> {
    const mark = this.#marks.next()
    const { trx, site } = await this.#begin(mark).catch((error: unknown) => {
      this.#marks.over(mark)
      throw error
    })
    let result: T
    try {
      result = await work(trx, site)
    } catch (error) {
      await leave(trx)
      this.#marks.over(mark)
      throw this.#failure(error)
    }
    try {
      await trx.commit().execute()
    } catch (error) {
      await leave(trx)
      if (isRefused(error)) {
        this.#marks.over(mark)
        throw this.#failure(error)
      }
      const isKept = await wasKept(this.#kysely, mark, site.transaction)
      this.#marks.over(mark)
      if (!isKept) throw new Unavailable('The database went away before this was saved; try again.', 2)
      return result
    }
    this.#marks.over(mark)
    return result
  }

  /** A transaction that holds the lock on the site. What is lost before anything was asked is begun once more. */
  async #begin(mark: Mark): Promise<{ trx: ControlledTransaction<Tables>; site: SiteState }> {
    return this.read(async (db) => {
      const trx = await db.startTransaction().execute()
      try {
        const { rows } = await sql<SiteState>`/* prepared */
          with mark as (insert into marks (slot, nth) values (${mark.slot}, ${mark.nth}) on conflict (slot) do update set nth = excluded.nth, at = now())
          select name, place, moved_to, arriving, pg_current_xact_id()::text as transaction from site for update`.execute(trx)
        const [site] = rows
        if (!site) throw new Error('The table of the site is empty.')
        return { trx, site }
      } catch (error) {
        await leave(trx)
        throw error
      }
    })
  }

  /** Returns a connection beside the pool, to listen with. The caller connects and ends it. */
  client(): pg.Client {
    return new pg.Client({ ...this.#config, statement_timeout: STATEMENT_MS })
  }

  /** Number of open connections, and number of queries that wait for one. */
  get connections(): { readonly open: number; readonly waiting: number } {
    return { open: this.#pool.totalCount, waiting: this.#pool.waitingCount }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#kysely.destroy()
  }

  /** Says of what was under way when the database was closed that it is being closed, and not how that shows. */
  #failure(error: unknown): unknown {
    return this.#isClosed && !(error instanceof Failure) ? new Unavailable('The server is being stopped.', 1) : failureOf(error)
  }

  async #check(): Promise<void> {
    // Not retried: there was no connection before that could have been lost, and the start waits for it.
    const found = await this.run((db) =>
      sql<{ version: string; encoding: string; path: string }>`
        select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
          current_setting('search_path') as path`.execute(db),
    )
    const { version = '0', encoding = '', path = '' } = found.rows[0] ?? {}
    if (Number(version) < OLDEST)
      throw new BadConfig('The database is older than PostgreSQL 14.', undefined, 'Take PostgreSQL 14 or newer.')
    if (encoding !== 'UTF8') {
      throw new BadConfig(
        `The database is in ${encoding}, not in UTF8.`,
        undefined,
        'Make one with `createdb --encoding=UTF8 --template=template0`.',
      )
    }
    // Without them the tables are in a schema that other sites share, and no time-out holds.
    if (path !== this.schema) {
      throw new BadConfig(
        'The connection did not get the options that it begins with: a pooler keeps them back.',
        undefined,
        'Name PostgreSQL itself in storage.url (DATABASE_URL), and not PgBouncer or its like.',
      )
    }
  }
}

/**
 * The address without what it says a session begins with (`?options=-c name=value`), which in it would take the place of all that
 * we say.
 */
function sessionOf(address: string): { plain: string; options: string } {
  const url = new URL(address)
  const options = url.searchParams.get('options') ?? ''
  url.searchParams.delete('options')
  return { plain: url.href, options }
}

/** Gives up a transaction and its connection, whatever has become of them. */
async function leave(trx: ControlledTransaction<Tables>): Promise<void> {
  await trx
    .rollback()
    .execute()
    .catch(() => undefined)
}

function parserOf(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8) return Number
  return pg.types.getTypeParser(oid, format as 'text')
}
