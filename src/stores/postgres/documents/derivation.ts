import { kindsOfAll } from '../browsing/kinds.ts'
import type { Database } from '../database.ts'
import { land } from '../writing/landing.ts'
import type { Rows } from './rows.ts'

/** Number of documents that are read anew in one transaction: other writers wait meanwhile. */
const AT_ONCE = 200

/**
 * Reads anew all documents that were kept under another configuration of their kind (other mapped names, statuses, time zone):
 * lists then go by what they say under this one. The bytes stay as they are. Each is read once, so that this ends where a node
 * with another configuration begins at the same moment.
 */
export async function deriveAnew(database: Database, rows: Rows): Promise<void> {
  for (const kind of await database.read((db) => kindsOfAll(db))) {
    const shape = rows.shapes.nameOf(kind)
    if (!(await isLeft(database, kind, shape))) continue
    for (let last: number | undefined = 0; last !== undefined; ) last = await deriveSome(database, rows, kind, last)
  }
}

async function isLeft(database: Database, kind: string, shape: string): Promise<boolean> {
  const found = await database.read((db) =>
    db
      .selectFrom('documents')
      .select('doc')
      .where('kind', '=', kind)
      .where((eb) => eb.or([eb('shape', '<', shape), eb('shape', '>', shape)]))
      .limit(1)
      .execute(),
  )
  return found.length > 0
}

/** Derives the next rows after `last`; returns the last of them, undefined if there is none. */
async function deriveSome(database: Database, rows: Rows, kind: string, last: number): Promise<number | undefined> {
  return database.writing(async (trx, site) => {
    const some = await trx
      .selectFrom('documents')
      .select(['doc', 'kind', 'id', 'file', 'bytes', 'version', 'head', 'problem', 'shape', 'created_at', 'updated_at'])
      .where('kind', '=', kind)
      .where('shape', '!=', rows.shapes.nameOf(kind))
      .where('doc', '>', last)
      .orderBy('doc')
      .limit(AT_ONCE)
      .execute()
    if (some.length === 0) return undefined
    const kept = some.map((row) => rows.kept(row))
    await land(trx, rows, site, { writes: [], kept, gone: [], silent: kept.map(({ key }) => ({ key, removed: false })) })
    return some.at(-1)?.doc
  })
}
