import { sql } from 'kysely'
import type { Health } from '#core/store.ts'
import { Failure } from '#lib/errors.ts'
import type { Committed } from '#stores/engine/group-commit.ts'
import type { Database } from './database.ts'

interface Counted {
  readonly documents: number
  readonly unreadable: number
  readonly moved_to: string | null
  readonly arriving: string | null
}

/** The health of the database, for /readyz and for operators. */
export class Checkup {
  readonly #database: Database
  readonly #isListening: () => boolean | undefined
  readonly #writer: { readonly committed: Committed }

  /** `isListening` is undefined where other nodes are not listened to. */
  constructor(database: Database, writer: { readonly committed: Committed }, isListening: () => boolean | undefined) {
    this.#database = database
    this.#writer = writer
    this.#isListening = isListening
  }

  /** As `Store.health`; never throws. */
  async report(): Promise<Health> {
    try {
      const { rows } = await this.#database.read((db) =>
        sql<Counted>`select (select count(*) from documents) as documents,
          (select count(*) from documents where problem is not null and not readable) as unreadable, moved_to, arriving from site`.execute(
          db,
        ),
      )
      return this.#health(rows[0])
    } catch (error) {
      const problem = error instanceof Failure ? error.message : 'The database can’t be asked.'
      return { ok: false, problems: [problem], details: {} }
    }
  }

  #health(found: Counted | undefined): Health {
    const isListening = this.#isListening()
    const details = {
      documents: found?.documents ?? 0,
      unreadable: found?.unreadable ?? 0,
      writes: { ...this.#writer.committed },
      connections: this.#database.connections,
      ...(isListening !== undefined && { listening: isListening }),
    }
    const problems =
      isListening === false
        ? ['Other nodes’ writes are not heard of at once: the connection to listen on is being made again.']
        : []
    const readOnly =
      found?.arriving != null
        ? 'A site is being moved into this database.'
        : found?.moved_to != null
          ? 'The site was moved.'
          : undefined
    return { ok: true, problems, ...(readOnly && { readOnly }), details }
  }
}
