import { sql, type Transaction } from 'kysely'
import type { DocumentRow } from '../documents/rows.ts'
import type { Tables } from '../tables.ts'

/**
 * Largest number of documents read into the index in one transaction, and largest number of their bytes, unless a single one has
 * more.
 */
const MOST_DOCUMENTS = 200
const MOST_BYTES = 4 * 1024 * 1024

/** A document to be read. */
export type Source = DocumentRow & { readonly doc: number }

/** The next part of the work: documents as they are now, those that no longer exist, and the progress of the index with them. */
export interface Batch {
  readonly sources: readonly Source[]
  readonly gone: readonly { readonly kind: string; readonly id: string }[]
  readonly sequence: number
  readonly scanned: number | null
}

interface Sized {
  readonly doc: number | null
  readonly size: number | null
}

/**
 * Returns the next documents of a first full read: those after `scanned`. What changes meanwhile comes with the changes after
 * `sequence`.
 */
export async function nextDocuments(trx: Transaction<Tables>, sequence: number, scanned: number): Promise<Batch> {
  const { rows } = await sql<{ doc: number; size: number }>`
    select d.doc, octet_length(d.bytes) as size from documents d
    where d.doc > ${scanned} and d.readable and d.kind not like '.%' and d.kind not like '%/%'
    order by d.doc limit ${MOST_DOCUMENTS}`.execute(trx)
  const taken = fitting(rows)
  return { sources: await sourcesOf(trx, taken), gone: [], sequence, scanned: taken.at(-1)?.doc ?? null }
}

/** The next changes after `sequence`; undefined where some were let go, so that all must be read anew. */
export async function nextChanges(trx: Transaction<Tables>, sequence: number): Promise<Batch | undefined> {
  const { rows } = await sql<Sized & { place: number; kind: string; id: string }>`
    select c.place, c.kind, c.id, d.doc, octet_length(d.bytes) as size
    from (select place, kind, id from changes where place > ${sequence} order by place limit ${MOST_DOCUMENTS}) c
    left join documents d on d.kind = c.kind and d.id = c.id and d.readable order by c.place`.execute(trx)
  if (rows[0]?.place !== sequence + 1) return undefined
  const taken = fitting(rows).filter(({ kind }) => !kind.startsWith('.') && !kind.includes('/'))
  const gone = new Map(taken.flatMap(({ kind, id, doc }) => (doc === null ? [[`${kind}/${id}`, { kind, id }] as const] : [])))
  const last = fitting(rows).at(-1)?.place ?? sequence
  return { sources: await sourcesOf(trx, taken), gone: [...gone.values()], sequence: last, scanned: null }
}

/** As many of the first as fit into one transaction. */
function fitting<T extends Sized>(rows: readonly T[]): readonly T[] {
  const known = new Set<number | null>()
  let bytes = 0
  const end = rows.findIndex(({ doc, size }, nth) => {
    if (!known.has(doc)) bytes += size ?? 0
    known.add(doc)
    return nth > 0 && bytes > MOST_BYTES
  })
  return end < 0 ? rows : rows.slice(0, end)
}

async function sourcesOf(trx: Transaction<Tables>, sized: readonly Sized[]): Promise<Source[]> {
  const docs = [...new Set(sized.flatMap(({ doc }) => doc ?? []))]
  if (docs.length === 0) return []
  const { rows } = await sql<Source>`
    select doc, kind, id, file, bytes, version, head, problem, created_at, updated_at
    from documents where doc = any(${docs}::bigint[]) order by doc`.execute(trx)
  return rows
}
