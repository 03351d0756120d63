import { sql, type Transaction } from 'kysely'
import { idToPath, type Key } from '#core/key.ts'
import { isAttachmentName, ownFolderOf } from '#core/media/attachments.ts'
import { Conflict } from '#lib/errors.ts'
import { type Along, type GoingFolder, type GoneFile, goesAway, MOST_ALONG, tooManyAlong } from '#stores/engine/along.ts'
import type { DocumentRow, Rows } from '../documents/rows.ts'
import type { Tables } from '../tables.ts'

/** Number of files that are looked at in one step. */
const AT_ONCE = 1_000

/**
 * Finds the files that go with a record whose folder becomes another, or which is removed. Throws Conflict where there are over a
 * thousand, or another file is in the way of one.
 */
export async function goingFiles(
  trx: Transaction<Tables>,
  rows: Rows,
  key: Key,
  { from: folder, to: next }: GoingFolder,
): Promise<Along[]> {
  const own = await ownNames(trx, rows, key, folder)
  if (next === undefined) return own.map((name) => ({ from: `${folder}/${name}` }))
  const along = own.filter(isAttachmentName).map((name) => ({ from: `${folder}/${name}`, to: `${next}/${name}` }))
  const [taken] = await thoseThere(
    trx,
    along.map(({ to }) => to),
  )
  if (taken !== undefined) throw new Conflict(`"${taken}" is in the way.`)
  return along
}

/** Finds the files in a folder that are those of the record which has it for its own, or would have. As `goingFiles` throws. */
export async function ownFiles(trx: Transaction<Tables>, rows: Rows, key: Key, folder: string): Promise<string[]> {
  return (await ownNames(trx, rows, key, folder)).map((name) => `${folder}/${name}`)
}

/** The files in a record's folder that are its own, from there: those of records in it may be any number. */
async function ownNames(trx: Transaction<Tables>, rows: Rows, key: Key, folder: string): Promise<string[]> {
  const own: string[] = []
  for (let part = await filesIn(trx, folder, `${folder}/`); part.length > 0; ) {
    const names = part.map((path) => path.slice(folder.length + 1))
    const owners = await ownersAbove(trx, rows, key, names)
    own.push(...names.filter((name) => goesAway(name, (one) => owners.has(one))))
    if (own.length > MOST_ALONG) throw tooManyAlong('Move them to records of their own.')
    part = part.length < AT_ONCE ? [] : await filesIn(trx, folder, part.at(-1) ?? '')
  }
  return own
}

async function filesIn(trx: Transaction<Tables>, folder: string, after: string): Promise<string[]> {
  const files = await trx
    .selectFrom('site_files')
    .select('path')
    .where('area', '=', 'content')
    .where('path', '>', after)
    // `0` is the character behind the slash.
    .where('path', '<', `${folder}0`)
    .orderBy('path')
    .limit(AT_ONCE)
    .execute()
  return files.map(({ path }) => path)
}

/** The folders above files in the folder of a record that are those of other records. */
async function ownersAbove(
  trx: Transaction<Tables>,
  rows: Rows,
  { kind, id }: Key,
  names: readonly string[],
): Promise<Set<string>> {
  const ids = new Set(names.flatMap((name) => foldersOf(name)).map((folder) => `${id}~${folder.replaceAll('/', '~')}`))
  if (ids.size === 0) return new Set()
  const { rows: found } = await sql<DocumentRow & { shape: string }>`
    select d.kind, d.id, d.file, d.version, d.head, d.problem, d.shape, d.created_at, d.updated_at, d.bytes
    from documents d where d.kind = ${kind} and d.id = any(${[...ids]}::text[])`.execute(trx)
  const owners = found.filter((row) => ownFolderOf(rows.kept(row).head) !== undefined)
  return new Set(owners.map((row) => idToPath(row.id.slice(id.length + 1))))
}

function foldersOf(name: string): string[] {
  const segments = name.split('/').slice(0, -1)
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}

async function thoseThere(trx: Transaction<Tables>, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return []
  const { rows } = await sql<{ path: string }>`select path from site_files
    where area = 'content' and path = any(${paths}::text[]) order by path limit 1`.execute(trx)
  return rows.map(({ path }) => path)
}

/** Gives files the paths of the records that they go along with, which are free (`goingFiles`). */
export async function takeAlong(trx: Transaction<Tables>, files: readonly Along[]): Promise<void> {
  const moved = files.flatMap(({ from, to }) => (to === undefined ? [] : [{ from, to }]))
  if (moved.length === 0) return
  const [from, to] = [moved.map((file) => file.from), moved.map((file) => file.to)]
  await sql`update site_files f set path = moved.next from unnest(${from}::text[], ${to}::text[]) as moved (path, next)
    where f.area = 'content' and f.path = moved.path collate "C"`.execute(trx)
}

/** Takes away the files of records that are removed. Their bytes are swept later, as those of other blobs that nobody names. */
export async function takeAway(trx: Transaction<Tables>, files: readonly GoneFile[]): Promise<void> {
  if (files.length === 0) return
  const paths = files.map(({ from }) => from)
  await sql`delete from site_files where area = 'content' and path = any(${paths}::text[])`.execute(trx)
}
