import { type RawBuilder, sql } from 'kysely'
import { type Kind, keyOf } from '#core/key.ts'
import type { Found, Hit, SearchQuery } from '#core/queries/search.ts'
import type { Clause } from '#fulltext/clauses.ts'
import { termOf } from '#fulltext/word.ts'
import type { Database } from '../database.ts'
import type { Audience } from './audience.ts'
import type { Meant } from './expansion.ts'
import { lexeme, SPACE, stopPairs } from './reading.ts'

interface Row {
  readonly kinds: Readonly<Record<Kind, number>>
  readonly kind: Kind | null
  readonly id: string
  readonly score: number
}

/** The scope of a search: an index, and those of its documents that the reader may read. */
export interface SearchScope {
  readonly database: Database
  readonly edition: number
  readonly audience: Audience
}

/**
 * Finds what clauses mean. A score is the sum, over the terms, of how rare one is among the documents that can be read (as Lunr
 * has it) and of how often a document has it in which field (as `ts_rank` has it), so that the order is close to that of BM25.
 * A document that has everything that is asked for scores above all that have only a part of it.
 */
export async function matched(scope: SearchScope, meant: readonly Meant[], query: SearchQuery): Promise<Omit<Found, 'until'>> {
  const terms = new Set(meant.flatMap(({ clause, stems }) => (clause.presence === 'prohibited' ? [] : [...stems])))
  const condition = conditionOf(meant)
  if (condition === undefined) return { hits: [], total: 0, kinds: new Map(), stems: terms }
  const statement = statementOf(scope, { condition, meant, terms }, query)
  const { rows } = await scope.database.read((db) => statement.execute(db))
  const kinds = new Map(Object.entries(rows[0]?.kinds ?? {}))
  const total = query.kind === undefined ? [...kinds.values()].reduce((sum, n) => sum + n, 0) : (kinds.get(query.kind) ?? 0)
  const hits = rows.flatMap(({ kind, id, score }): Hit[] => (kind === null ? [] : [{ key: keyOf(kind, id), score }]))
  return { hits, total, kinds, stems: terms }
}

interface Wanted {
  readonly condition: string
  readonly meant: readonly Meant[]
  readonly terms: ReadonlySet<string>
}

/**
 * Builds the statement. `edition + 0` keeps the planner from another index, over all documents of an edition, if it has few
 * statistics.
 */
function statementOf(scope: SearchScope, { condition, meant, terms }: Wanted, query: SearchQuery): RawBuilder<Row> {
  const { edition, audience } = scope
  const { kind, status, offset, limit } = query
  const whole = wholeOf(meant)
  const further = [...phrases(meant), ...(status === undefined ? [] : [audience.hasStatus(status)])]
  return sql`/* prepared */
    with hits as materialized (
      select d.doc, d.kind, d.id, ${whole === undefined ? sql`false` : sql`s.words @@ ${whole}::tsquery`} as is_whole
      from search_documents s join documents d on d.doc = s.doc
      where s.edition + 0 = ${edition} and s.words @@ ${condition}::tsquery and ${sql.join([audience.reads, ...further], sql` and `)}
    ), had as materialized (
      select t.nth, s.doc, s.rank from unnest(${[...terms].map(lexeme)}::tsquery[]) with ordinality as t (term, nth)
      cross join lateral (
        select s.doc, ts_rank(s.weights, s.words, t.term) as rank from search_documents s
        where s.edition + 0 = ${edition} and s.words @@ t.term
      ) s join documents d on d.doc = s.doc where ${audience.reads}
    ), scored as (
      select doc, round(rank * ln(1 + abs((total - n + 0.5) / (n + 0.5))) * 1e9) as score
      from (select doc, rank, count(*) over (partition by nth)::float8 as n,
        (select count(*)::float8 from documents d where ${audience.reads}) as total from had) h
    ), summed as (
      select max(kind) as kind, max(id) as id, greatest(sum(score), 1) / 1e9 as score, bool_or(is_whole) as is_whole
      from (select doc, kind, id, is_whole, 0 as score from hits union all select doc, null, null, null, score from scored) each
      group by doc having max(kind) ${kind === undefined ? sql`is not null` : sql`= ${kind}`}
    ), page as (
      select kind, id, case when is_whole then score + coalesce(max(score) filter (where not is_whole) over (), 0) else score end as score
      from summed order by 3 desc, kind || '/' || id limit ${limit ?? null}::bigint offset ${offset}::bigint
    )
    select k.kinds, page.kind, page.id, page.score
    from (select coalesce(json_object_agg(c.kind, c.n), '{}') as kinds from (select kind, count(*) as n from hits group by kind) c) k
    left join page on true order by page.score desc, page.kind || '/' || page.id`
}

/**
 * Returns the condition on the words of a document, or undefined if nothing can be found. Phrases only have to have their words.
 */
function conditionOf(meant: readonly Meant[]): string | undefined {
  const of = (presence: string) => meant.filter(({ clause }) => clause.presence === presence)
  const required = [...new Set(of('required').map(queryOf))]
  const optional = of('optional').flatMap((one) => queryOf(one) ?? [])
  if (required.includes(undefined) || (required.length === 0 && optional.length === 0)) return undefined
  const asked = required.length > 0 ? required.join(' & ') : `(${optional.join(' | ')})`
  const without = of('prohibited').flatMap((one) => ('phrase' in one.clause ? [] : (queryOf(one) ?? [])))
  return [asked, ...without.map((query) => `!${query}`)].join(' & ')
}

function queryOf({ clause, stems }: Meant): string | undefined {
  if (!('phrase' in clause)) return stems.size === 0 ? undefined : `(${[...stems].map(lexeme).join(' | ')})`
  return `(${[...stems, ...stopPairs(clause.phrase)].map(lexeme).join(' & ')})`
}

/**
 * Returns the condition on the words of a document that has everything asked for, apart from words that nobody can read.
 * Undefined if it would make no difference.
 */
function wholeOf(meant: readonly Meant[]): string | undefined {
  const asked = meant.filter(({ clause, isKnown }) => clause.presence !== 'prohibited' && isKnown)
  return asked.length < 2 ? undefined : [...new Set(asked.map(queryOf))].join(' & ')
}

/** Returns the tests that the phrases are, or are not, in the texts, one for equal phrases. */
function phrases(meant: readonly Meant[]): RawBuilder<boolean>[] {
  const textsOf = (presence: string) => [
    ...new Set(meant.flatMap(({ clause }) => (clause.presence === presence ? written(clause) : []))),
  ]
  const holds = (text: string) => sql<boolean>`(strpos(s.texts, ${text}) > 0)`
  return [...textsOf('required').map(holds), ...textsOf('prohibited').map((text) => sql<boolean>`not ${holds(text)}`)]
}

/** A phrase as it is in a text that has it. */
function written(clause: Clause): string[] {
  return 'phrase' in clause ? [`${SPACE}${clause.phrase.map(termOf).join(SPACE)}${SPACE}`] : []
}
