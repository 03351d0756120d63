import type { Kysely } from 'kysely'
import type { Document } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Rows } from '../documents/rows.ts'
import { chainOf } from '../history/chain.ts'
import type { Tables } from '../tables.ts'

/** Time in milliseconds that requests to be done once are remembered. */
export const REMEMBERED = 86_400_000

/**
 * Returns the documents that writes requested under these names have made, as they were then. Names whose write was not done are
 * left out.
 */
export async function doneOnce(
  db: Kysely<Tables>,
  rows: Rows,
  names: readonly string[],
  now: number,
): Promise<Map<string, Document[]>> {
  const done = new Map<string, Document[]>()
  if (names.length === 0) return done
  const found = await db
    .selectFrom('once')
    .innerJoin('revisions', 'revisions.place', 'once.place')
    .select(['once.once', 'revisions.kind', 'revisions.id', 'revisions.file', 'revisions.bytes', 'revisions.at', 'once.place'])
    .where('once.once', 'in', [...names])
    .where('once.at', '>', now - REMEMBERED)
    .execute()
  for (const { once, kind, id, file, bytes, at, place } of found) {
    const key = keyOf(kind, id)
    const first = (await chainOf(db, key, place + 1)).at(-1)?.revision
    const dates = { ...(first && !first.isEnd && { createdAt: first.at }), updatedAt: at }
    const document = bytes && rows.documentOf({ key, file, bytes, dates })
    const documents = done.get(once) ?? []
    if (document) documents.push(document)
    done.set(once, documents)
  }
  return done
}
