import { type Kysely, sql } from 'kysely'
import { isPrivate, type Kind } from '#core/key.ts'
import type { Tables } from '../tables.ts'

/**
 * The kinds that a table has rows of, in code point order: found from one to the next by the table's key, however many rows there
 * are.
 */
async function kindsIn(db: Kysely<Tables>, table: 'documents' | 'revisions'): Promise<Kind[]> {
  const { rows } = await sql<{ kind: Kind | null }>`
    with recursive kinds as (
      select min(kind) as kind from ${sql.table(table)}
      union all
      select (select min(t.kind) from ${sql.table(table)} t where t.kind > kinds.kind) from kinds where kinds.kind is not null
    ) select kind from kinds where kind is not null`.execute(db)
  return rows.flatMap(({ kind }) => kind ?? [])
}

/** The kinds of all documents, private ones among them. */
export function kindsOfAll(db: Kysely<Tables>): Promise<Kind[]> {
  return kindsIn(db, 'documents')
}

/** The kinds of content there are documents of, or were. */
export async function kindsOfContent(db: Kysely<Tables>): Promise<Kind[]> {
  const kinds = new Set([...(await kindsIn(db, 'documents')), ...(await kindsIn(db, 'revisions'))])
  return [...kinds].filter((kind) => !isPrivate(kind)).sort()
}
