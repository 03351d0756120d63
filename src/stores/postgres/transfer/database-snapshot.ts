import { type ControlledTransaction, type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import { failureOf } from '../failures.ts'
import type { Tables } from '../tables.ts'

/** A database as it is at one moment: all that is asked sees that, whatever is written meanwhile. */
export class DatabaseSnapshot {
  readonly #trx: ControlledTransaction<Tables>

  private constructor(trx: ControlledTransaction<Tables>) {
    this.#trx = trx
  }

  static async open(database: Database): Promise<DatabaseSnapshot> {
    const trx = await database.read((db) =>
      db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(),
    )
    const snapshot = new DatabaseSnapshot(trx)
    // Between two questions what was answered is written elsewhere, which may take its time.
    await snapshot.read((db) => sql`set local idle_in_transaction_session_timeout = 0`.execute(db))
    return snapshot
  }

  async read<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    try {
      return await work(this.#trx)
    } catch (error) {
      throw failureOf(error)
    }
  }

  async close(): Promise<void> {
    await this.#trx
      .rollback()
      .execute()
      .catch(() => undefined)
  }
}
