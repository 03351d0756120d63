import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { lexeme, type Reading } from './reading.ts'

/** A document as it was read. */
export interface Kept {
  readonly kind: string
  readonly id: string
  readonly doc: number
  readonly reading: Reading
}

/** Puts documents into an index, takes others out, and with them the forms that no document has any more. */
export async function keep(
  trx: Transaction<Tables>,
  edition: number,
  kept: readonly Kept[],
  gone: readonly { readonly kind: string; readonly id: string }[],
): Promise<void> {
  if (kept.length === 0 && gone.length === 0) return
  const before = await formsOf(trx, edition, [...kept, ...gone])
  await sql`delete from search_documents s using unnest(${kinds(gone)}::text[], ${ids(gone)}::text[]) as g (kind, id)
    where s.edition = ${edition} and s.kind = g.kind and s.id = g.id`.execute(trx)
  if (kept.length > 0) await enter(trx, edition, kept)
  const stems = new Map(kept.flatMap(({ reading }) => [...reading.stems]))
  await learn(trx, edition, stems)
  await forget(
    trx,
    edition,
    before.filter((form) => !stems.has(form)),
  )
  // What waits to be put into the indexes is looked through by each search.
  await sql`select gin_clean_pending_list('search_documents_by_word'::regclass), gin_clean_pending_list('search_documents_by_form'::regclass)`.execute(
    trx,
  )
}

/** Takes out what is left of documents that are not there, once all that are have been read. */
export async function tidy(trx: Transaction<Tables>, edition: number): Promise<void> {
  const { rows } = await sql<{ kind: string; id: string }>`
    select s.kind, s.id from search_documents s
    where s.edition = ${edition} and not exists (select 1 from documents d where d.doc = s.doc and d.readable)`.execute(trx)
  await keep(trx, edition, [], rows)
}

async function formsOf(
  trx: Transaction<Tables>,
  edition: number,
  keys: readonly { readonly kind: string; readonly id: string }[],
): Promise<string[]> {
  const { rows } = await sql<{ form: string }>`
    select distinct unnest(tsvector_to_array(s.forms)) as form
    from unnest(${kinds(keys)}::text[], ${ids(keys)}::text[]) as k (kind, id)
    join search_documents s on s.edition = ${edition} and s.kind = k.kind and s.id = k.id`.execute(trx)
  return rows.map(({ form }) => form)
}

async function enter(trx: Transaction<Tables>, edition: number, kept: readonly Kept[]): Promise<void> {
  const column = (name: 'weights' | 'words' | 'forms' | 'texts') => kept.map(({ reading }) => reading[name])
  await sql`insert into search_documents (edition, kind, id, doc, weights, words, forms, texts)
    select ${edition}::integer, r.kind, r.id, r.doc, r.weights::real[], r.words::tsvector, r.forms::tsvector, r.texts
    from unnest(${kinds(kept)}::text[], ${ids(kept)}::text[], ${kept.map(({ doc }) => doc)}::bigint[], ${column('weights')}::text[],
      ${column('words')}::text[], ${column('forms')}::text[], ${column('texts')}::text[]) as r (kind, id, doc, weights, words, forms, texts)
    on conflict (edition, kind, id) do update set doc = excluded.doc, weights = excluded.weights, words = excluded.words,
      forms = excluded.forms, texts = excluded.texts`.execute(trx)
}

async function learn(trx: Transaction<Tables>, edition: number, stems: ReadonlyMap<string, string>): Promise<void> {
  if (stems.size === 0) return
  await sql`insert into search_forms (edition, form, stem)
    select ${edition}::integer, n.form, n.stem from unnest(${[...stems.keys()]}::text[], ${[...stems.values()]}::text[]) as n (form, stem)
    where not exists (select 1 from search_forms f where f.edition = ${edition} and f.form = n.form)`.execute(trx)
}

async function forget(trx: Transaction<Tables>, edition: number, forms: readonly string[]): Promise<void> {
  if (forms.length === 0) return
  await sql`delete from search_forms f using unnest(${forms}::text[], ${forms.map(lexeme)}::tsquery[]) as o (form, query)
    where f.edition = ${edition} and f.form = o.form
      and not exists (select 1 from search_documents s where s.edition + 0 = ${edition} and s.forms @@ o.query)`.execute(trx)
}

function kinds(all: readonly { readonly kind: string }[]): string[] {
  return all.map(({ kind }) => kind)
}

function ids(all: readonly { readonly id: string }[]): string[] {
  return all.map(({ id }) => id)
}
