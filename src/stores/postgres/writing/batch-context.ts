import { setImmediate } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { factName, stored } from '../browsing/facts.ts'
import type { DocumentRow, Rows } from '../documents/rows.ts'
import { chainOf } from '../history/chain.ts'
import type { Tables } from '../tables.ts'
import { type BatchContext, claimText, type Draft, twinText } from './plan.ts'

/** The context of a group of batches, and the histories of the records that they touch, by the texts of their keys. */
export interface Survey extends BatchContext {
  /** The number of each record's last revision. */
  readonly lasts: ReadonlyMap<string, number>
  /** The creation date of each record, including those that were removed. Undefined if its history does not go back so far. */
  readonly firsts: ReadonlyMap<string, string | undefined>
}

/** Number of documents that are read before other work may run. */
const AT_ONCE = 64

/** Reads all that a group of batches can touch. The caller holds the lock on the site, so that it stays as it is read. */
export async function survey(trx: Transaction<Tables>, rows: Rows, changes: readonly Change[]): Promise<Survey> {
  const keys = new Map(changes.flatMap((change) => keysOf(change)).map((key) => [keyText(key), key]))
  const { documents, twins } = await there(trx, rows, [...keys.values()])
  const last = await lasts(trx, [...keys.values()])
  const firsts = new Map([...documents].map(([text, { createdAt }]) => [text, createdAt]))
  for (const [text, key] of keys) if (last.has(text) && !firsts.has(text)) firsts.set(text, await firstOf(trx, key))
  return { documents, twins, holders: await holders(trx, changes), lasts: last, firsts }
}

function keysOf(change: Change): Key[] {
  return 'from' in change && change.from ? [change.key, change.from] : [change.key]
}

/** The documents themselves, and the ids that differ from theirs only in case. */
async function there(trx: Transaction<Tables>, rows: Rows, keys: readonly Key[]) {
  const wanted = new Set(keys.map(keyText))
  const { rows: found } = await sql<DocumentRow & { doc: number }>`/* prepared */
    select d.doc, d.kind, d.id, d.file, d.version, d.head, d.problem, d.created_at, d.updated_at,
      case when (d.kind, d.id) in (select * from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::text[]))
        then d.bytes else '' end as bytes
    from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id.toLowerCase())}::text[]) as wanted (kind, folded)
    join documents d on d.kind = wanted.kind and d.folded = wanted.folded`.execute(trx)
  const documents = new Map<string, Draft>()
  const twins = new Map<string, string[]>()
  for (const [at, row] of found.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await setImmediate()
    const text = `${row.kind}/${row.id}`
    const same = twins.get(twinText(row)) ?? []
    if (!same.includes(row.id)) twins.set(twinText(row), [...same, row.id])
    if (wanted.has(text) && !documents.has(text)) documents.set(text, draftOf(rows, row))
  }
  return { documents, twins }
}

function draftOf(rows: Rows, row: DocumentRow & { doc: number }): Draft {
  const bytes = rows.bytes(row)
  const { key } = rows.head(row)
  const head = rows.read(key, row.file, bytes)
  const dates = { createdAt: row.created_at ?? undefined, updatedAt: row.updated_at ?? undefined }
  return { key, doc: row.doc, file: row.file, bytes, head, ...dates }
}

/** Finds the documents that hold the values of the claims. */
async function holders(trx: Transaction<Tables>, changes: readonly Change[]): Promise<Map<string, string[]>> {
  const claims = changes.flatMap((change) =>
    'put' in change ? (change.unique ?? []).map((claim) => ({ kind: change.key.kind, ...claim })) : [],
  )
  const held = new Map<string, string[]>()
  if (claims.length === 0) return held
  const { rows } = await sql<{ nth: number; id: string }>`/* prepared */
    select wanted.nth::int as nth, d.id
    from unnest(${claims.map(({ kind }) => kind)}::text[], ${claims.map(({ field }) => factName(field))}::text[],
      ${claims.map(({ value }) => stored(value))}::text[]) with ordinality as wanted (kind, field, value, nth)
    join facts f on f.kind = wanted.kind and f.field = wanted.field and f.text = left(wanted.value, 201)
      and coalesce(f.whole, f.text) = wanted.value
    join documents d on d.doc = f.doc and d.readable`.execute(trx)
  for (const { nth, id } of rows) {
    const claim = claims[nth - 1]
    if (!claim) continue
    const text = claimText(claim.kind, claim)
    held.set(text, [...(held.get(text) ?? []), id])
  }
  return held
}

async function lasts(trx: Transaction<Tables>, keys: readonly Key[]): Promise<Map<string, number>> {
  const content = keys.filter(({ kind }) => !isPrivate(kind))
  if (content.length === 0) return new Map()
  const { rows } = await sql<{ kind: string; id: string; number: number }>`/* prepared */
    select r.kind, r.id, max(r.number) as number
    from unnest(${content.map(({ kind }) => kind)}::text[], ${content.map(({ id }) => id)}::text[]) as wanted (kind, id)
    join revisions r on r.kind = wanted.kind and r.id = wanted.id
    group by r.kind, r.id`.execute(trx)
  return new Map(rows.map(({ kind, id, number }) => [`${kind}/${id}`, number]))
}

async function firstOf(trx: Transaction<Tables>, key: Key): Promise<string | undefined> {
  const first = (await chainOf(trx, key)).at(-1)?.revision
  return first?.isEnd ? undefined : first?.at
}
