import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/**
 * The beginning of a statement that is used all the time with the same text. The database then reads and plans it once for each
 * connection.
 */
const MARK = '/* prepared */'

/**
 * Time in milliseconds to wait for an answer: longer than the database itself lets a statement take. If the other side went away
 * without notice, with its machine or its network, the wait would otherwise last as long as the system goes on sending: a quarter
 * of an hour.
 */
const ANSWER_MS = 31_000
const PREPARED_ANSWER_MS = 10_000

/** The pool as kysely takes it, where statements that are marked (`sql\`/* prepared *\/ select …\``) are prepared. */
export function preparing(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const names = new Map<string, string>()
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? createHash('sha256').update(text).digest('hex').slice(0, 32)
    names.set(text, name)
    return name
  }
  return {
    async connect() {
      const client = await pool.connect()
      const known = clients.get(client)
      if (known) return known
      const query = async (text: string, values: readonly unknown[]) => {
        const isPrepared = text.startsWith(MARK)
        const timer = setTimeout(() => cut(client), isPrepared ? PREPARED_ANSWER_MS : ANSWER_MS)
        try {
          return await client.query({ text, values: [...values], ...(isPrepared && { name: nameOf(text) }) })
        } finally {
          clearTimeout(timer)
        }
      }
      // Cursors, the other form of a query, are asked for by streams alone.
      const made = { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() }
      clients.set(client, made)
      return made
    },
    end: () => pool.end(),
  }
}

/** Ends a connection in the middle of a query, which then fails like a lost one. The pool drops it when it is released. */
function cut(client: pg.PoolClient): void {
  ;(client as unknown as pg.Client).end().catch(() => undefined)
}
