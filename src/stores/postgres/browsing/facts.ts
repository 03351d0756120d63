import { createHash } from 'node:crypto'
import { comparable, folded } from '../../../core/comparison.ts'
import type { Head } from '../../../core/document.ts'
import type { Json } from '../../../core/json.ts'
import { instantOf } from '../../../core/status.ts'
import type { DocumentTable, FactTable } from '../tables.ts'

/** What a condition or a sort can know of a document: one of its facts, but for whose it is. */
export type Fact = Omit<FactTable, 'doc'>

/** What a value is by itself; see `FactTable.type`. */
export const NUMBER = 0
export const TEXT = 1
export const BOOLEAN = 2
export const NESTED = 3

/** The fields that are not facts of their own: columns, and dates that the head has elsewhere. */
const APART: ReadonlySet<string> = new Set(['id', 'status', 'created_at', 'updated_at'])

/** An index entry of PostgreSQL has a limit; names up to this many characters are well below it. */
const LONGEST_NAME = 150

/**
 * The facts of a head: one for each value that is set, for each item of a list that is one. `id` and `status` are columns; they are facts as well
 * only where PostgreSQL would not make the same small letters of them.
 */
export function factsOf(head: Head): Fact[] {
  const facts = Object.entries(head.fields).flatMap(([field, value]) => (APART.has(field) ? [] : factsOfField(field, value)))
  if (head.createdAt !== undefined) facts.push(factOf('created_at', head.createdAt, 0))
  if (head.updatedAt !== undefined) facts.push(factOf('updated_at', head.updatedAt, 0))
  const { status } = head.fields
  if (!isPlain(head.key.id)) facts.push(factOf('id', head.key.id, 0))
  if (typeof status === 'string' && !isPlain(status)) facts.push(factOf('status', status, 0))
  return facts
}

/** What of a head is in columns of its row. Instants are in milliseconds since 1970. */
export function columnsOf({ fields }: Head): Pick<DocumentTable, 'status' | 'published' | 'expires'> {
  return {
    status: typeof fields.status === 'string' ? stored(fields.status) : null,
    published: instantOf(fields.published_at) ?? null,
    expires: instantOf(fields.expires_at) ?? null,
  }
}

/** The name that facts have a field under: PostgreSQL knows no NUL, and its indexes no very long names. */
export function factName(field: string): string {
  if (field.length <= LONGEST_NAME) return stored(field)
  return `${stored(field.slice(0, LONGEST_NAME))}…${createHash('sha256').update(field).digest('hex')}`
}

/** A text as PostgreSQL can hold it: it knows no NUL. The order of texts stays, and no two become one, but for halves of surrogate pairs. */
export function stored(text: string): string {
  return text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001')
}

/** The text that `stored` was given. */
export function restored(text: string): string {
  return text.replaceAll('\u0001\u0001', '\0').replaceAll('\u0001\u0002', '\u0001')
}

function factsOfField(field: string, value: Json): Fact[] {
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item, nth) => (item === null ? [] : [factOf(field, item, nth)]))
}

function factOf(field: string, item: Json, nth: number): Fact {
  const text = comparable(item, 'text')
  return {
    field: factName(field),
    nth,
    text: typeof text === 'string' ? stored(text) : null,
    number: numberOrNull(comparable(item, 'number')),
    instant: numberOrNull(comparable(item, 'instant')),
    type: typeOf(item),
    folded: typeof text === 'string' ? stored(folded(text)) : null,
  }
}

function numberOrNull(value: ReturnType<typeof comparable>): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null
}

/** Whether all is ASCII: `folded` and PostgreSQL's `lower` then come to the same. */
function isPlain(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

function typeOf(item: Json): number {
  if (typeof item === 'number') return NUMBER
  if (typeof item === 'string') return TEXT
  return typeof item === 'boolean' ? BOOLEAN : NESTED
}
