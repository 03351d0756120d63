import { type Selectable, sql, type Transaction } from 'kysely'
import type { KnownDates } from '#core/dates.ts'
import { isPrivate, type Key, keyText } from '#core/key.ts'
import type { Change, Claim } from '#core/store.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { goingFolder } from '#stores/engine/along.ts'
import type { BatchContext } from '#stores/engine/drafts.ts'
import { newFile } from '#stores/engine/new-file.ts'
import { factName, stored } from '../browsing/facts.ts'
import { type DocumentRow, type Kept, pathOf, type Rows } from '../documents/rows.ts'
import { chainOf } from '../history/chain.ts'
import type { DocumentTable, Tables } from '../tables.ts'
import { BesideRows } from './beside.ts'
import { goingFiles, ownFiles } from './own-files.ts'

/** The histories of the records that a group of batches touches, by the texts of their keys. */
export interface Histories {
  /** The number of each record's last revision. */
  readonly lasts: ReadonlyMap<string, number>
  /** The dates of each record. Of those that were removed, the creation alone. */
  readonly dates: ReadonlyMap<string, KnownDates>
}

/** All that a group of batches can touch, as the database has it. */
export interface Survey {
  readonly context: BatchContext
  readonly histories: Histories
  /** The rows of the documents that are there, by the texts of their keys. */
  readonly docs: ReadonlyMap<string, number>
  readonly beside: BesideRows
}

type PlacedRow = DocumentRow & Pick<Selectable<DocumentTable>, 'doc' | 'shape'>

/** Reads all that a group of batches can touch. The caller holds the lock on the site, so that it stays as it is read. */
export async function survey(trx: Transaction<Tables>, rows: Rows, changes: readonly Change[]): Promise<Survey> {
  const keys = new Map(changes.flatMap((change) => keysOf(change)).map((key) => [keyText(key), key]))
  const { docs, documents, twins } = await there(trx, rows, [...keys.values()])
  const held = await holders(trx, changes)
  const beside = await BesideRows.read(trx, [...keys.values()])
  const last = await lasts(trx, [...keys.values()])
  const dates = new Map([...documents].map(([text, { dates }]) => [text, dates]))
  for (const [text, key] of keys) if (last.has(text) && !dates.has(text)) dates.set(text, await firstOf(trx, key))
  const context: BatchContext = {
    document: (key) => {
      const found = documents.get(keyText(key))
      return found && { ...found, beside: beside.at(key.kind, found.file) }
    },
    twins: (key) => [...(twins.get(twinText(key)) ?? [])],
    holders: (kind, claim) => held.get(claimText(kind, claim)) ?? [],
    fileFor: (key, former, was) => {
      const file = newFile(key, former, was)
      if (was && !documents.has(keyText(key))) beside.mustBeFree(key.kind, file)
      return file
    },
    placed: async (_kind, _file, bytes) => bytes,
    beside: (kind, file) => beside.at(kind, file),
    // Those that come stay blobs.
    given: async () => undefined,
    along: async (document, file) => {
      const folder = goingFolder(document, file)
      return folder ? goingFiles(trx, rows, document.key, folder) : []
    },
    others: (key, folder) => ownFiles(trx, rows, key, folder),
    back: async () => [],
    shape: (kind) => rows.shapes.of(kind),
    path: (kind, file) => pathOf({ kind, file }),
  }
  return { context, histories: { lasts: last, dates }, docs, beside }
}

/** Returns a text that is the same for ids that differ only in case. */
function twinText({ kind, id }: Pick<Key, 'kind' | 'id'>): string {
  return `${kind}/${id.toLowerCase()}`
}

/** One string for a claim on the documents of a kind. */
function claimText(kind: string, { field, value }: Claim): string {
  return JSON.stringify([kind, field, value])
}

function keysOf(change: Change): Key[] {
  return 'from' in change && change.from ? [change.key, change.from] : [change.key]
}

/** The documents themselves, and the ids that differ from theirs only in case. */
async function there(trx: Transaction<Tables>, rows: Rows, keys: readonly Key[]) {
  const wanted = new Set(keys.map(keyText))
  const { rows: all } = await sql<PlacedRow>`/* prepared */
    select d.doc, d.kind, d.id, d.file, d.version, d.head, d.problem, d.shape, d.created_at, d.updated_at,
      case when (d.kind, d.id) in (select * from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::text[]))
        then d.bytes else '' end as bytes
    from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id.toLowerCase())}::text[]) as wanted (kind, folded)
    join documents d on d.kind = wanted.kind and d.folded = wanted.folded`.execute(trx)
  const docs = new Map<string, number>()
  const documents = new Map<string, Kept>()
  const twins = new Map<string, Set<string>>()
  const slices = new Slices()
  for (const row of all) {
    if (slices.isOver) await slices.pause()
    const text = `${row.kind}/${row.id}`
    twins.set(twinText(row), (twins.get(twinText(row)) ?? new Set()).add(text))
    if (!wanted.has(text) || docs.has(text)) continue
    docs.set(text, row.doc)
    documents.set(text, rows.kept(row))
  }
  return { docs, documents, twins }
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
    const ids = held.get(text)
    if (ids) ids.push(id)
    else held.set(text, [id])
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

async function firstOf(trx: Transaction<Tables>, key: Key): Promise<KnownDates> {
  const first = (await chainOf(trx, key)).at(-1)?.revision
  return first && !first.isEnd ? { createdAt: first.at } : {}
}
