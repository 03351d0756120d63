import { createHash } from 'node:crypto'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** What a statement begins with whose text is always the same and which is asked all the time: the database then reads and plans it once a connection. */
const MARK = '/* prepared */'

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
      const query = (text: string, values: readonly unknown[]) =>
        client.query({ text, values: [...values], ...(text.startsWith(MARK) && { name: nameOf(text) }) })
      // Cursors, the other form of a query, are asked for by streams alone.
      const made = { query: query as unknown as PostgresPoolClient['query'], release: () => client.release() }
      clients.set(client, made)
      return made
    },
    end: () => pool.end(),
  }
}
