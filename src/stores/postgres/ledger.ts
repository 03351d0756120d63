import { sql } from 'kysely'
import type { Count, Fact, Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { Database } from './database.ts'

/** After how many written facts those that have ended are looked for, and how many are removed then: more than can have come. */
const SWEEP_EVERY = 100
const SWEPT = 500

/** Milliseconds after which a process that writes little looks for them, too: nobody is to find them there. */
const SWEEP_AFTER = 3_600_000

/** Number of facts that are read at once. */
const PAGE = 500

/** A ledger in a table: each call is one statement. What has ended is removed by and by, by those who write. */
export class PostgresLedger implements Ledger {
  readonly #database: Database
  readonly #clock: Clock
  #written = 0
  #sweepAt = 0
  #sweeping: Promise<void> | undefined

  /** The database is opened and closed by who gives it. */
  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async put(name: string, value: Json, ttl: number): Promise<void> {
    const until = this.#end(ttl)
    await this.#database.run((db) =>
      sql`insert into ledger (name, value, until) values (${name}, ${JSON.stringify(value)}, ${until})
        on conflict (name) do update set value = excluded.value, until = excluded.until`.execute(db),
    )
    this.#sweep(1)
  }

  async take(name: string): Promise<Json | undefined> {
    const now = this.#clock.now()
    const gone = await this.#database.run((db) =>
      db.deleteFrom('ledger').where('name', '=', name).returning(['value', 'until']).executeTakeFirst(),
    )
    return gone && gone.until > now ? JSON.parse(gone.value) : undefined
  }

  async add(name: string, n: number, ttl: number): Promise<number> {
    const [sum = n] = await this.addAll([{ name, n }], ttl)
    return sum
  }

  async addAll(counts: readonly Count[], ttl: number): Promise<number[]> {
    if (counts.length === 0) return []
    const [now, until] = [this.#clock.now(), this.#end(ttl)]
    // In the order of their names: nodes that add to the same counters at once wait for one another, and never both.
    const added = await this.#database.run((db) =>
      sql<{ name: string; value: string }>`insert into ledger as had (name, value, until)
        select name, n::text, ${until}
        from unnest(${counts.map(({ name }) => name)}::text[], ${counts.map(({ n }) => n)}::float8[]) as adding (name, n)
        order by name collate "C"
        on conflict (name) do update set
          value = case when had.until > ${now} and had.value ~ '^-?[0-9]'
            then (had.value::float8 + excluded.value::float8)::text else excluded.value end,
          until = case when had.until > ${now} then had.until else excluded.until end
        returning name, value`.execute(db),
    )
    this.#sweep(counts.length)
    const sums = new Map(added.rows.map(({ name, value }) => [name, Number(value)]))
    return counts.map(({ name, n }) => sums.get(name) ?? n)
  }

  async peek(name: string): Promise<Json | undefined> {
    const now = this.#clock.now()
    const found = await this.#database.read((db) =>
      db.selectFrom('ledger').select('value').where('name', '=', name).where('until', '>', now).executeTakeFirst(),
    )
    return found && JSON.parse(found.value)
  }

  async *facts(): AsyncGenerator<Fact> {
    for (let page = await this.#page(''); page.length > 0; page = await this.#page(page.at(-1)?.name ?? '')) {
      for (const { name, value, until } of page) yield { name, value: JSON.parse(value), until }
    }
  }

  async close(): Promise<void> {
    await this.#sweeping
  }

  #page(after: string): Promise<{ name: string; value: string; until: number }[]> {
    const now = this.#clock.now()
    return this.#database.read((db) =>
      db
        .selectFrom('ledger')
        .selectAll()
        .where('name', '>', after)
        .where('until', '>', now)
        .orderBy('name')
        .limit(PAGE)
        .execute(),
    )
  }

  #end(ttl: number): number {
    return Math.ceil(this.#clock.now() + ttl)
  }

  /** Nobody waits for it, and what fails of it is done another time. */
  #sweep(written: number): void {
    this.#written += written
    const now = this.#clock.now()
    if ((this.#written < SWEEP_EVERY && now < this.#sweepAt) || this.#sweeping) return
    const most = SWEPT + this.#written
    this.#written = 0
    this.#sweepAt = now + SWEEP_AFTER
    this.#sweeping = this.#database
      .run((db) =>
        sql`delete from ledger where until <= ${now} and name in
          (select name from ledger where until <= ${now} order by until limit ${most} for update skip locked)`.execute(db),
      )
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#sweeping = undefined
      })
  }
}
