import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { nearest } from '#lib/text/nearest.ts'
import { COMPUTED_FIELDS, type ContentType, type Field, type Rule } from '../types/content-type.ts'
import { itemOf } from '../types/fields.ts'
import { isRequired, say } from './checks.ts'
import { Inspection } from './inspection.ts'
import { limitErrors } from './limits.ts'
import { commonFault, commonNames, meantBy } from './standard-fields.ts'

/**
 * A question for the store: whether a document of `type` has `value` in `target` (`id` is the document's id). `message` is for
 * the answer that is not wanted. `field` is the path of the value: `parts.0.author`.
 */
export interface Lookup {
  readonly field: string
  /** unique: no other document may have it. exists: one must. */
  readonly kind: 'unique' | 'exists'
  readonly type: string
  readonly target: string
  readonly value: string | number | boolean
  readonly message: string
}

/** The way in which fields are checked. */
export interface CheckContext {
  /** Fields that are not sent are left unchanged. */
  readonly partial: boolean
  /** The record as it is, and as it was read: what a list or an object had before is kept, whatever is declared. */
  readonly held?: readonly Readonly<Fields>[]
}

/**
 * Returns the errors of a request's fields for a record of this type, by the path of the value: `title`, `parts.0.name`. Empty if
 * there are none; 100 of values within fields at most. Nothing is coerced. Null means "no value". Computed fields (`id`, `version`
 * …) are skipped.
 */
export function checkFields(type: ContentType, fields: Fields, { partial, held = [] }: CheckContext): FieldErrors {
  const { errors, refused } = limitErrors(type.fields, fields, held)
  if (errors.fields) return errors
  const inspection = new Inspection(type.additionalFields)
  for (const name of Object.keys(fields)) {
    if (refused.has(name) || COMPUTED_FIELDS.includes(name)) continue
    const field = type.fields.get(name)
    const messages = messagesFor(type, name, fields)
    if (messages.length > 0) errors[name] = messages
    else if (field)
      inspection.field(
        field,
        fields,
        held.map((one) => one[name]),
      )
  }
  const all = { ...errors, ...inspection.errors }
  return partial ? all : { ...missing(type, fields), ...all }
}

/**
 * Returns the checks of these fields that only the store can do: `unique`, `exists` and references, as deep as they are declared.
 * Of lists and objects, what `held` has in the field already is not asked again. Run them once `checkFields` found no errors.
 */
export function lookups(type: Pick<ContentType, 'fields'>, fields: Fields, held: Readonly<Fields> = {}): Lookup[] {
  return [...type.fields.values()].flatMap((field) => {
    if (!Object.hasOwn(fields, field.name)) return []
    const [asked, before]: [Lookup[], Lookup[]] = [[], []]
    gather(field, fields[field.name] ?? null, field.name, asked)
    if (asked.length > 0) gather(field, held[field.name] ?? null, field.name, before)
    const had = new Map<Lookup['value'], Lookup[]>()
    for (const lookup of before) {
      const equal = had.get(lookup.value) ?? []
      if (isWithin(lookup) && !equal.some((one) => isSame(one, lookup))) had.set(lookup.value, [...equal, lookup])
    }
    return asked.filter((lookup) => !had.get(lookup.value)?.some((one) => isSame(one, lookup)))
  })
}

/** The fields to be stored: without the second spelling (`email_confirmation`) that `confirmed` asks for. */
export function storedFields(type: ContentType, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isConfirmation(type, name)))
}

function messagesFor(type: ContentType, name: string, fields: Fields): string[] {
  const common = commonFault(type, name, fields[name] ?? null)
  if (common) return [say(name, common)]
  if (type.fields.has(name)) return []
  if (commonNames(type).includes(name) || isConfirmation(type, name)) return []
  const meant = meantBy(type, name, fields[name] ?? null)
  if (meant) return [`The field "${name}" is called "${meant}" here.`]
  return type.additionalFields ? [] : [unknown(type, name)]
}

function unknown(type: ContentType, name: string): string {
  const near = nearest(name, [...type.fields.keys(), ...commonNames(type)])
  return `The type ${type.name} has no field "${name}".${near ? ` Did you mean "${near}"?` : ''}`
}

function missing(type: ContentType, fields: Fields): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of type.fields.values()) {
    if (isRequired(field) && !Object.hasOwn(fields, field.name)) errors[field.name] = [say(field.name, 'is required.')]
  }
  const named = [fields.title, fields.slug].some((value) => value !== undefined && value !== null)
  if (!named) errors.title = [say('title', 'is required.')]
  return errors
}

function isConfirmation(type: ContentType, name: string): boolean {
  const field = type.fields.get(name.replace(/_confirmation$/, ''))
  return (
    name.endsWith('_confirmation') && !type.fields.has(name) && field?.rules.some((rule) => rule.name === 'confirmed') === true
  )
}

/** A lookup of a value within a list or an object. */
function isWithin({ field }: Lookup): boolean {
  return field.includes('.')
}

/** Returns whether two lookups ask the same of a field, wherever in it their values stand. */
function isSame(one: Lookup, other: Lookup): boolean {
  return one.kind === other.kind && one.type === other.type && one.target === other.target && one.value === other.value
}

/** Adds the questions about a value, and about what it holds, to `asked`. */
function gather(field: Field, value: Json, path: string, asked: Lookup[]): void {
  if (value === null) return
  if (Array.isArray(value)) gatherItems(field, value, path, asked)
  else if (typeof value !== 'object') asked.push(...questions(field, value, path))
  else if (field.type === 'object') {
    for (const [name, part] of field.fields ?? []) {
      if (Object.hasOwn(value, name)) gather(part, value[name] ?? null, `${path}.${name}`, asked)
    }
  }
}

/** The rules of a list ask for each of its items. */
function gatherItems(field: Field, items: readonly Json[], path: string, asked: Lookup[]): void {
  const item = itemOf(field)
  const rules = field.type === 'list' || field.type === 'json' ? field.rules : []
  for (const [n, one] of items.entries()) {
    const at = `${path}.${n}`
    if (one !== null && typeof one !== 'object') for (const rule of rules) asked.push(...question(rule, field, one, at))
    if (item) gather(item, one, at, asked)
  }
}

function questions(field: Field, value: Lookup['value'], path: string): Lookup[] {
  const asked = field.rules.flatMap((rule) => question(rule, field, value, path))
  const { type, to } = field
  const isAsked = asked.some((lookup) => lookup.kind === 'exists' && lookup.type === to)
  return type !== 'reference' || to === undefined || isAsked ? asked : [...asked, exists(to, value, path)]
}

function question(rule: Rule, field: Field, value: Lookup['value'], path: string): Lookup[] {
  if (rule.name !== 'unique' && rule.name !== 'exists') return []
  const [type = '', target = field.name] = (rule.argument ?? '').split(',').map((part) => part.trim())
  if (rule.name === 'exists') return [exists(type, value, path)]
  return [{ field: path, kind: 'unique', type, target, value, message: say(path, 'has already been taken.') }]
}

function exists(type: string, value: Lookup['value'], path: string): Lookup {
  const message = `The selected ${path} is invalid: there is no "${value}" in ${type}.`
  return { field: path, kind: 'exists', type, target: 'id', value, message }
}
