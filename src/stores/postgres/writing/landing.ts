import { randomUUID } from 'node:crypto'
import { type Insertable, sql, type Transaction } from 'kysely'
import type { Author } from '#core/document.ts'
import type { Action } from '#core/history/revision.ts'
import { type Key, keyText } from '#core/key.ts'
import { factsOf } from '../browsing/facts.ts'
import { type Kept, mustFit, type Rows } from '../documents/rows.ts'
import type { Landed } from '../following/freshness.ts'
import type { ChangeTable, FactTable, RevisionTable, Tables } from '../tables.ts'

/** The effect of one write on one document, as its history keeps it. */
export interface Made {
  readonly key: Key
  readonly number: number
  /** RFC 3339 UTC with milliseconds. */
  readonly at: string
  readonly action: Action
  readonly file: string
  /** Absent where the document was removed. */
  readonly bytes?: Buffer
  readonly version?: string
  readonly movedFrom?: string
  readonly isEnd?: boolean
  /** See `ChangeTable.detail`. */
  readonly detail?: string
}

/** One write of content, as the history keeps it. */
export interface Written {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: Author
  readonly message: string
  readonly number?: number
  readonly action?: Action
  readonly request?: string
  /** The text of the key that a record was moved from. */
  readonly movedFrom?: string
  readonly once?: string
  readonly made: readonly Made[]
}

/**
 * The changes to be made in the database: writes in their order, the resulting documents, and the documents that changed
 * otherwise (private ones).
 */
export interface Landing {
  readonly writes: readonly Written[]
  readonly kept: readonly Kept[]
  /** Rows that go. */
  readonly gone: readonly number[]
  /** Changes that no history is kept of. */
  readonly silent: readonly { readonly key: Key; readonly removed: boolean }[]
}

/** Number of rows in one statement. A statement has at most 65,535 values, and making it keeps others waiting. */
const AT_ONCE = 250
/** Bytes of documents in one statement, from which on no other is added: they are put together before anything is sent. */
const BYTES_AT_ONCE = 8 * 1024 * 1024

/** The channel that nodes listen on, of the site with this name. */
export function channelOf(site: string): string {
  return `quire_${site.replaceAll('-', '')}`
}

/** Writes what was worked out into the tables. The caller holds the lock on the site, whose last sequence is `place`. */
export async function land(
  trx: Transaction<Tables>,
  rows: Rows,
  site: { name: string; place: number },
  landing: Landing,
): Promise<Landed> {
  const { writes, kept, gone, silent } = landing
  if (gone.length > 0) await sql`delete from documents where doc = any(${[...gone]}::bigint[])`.execute(trx)
  for (const part of parts(kept, ({ bytes }) => bytes.length)) await keep(trx, rows, part)
  const stamp = randomUUID()
  const sequence = await tell(trx, { ...site, stamp }, writes, silent)
  const { rows: before } = await sql<{ stamp: string | null }>`/* prepared */
    with told as (select pg_notify(${channelOf(site.name)}, ${String(sequence)}))
    update site set place = ${sequence} from told
    returning (select stamp from changes where place = ${site.place}) as stamp`.execute(trx)
  const end = { sequence: site.place, stamp: before[0]?.stamp ?? null }
  return { before: end, after: sequence === site.place ? end : { sequence, stamp } }
}

async function keep(trx: Transaction<Tables>, rows: Rows, kept: readonly Kept[]): Promise<void> {
  const found = await trx
    .insertInto('documents')
    .values(kept.map((one) => rows.row(one)))
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'id'])
        .doUpdateSet((eb) => Object.fromEntries(REPLACED.map((name) => [name, eb.ref(`excluded.${name}`)]))),
    )
    // Only of a row that was replaced, xmax is the transaction that did.
    .returning(['doc', 'kind', 'id', sql<boolean>`xmax <> 0`.as('existed')])
    .execute()
  const docs = new Map(found.map(({ doc, kind, id }) => [`${kind}/${id}`, doc]))
  const replaced = found.filter(({ existed }) => existed).map(({ doc }) => doc)
  if (replaced.length > 0) await sql`/* prepared */ delete from facts where doc = any(${replaced}::bigint[])`.execute(trx)
  await know(trx, rows, kept, docs)
}

const REPLACED = [
  'folded',
  'file',
  'bytes',
  'version',
  'head',
  'problem',
  'shape',
  'readable',
  'status',
  'published',
  'expires',
  'created_at',
  'updated_at',
] as const

/** The facts of documents, by the rows that hold them. */
async function know(
  trx: Transaction<Tables>,
  rows: Rows,
  kept: readonly Kept[],
  docs: ReadonlyMap<string, number>,
): Promise<void> {
  const facts: FactTable[] = []
  for (const one of kept) {
    const doc = docs.get(keyText(one.key))
    if (doc === undefined || rows.isSealed(one.key.kind)) continue
    for (const fact of factsOf(rows.listed(one))) facts.push({ doc, ...fact })
  }
  if (facts.length === 0) return
  const column = <K extends keyof FactTable>(name: K) => facts.map((fact) => fact[name])
  await sql`/* prepared */ insert into facts (doc, kind, field, nth, text, whole, number, instant, type, folded)
    select * from unnest(${column('doc')}::bigint[], ${column('kind')}::text[], ${column('field')}::text[], ${column('nth')}::int[], ${column('text')}::text[], ${column('whole')}::text[],
      ${column('number')}::float8[], ${column('instant')}::float8[], ${column('type')}::smallint[], ${column('folded')}::text[])`.execute(
    trx,
  )
}

/** Enters writes into the history, and all that changed into the feed; returns the last sequence. */
async function tell(
  trx: Transaction<Tables>,
  { place: last, stamp }: { readonly place: number; readonly stamp: string },
  writes: readonly Written[],
  silent: Landing['silent'],
): Promise<number> {
  let sequence = last
  const changes: ChangeTable[] = []
  const push = ({ kind, id }: Key, removed: boolean, detail: string | null = null) =>
    changes.push({ place: ++sequence, kind, id, removed, detail, stamp })
  const entered = writes.map((write) => ({
    write,
    place: sequence + 1,
    made: write.made.map((one) => push(one.key, one.bytes === undefined, one.detail)),
  }))
  for (const { key, removed } of silent) push(key, removed)
  for (const part of parts(entered)) {
    await trx
      .insertInto('writes')
      .values(part.map(({ write, place }) => writeRow(write, place)))
      .execute()
    const revisions = part.flatMap(({ write, place }) => write.made.map((one) => revisionRow(one, place)))
    for (const some of parts(revisions, ({ bytes }) => (bytes as Buffer | null)?.length ?? 0))
      await trx.insertInto('revisions').values(some).execute()
  }
  for (const part of parts(changes)) await trx.insertInto('changes').values(part).execute()
  const once = entered.flatMap(({ write, place }) =>
    write.once === undefined ? [] : [{ once: write.once, place, at: write.at }],
  )
  if (once.length > 0)
    await trx
      .insertInto('once')
      .values(once)
      // One that is there is too old to count, and not swept yet.
      .onConflict((conflict) =>
        conflict.column('once').doUpdateSet((eb) => ({ place: eb.ref('excluded.place'), at: eb.ref('excluded.at') })),
      )
      .execute()
  return sequence
}

function writeRow({ at, by, message, number, action, request, movedFrom }: Written, place: number) {
  const said = { number: number ?? null, action: action ?? null, request: request ?? null, moved_from: movedFrom ?? null }
  return { place, at, name: by.name, email: by.email, message, ...said }
}

function revisionRow(
  { key, movedFrom, isEnd, bytes, version, detail: _, ...made }: Made,
  place: number,
): Insertable<RevisionTable> {
  mustFit(key)
  const row = { ...made, kind: key.kind, id: key.id, place, moved_from: movedFrom ?? null, is_end: isEnd ?? false }
  return { ...row, version: version ?? null, bytes: bytes ?? null }
}

function* parts<T>(all: readonly T[], bytesOf: (one: T) => number = () => 0): Generator<T[]> {
  let part: T[] = []
  let bytes = 0
  for (const one of all) {
    part.push(one)
    bytes += bytesOf(one)
    if (part.length < AT_ONCE && bytes < BYTES_AT_ONCE) continue
    yield part
    part = []
    bytes = 0
  }
  if (part.length > 0) yield part
}
