import type { FieldErrors } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { nearest } from '#lib/nearest.ts'
import { COMPUTED_FIELDS, type ContentType, type Field, type Rule } from './content-type.ts'
import { fieldMessages, isRequired, say } from './rules/checks.ts'
import { LIMITS, limitErrors } from './rules/limits.ts'
import { commonFault, commonNames, meantBy } from './rules/standard-fields.ts'

/**
 * A question for the store: whether a document of `type` has `value` in `target` (`id` is the document's id). `message` is for
 * the answer that is not wanted.
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

/**
 * Returns the errors of a request's fields for a record of this type, by field. Empty if there are none. Nothing is coerced. Null
 * means "no value". Computed fields (`id`, `version` …) are skipped. `partial`: fields that are not sent are left unchanged.
 */
export function checkFields(type: ContentType, fields: Fields, context: { partial: boolean }): FieldErrors {
  const errors = limitErrors(fields, (name) => longest(type, name))
  if (errors.fields) return errors
  for (const name of Object.keys(fields)) {
    if (Object.hasOwn(errors, name) || COMPUTED_FIELDS.includes(name)) continue
    const messages = messagesFor(type, name, fields)
    if (messages.length > 0) errors[name] = messages
  }
  return context.partial ? errors : { ...missing(type, fields), ...errors }
}

/**
 * Returns the checks of these fields that only the store can do: `unique`, `exists` and references. Run them once `checkFields`
 * found no errors.
 */
export function lookups(type: ContentType, fields: Fields): Lookup[] {
  return [...type.fields.values()].flatMap((field) => {
    const sent = Object.hasOwn(fields, field.name) ? fields[field.name] : undefined
    const values = [sent ?? null].flat().filter((value) => value !== null && typeof value !== 'object')
    return values.flatMap((value) => questions(field, value as Lookup['value']))
  })
}

/** The fields to be stored: without the second spelling (`email_confirmation`) that `confirmed` asks for. */
export function storedFields(type: ContentType, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isConfirmation(type, name)))
}

function messagesFor(type: ContentType, name: string, fields: Fields): string[] {
  const common = commonFault(type, name, fields[name] ?? null)
  if (common) return [say(name, common)]
  const field = type.fields.get(name)
  if (field) return fieldMessages(field, fields)
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

/** A rule of its own says how long a field's strings may be, else the limit of all strings does. */
function longest(type: ContentType, name: string): number {
  if (name === 'body') return LIMITS.body
  const field = type.fields.get(name)
  const limit = field && ['text', 'markdown', 'json'].includes(field.type) ? ownLimit(field) : undefined
  return limit ?? LIMITS.string
}

function ownLimit(field: Field): number | undefined {
  const max =
    field.rules.find((rule) => rule.name === 'max')?.argument ??
    field.rules.find((rule) => rule.name === 'between')?.argument?.split(',')[1]
  return max === undefined ? undefined : Math.max(LIMITS.string, Number(max))
}

function isConfirmation(type: ContentType, name: string): boolean {
  const field = type.fields.get(name.replace(/_confirmation$/, ''))
  return (
    name.endsWith('_confirmation') && !type.fields.has(name) && field?.rules.some((rule) => rule.name === 'confirmed') === true
  )
}

function questions(field: Field, value: Lookup['value']): Lookup[] {
  const asked = field.rules.flatMap((rule) => question(rule, field, value) ?? [])
  if (
    field.type !== 'reference' ||
    field.to === undefined ||
    asked.some((lookup) => lookup.kind === 'exists' && lookup.type === field.to)
  )
    return asked
  return [...asked, exists(field, field.to, value)]
}

function question(rule: Rule, field: Field, value: Lookup['value']): Lookup | undefined {
  const [type = '', target = field.name] = (rule.argument ?? '').split(',').map((part) => part.trim())
  if (rule.name === 'unique')
    return { field: field.name, kind: 'unique', type, target, value, message: say(field.name, 'has already been taken.') }
  return rule.name === 'exists' ? exists(field, type, value) : undefined
}

function exists(field: Field, type: string, value: Json): Lookup {
  const message = `The selected ${field.name} is invalid: there is no "${value}" in ${type}.`
  return { field: field.name, kind: 'exists', type, target: 'id', value: value as Lookup['value'], message }
}
