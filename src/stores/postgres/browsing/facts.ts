import { createHash } from 'node:crypto'
import type { Head } from '#core/document.ts'
import type { Kind } from '#core/key.ts'
import { comparable, folded, namesField, ownKeyIn, taxonomyIn } from '#core/queries/comparison.ts'
import { instantOf } from '#core/status.ts'
import type { Json } from '#lib/json.ts'
import type { DocumentTable, FactTable } from '../tables.ts'

/** A fact of a document, as conditions and sorts use it, without the document it belongs to. */
export type Fact = Omit<FactTable, 'doc'>

/** The types of a value; see `FactTable.type`. */
export const NUMBER = 0
export const TEXT = 1
export const BOOLEAN = 2
export const NESTED = 3

/** The fields that are not facts of their own: columns, and dates that the head has elsewhere. */
const APART: ReadonlySet<string> = new Set(['id', 'status', 'created_at', 'updated_at'])

/** An index entry of PostgreSQL has a limit; names up to this many characters are well below it. */
const LONGEST_NAME = 150

/** Texts up to so many characters are in an index whole. */
export const LONGEST_KEY = 200

/**
 * The facts of a head: one for each value that is set, for each item of a list that is one. `id` and `status` are columns; they
 * are facts as well only where PostgreSQL would not make the same small letters of them.
 */
export function factsOf(head: Head): Fact[] {
  const { kind, id } = head.key
  const facts = Object.entries(head.fields).flatMap(([field, value]) => (isApart(field) ? [] : factsOfField(kind, field, value)))
  for (const [field, value] of ownFields(head)) facts.push(...factsOfField(kind, field, value))
  for (const [taxonomy, names] of Object.entries(head.termNames ?? {}))
    facts.push(...factsOfField(kind, namesField(taxonomy), names))
  if (head.createdAt !== undefined) facts.push(factOf(kind, 'created_at', head.createdAt, 0))
  if (head.updatedAt !== undefined) facts.push(factOf(kind, 'updated_at', head.updatedAt, 0))
  const { status } = head.fields
  if (!isPlain(id)) facts.push(factOf(kind, 'id', id, 0))
  if (typeof status === 'string' && !isPlain(status)) facts.push(factOf(kind, 'status', status, 0))
  return facts
}

function isApart(field: string): boolean {
  return APART.has(field) || ownKeyIn(field) !== undefined || taxonomyIn(field) !== undefined
}

/** Returns the fields of `own`, by the names that conditions use for them. */
function ownFields({ fields: { own } }: Head): [string, Json][] {
  if (own === null || typeof own !== 'object' || Array.isArray(own)) return []
  return Object.entries(own).map(([key, value]) => [`own[${key}]`, value])
}

/** Returns the parts of a head that are columns of its row. Instants are in milliseconds since 1970. */
export function columnsOf({ fields }: Head): Pick<DocumentTable, 'status' | 'published' | 'expires'> {
  return {
    status: typeof fields.status === 'string' ? factName(fields.status) : null,
    published: instantOf(fields.published_at) ?? null,
    expires: instantOf(fields.expires_at) ?? null,
  }
}

/** The name of a field or of a status as it is in an index: PostgreSQL knows no NUL, and its indexes no very long names. */
export function factName(name: string): string {
  if (name.length <= LONGEST_NAME) return stored(name)
  return `${stored(name.slice(0, LONGEST_NAME))}…${createHash('sha256').update(name).digest('hex')}`
}

/**
 * A text as PostgreSQL can hold it: it knows no NUL. The order of texts stays, and no two become one, but for halves of surrogate
 * pairs.
 */
export function stored(text: string): string {
  return text.replaceAll('\u0001', '\u0001\u0002').replaceAll('\0', '\u0001\u0001')
}

/** A text as facts have it: see `FactTable`. Two are equal where both are. */
export function wordsOf(text: string): { text: string; whole: string | null } {
  const kept = stored(text)
  if (kept.length <= LONGEST_KEY) return { text: kept, whole: null }
  const characters = [...kept.slice(0, 2 * LONGEST_KEY + 2)]
  if (characters.length <= LONGEST_KEY) return { text: kept, whole: null }
  return { text: characters.slice(0, LONGEST_KEY + 1).join(''), whole: kept }
}

/** The text that `stored` was given. */
export function restored(text: string): string {
  return text.replaceAll('\u0001\u0001', '\0').replaceAll('\u0001\u0002', '\u0001')
}

/**
 * Returns the facts of a field. An item that repeats one before it is left out; one that differs only in type is marked as having
 * no text of its own.
 */
function factsOfField(kind: Kind, field: string, value: Json): Fact[] {
  if (!Array.isArray(value)) return value === null ? [] : [factOf(kind, field, value, 0)]
  const texts = new Set<string>()
  const items = new Set<string>()
  return value.flatMap((item, nth) => {
    const text = String(comparable(item, 'text'))
    const same = `${typeOf(item)} ${text}`
    if (item === null || items.has(same)) return []
    const isAgain = typeof item !== 'object' && texts.has(text)
    items.add(same)
    if (typeof item !== 'object') texts.add(text)
    return factOf(kind, field, item, isAgain ? -nth : nth)
  })
}

function factOf(kind: Kind, field: string, item: Json, nth: number): Fact {
  return {
    kind,
    field: factName(field),
    nth,
    ...textsOf(item),
    number: numberOrNull(comparable(item, 'number')),
    instant: numberOrNull(comparable(item, 'instant')),
    type: typeOf(item),
  }
}

function textsOf(item: Json): Pick<Fact, 'text' | 'whole' | 'folded'> {
  const text = comparable(item, 'text')
  if (typeof text !== 'string') return { text: null, whole: null, folded: null }
  const folds = folded(text)
  return { ...wordsOf(text), folded: folds === text ? null : stored(folds) }
}

function numberOrNull(value: ReturnType<typeof comparable>): number | null {
  return typeof value === 'number' && !Number.isNaN(value) ? value : null
}

/** Returns whether a text is short and all ASCII. Then `folded` and PostgreSQL's `lower` have the same result. */
function isPlain(text: string): boolean {
  return text.length <= LONGEST_NAME && Buffer.byteLength(text) === text.length
}

function typeOf(item: Json): number {
  if (typeof item === 'number') return NUMBER
  if (typeof item === 'string') return TEXT
  return typeof item === 'boolean' ? BOOLEAN : NESTED
}
