import type { Field } from '#core/types/content-type.ts'
import { labelOf } from '#core/types/fields.ts'
import { dayFault, instantFault } from '#core/types/values.ts'
import { isObject } from '#frontmatter/changes.ts'
import { UNSAFE_KEYS } from '#frontmatter/fault.ts'
import type { Fields, Json } from '#lib/json.ts'

/** The way in which a form handles a value. */
export type Shape =
  | { readonly is: 'kept' }
  | { readonly is: 'leaf' }
  /** Several values under one name: `tags[]`. */
  | { readonly is: 'several' }
  | { readonly is: 'list'; readonly item: Field }
  /** `others` are the keys that the value has beside: they are kept. */
  | { readonly is: 'object'; readonly fields: readonly Field[]; readonly others: readonly string[] }

/** The part of an item's name that says which item of the record's list it was. */
export const KEPT = '__kept'

const KEPT_SHAPE: Shape = { is: 'kept' }
const LEAF: Shape = { is: 'leaf' }

/** Returns the way in which a form handles a field that has this value. One without a value is shown as it is declared. */
export function shapeOf(field: Field, value: Json | undefined): Shape {
  const held = value ?? undefined
  const { multiple: _, ...one } = field
  if (field.multiple && field.type === 'media') return isList(held) ? { is: 'list', item: one } : KEPT_SHAPE
  if (field.multiple) return isList(held) && isEach(held, (item) => isLine(item) && item !== '') ? { is: 'several' } : KEPT_SHAPE
  if (field.type === 'list') return listShape(field, held)
  if (field.type === 'object') return objectShape(field, held)
  return held === undefined || CARRIED[field.type](held) ? LEAF : KEPT_SHAPE
}

function listShape({ name, label, of }: Field, held: Json | undefined): Shape {
  if (!isList(held)) return KEPT_SHAPE
  if (of) return { is: 'list', item: of }
  return isEach(held, isText) ? { is: 'list', item: { name, label, type: 'text', rules: [] } } : KEPT_SHAPE
}

/** One of which nothing is declared is a JSON text until it has something, and then as it is. */
function objectShape({ fields }: Field, held: Json | undefined): Shape {
  if (held !== undefined && !isObject(held)) return KEPT_SHAPE
  const keys = Object.keys(held ?? {})
  if (!fields && keys.length === 0) return LEAF
  const shown = fields ? [...fields.values()] : impliedFields(held ?? {})
  const names = new Set(shown.map((field) => field.name).filter(isName))
  return { is: 'object', fields: shown.filter((field) => names.has(field.name)), others: keys.filter((key) => !names.has(key)) }
}

/** Returns the shape of an item of a list. */
export function itemShape(item: Field, value: Json | undefined): Shape {
  return value === null ? KEPT_SHAPE : shapeOf(item, value)
}

/**
 * Returns fields for values of which nothing is declared, by what they are: texts, numbers, true and false, days, times, lists of texts,
 * objects. What is none of these is a field whose value is kept.
 */
export function impliedFields(values: Readonly<Fields>): Field[] {
  return Object.entries(values).map(([name, value]) => ({ name, label: labelOf(name), rules: [], type: impliedType(value) }))
}

function impliedType(value: Json): Field['type'] {
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (Array.isArray(value)) return 'list'
  if (value !== null && typeof value === 'object') return 'object'
  if (value === null || instantFault(value) !== undefined) return 'text'
  return dayFault(value) === undefined ? 'date' : 'datetime'
}

/** Returns whether a part can have such a name in a form. */
function isName(name: string): boolean {
  return name !== '' && name !== KEPT && !UNSAFE_KEYS.has(name) && !/[[\]\0]/.test(name) && name.length <= 100
}

/** The values that an input of the field gives back as they are. */
const CARRIED: Readonly<Record<Exclude<Field['type'], 'list' | 'object'>, (value: Json) => boolean>> = {
  text: isText,
  markdown: isText,
  number: Number.isFinite,
  integer: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => dayFault(value) === undefined && String(value) >= '0001',
  datetime: (value) => instantFault(value) === undefined && String(value) >= '0101',
  select: isLine,
  reference: isLine,
  media: isLine,
  slug: isLine,
  email: isLine,
  url: isLine,
  color: isLine,
  json: () => true,
}

function isText(value: Json): value is string {
  return typeof value === 'string' && !value.includes('\0')
}

function isLine(value: Json): value is string {
  return isText(value) && !/[\r\n]/.test(value)
}

function isList(value: Json | undefined): value is Json[] | undefined {
  return value === undefined || Array.isArray(value)
}

function isEach(values: readonly Json[] | undefined, fits: (value: Json) => boolean): boolean {
  return (values ?? []).every((value) => fits(value))
}
