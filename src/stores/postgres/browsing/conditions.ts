import { type RawBuilder, sql } from 'kysely'
import type { Kind } from '#core/key.ts'
import { comparable, folded } from '#core/queries/comparison.ts'
import { wantedBy } from '#core/queries/operators.ts'
import type { Comparison, Condition, Operator } from '#core/queries/query.ts'
import type { Json } from '#lib/json.ts'
import { factName, NUMBER, stored, wordsOf } from './facts.ts'
import { type Moment, statusAt } from './moment.ts'

/**
 * Builds the test that `documents d` meet a condition, as `matches` decides it. It is never null, so that `not` can precede it.
 */
export function holds(condition: Condition, moment: Moment): RawBuilder<boolean> {
  const { field, as } = condition
  const operator: OperatorSql = OPERATORS[condition.op]
  if (field === 'id') return operator.onText(ID, condition)
  if (field === 'status') return operator.onText(statusText(moment), condition)
  const column = as === 'instant' ? INSTANTS.get(field) : undefined
  if (column && operator.onInstant) return operator.onInstant(column, condition)
  return operator.onFacts(moment.kind, condition)
}

/** The SQL of an operator. No test it makes is ever null, so that `not` can precede each. */
interface OperatorSql {
  /** On `id` and `status`, which are texts, whatever they are to be compared as. */
  onText(column: TextColumn, condition: Condition): RawBuilder<boolean>
  /** On a column of `INSTANTS`; absent where the facts of a field do as well. */
  onInstant?(column: RawBuilder<number | null>, condition: Condition): RawBuilder<boolean>
  onFacts(kind: Kind, condition: Condition): RawBuilder<boolean>
}

const EQUALS: OperatorSql = {
  onText: (column, condition) => equalsOne(columnText(column), wantedBy(condition), 'text'),
  onFacts: (kind, condition) => equalsOne(factText(kind, condition.field), wantedBy(condition), condition.as),
}

const EQUALS_NONE: OperatorSql = {
  onText: (column, condition) => sql`not ${EQUALS.onText(column, condition)}`,
  onFacts: (kind, condition) => sql`not ${EQUALS.onFacts(kind, condition)}`,
}

const CONTAINS: OperatorSql = {
  onText(column, { value }) {
    const part = comparable(value, 'text')
    if (typeof part !== 'string') return sql`false`
    return sql`(${column.isSet} and strpos(${foldedText(column)}, ${stored(folded(part))}) > 0)`
  },
  onFacts(kind, { field, value }) {
    const part = comparable(value, 'text')
    if (typeof part !== 'string') return sql`false`
    return some(kind, field, sql`strpos(coalesce(f.folded, f.whole, f.text), ${stored(folded(part))}) > 0`)
  },
}

function ordering(sign: Sign): OperatorSql {
  return {
    onText({ isSet, text, form }, { value }) {
      const wanted = comparable(value, 'text')
      return typeof wanted === 'string' ? sql`(${isSet} and (${text}) ${sign} ${form(wanted)})` : sql`false`
    },
    onInstant(column, { value }) {
      const target = comparable(value, 'instant')
      return target === undefined ? sql`false` : sql`(${column} is not null and ${column} ${sign} ${target}::float8)`
    },
    onFacts: (kind, { field, value, as }) => some(kind, field, orderedFact(sign, value, as)),
  }
}

/** The operators of `core/queries/operators.ts` in SQL. */
const OPERATORS = {
  eq: EQUALS,
  ne: EQUALS_NONE,
  gt: ordering(sql`>`),
  gte: ordering(sql`>=`),
  lt: ordering(sql`<`),
  lte: ordering(sql`<=`),
  in: EQUALS,
  contains: CONTAINS,
} satisfies Record<Operator, OperatorSql>

/**
 * Builds the test that `documents d` of some kinds have a text in a field, which must be one that only facts hold. It is looked
 * up once for all documents, whatever else is asked of them.
 */
export function isOneOfThose(kinds: readonly Kind[], { field, value, as }: Condition): RawBuilder<boolean> {
  const wanted = comparable(value, as)
  if (wanted === undefined) return sql`false`
  return sql`d.doc in (select f.doc from facts f
    where f.kind = any(${kinds}::text[]) and f.field = ${factName(field)} and ${isOneOf([wanted], as)})`
}

/** The columns with the instants of fields. */
const INSTANTS: ReadonlyMap<string, RawBuilder<number | null>> = new Map([
  ['published_at', sql`d.published`],
  ['expires_at', sql`d.expires`],
])

/** A sign of order. */
type Sign = RawBuilder<unknown>

/** The tests on a value that may be a list: it is unset, or one of these values is in it. */
interface Askable {
  readonly isUnset: RawBuilder<boolean>
  isOneOf(values: readonly (number | string)[], as: Comparison): RawBuilder<boolean>
}

/** A column that is a text. `isSet` is never null, `text` is not where it is set. */
interface TextColumn {
  readonly name: string
  readonly stored: RawBuilder<string | null>
  readonly text: RawBuilder<string | null>
  readonly isSet: RawBuilder<boolean>
  /** A text as the column has it. */
  form(text: string): string
}

const ID: TextColumn = { name: 'id', stored: sql`d.id`, text: sql`d.id`, isSet: sql`true`, form: stored }

function statusText(moment: Moment): TextColumn {
  return {
    name: 'status',
    stored: sql`d.status`,
    text: statusAt(moment),
    isSet: sql`coalesce(d.status, '') <> ''`,
    form: factName,
  }
}

/** PostgreSQL's small letters where they are the same, else those of the fact that says so. */
function foldedText({ name, stored: kept, text }: TextColumn): RawBuilder<string> {
  return sql`coalesce((select coalesce(f.folded, f.whole, f.text) from facts f where f.doc = d.doc and f.field = ${name} and f.nth = 0 and ${kept} = (${text})), lower(${text}))`
}

function columnText({ isSet, text, form }: TextColumn): Askable {
  return {
    isUnset: sql`not ${isSet}`,
    isOneOf: (values) => sql`(${isSet} and (${text}) = any(${values.map((value) => form(String(value)))}::text[]))`,
  }
}

function factText(kind: Kind, field: string): Askable {
  return {
    isUnset: sql`not ${some(kind, field, sql`true`)}`,
    isOneOf: (values, as) => some(kind, field, isOneOf(values, as)),
  }
}

function equalsOne(value: Askable, wanted: readonly Json[], as: Comparison): RawBuilder<boolean> {
  const targets = wanted.map((one) => comparable(one, as)).filter((one) => one !== undefined)
  const ways = [...(wanted.includes(null) ? [value.isUnset] : []), ...(targets.length > 0 ? [value.isOneOf(targets, as)] : [])]
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`
}

/** Builds the test that some fact of a field passes a test on `facts f`. */
function some(kind: Kind, field: string, test: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`exists (select from facts f where f.doc = d.doc and f.kind = ${kind} and f.field = ${factName(field)} and ${test})`
}

function isOneOf(values: readonly (number | string)[], as: Comparison): RawBuilder<boolean> {
  if (as === 'number') return sql`f.number = any(${values}::float8[])`
  if (as === 'instant') return sql`f.instant = any(${values}::float8[])`
  const wanted = values.map((value) => wordsOf(String(value)))
  const texts = sql<boolean>`f.text = any(${wanted.map(({ text }) => text)}::text[])`
  if (wanted.every(({ whole }) => whole === null)) return texts
  return sql`${texts} and coalesce(f.whole, f.text) = any(${wanted.map(({ text, whole }) => whole ?? text)}::text[])`
}

function orderedFact(sign: Sign, wanted: Json, as: Comparison): RawBuilder<boolean> {
  const target = comparable(wanted, as)
  if (target === undefined) return sql`false`
  if (as === 'number') return sql`f.number ${sign} ${target}::float8`
  if (as === 'instant') return sql`f.instant ${sign} ${target}::float8`
  const asText = sql<boolean>`coalesce(f.whole, f.text) ${sign} ${stored(String(target))}`
  const number = as === 'any' ? comparable(wanted, 'number') : undefined
  if (number === undefined) return asText
  // Without a declared type, a number is compared as such with what reads as one.
  return sql`case when f.type = ${NUMBER} then f.number ${sign} ${number}::float8 else ${asText} end`
}
