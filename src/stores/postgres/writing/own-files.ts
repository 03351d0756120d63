import { sql, type Transaction } from 'kysely'
import { folderOf } from '#core/attachments.ts'
import { idToPath } from '#core/key.ts'
import { Conflict } from '#lib/errors.ts'
import { type Along, goesAlong } from '#stores/engine/along.ts'
import type { Kept } from '../documents/rows.ts'
import type { Tables } from '../tables.ts'

/** The most files that go with one record. */
const MOST = 1_000

/**
 * Finds the files in the folders of records that go with them where they are moved, by the folder and their paths from there.
 * Throws Conflict where there are over a thousand.
 */
export async function ownFiles(trx: Transaction<Tables>, records: readonly Kept[]): Promise<Map<string, string[]>> {
  const own = new Map<string, string[]>()
  for (const { key, head } of records) {
    if (!head.hasFolder) continue
    const folder = folderOf(head)
    const files = await trx
      .selectFrom('site_files')
      .select('path')
      .where('area', '=', 'content')
      .where('path', '>', `${folder}/`)
      // `0` is the character behind the slash.
      .where('path', '<', `${folder}0`)
      .orderBy('path')
      .limit(MOST + 1)
      .execute()
    if (files.length > MOST) {
      const message = `The folder of this record has more than ${MOST.toLocaleString('en')} files.`
      throw new Conflict(message, undefined, 'Move them to records of their own.')
    }
    if (files.length === 0) continue
    const { rows } = await sql<{ id: string }>`select id from documents
      where kind = ${key.kind} and starts_with(id, ${`${key.id}~`})`.execute(trx)
    const others = new Set(rows.map(({ id }) => idToPath(id.slice(key.id.length + 1))))
    const names = files.map(({ path }) => path.slice(folder.length + 1))
    own.set(
      folder,
      names.filter((name) => goesAlong(name, (one) => others.has(one))),
    )
  }
  return own
}

/** Gives files the paths of the records that they go along with; one stays where another has its path. */
export async function takeAlong(trx: Transaction<Tables>, files: readonly Along[]): Promise<void> {
  if (files.length === 0) return
  const [from, to] = [files.map((file) => file.from), files.map((file) => file.to)]
  await sql`update site_files f set path = moved.next from unnest(${from}::text[], ${to}::text[]) as moved (path, next)
    where f.area = 'content' and f.path = moved.path collate "C"
      and not exists (select 1 from site_files o where o.area = 'content' and o.path = moved.next collate "C")`.execute(trx)
}
