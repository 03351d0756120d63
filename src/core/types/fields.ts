import type { Json } from '#lib/json.ts'
import { parseRules } from '../rules/parse.ts'
import type { Field, FieldType } from './content-type.ts'

/** A declared field, as plain data. */
export interface FieldInput {
  readonly type: FieldType
  readonly label?: string
  readonly help?: string
  readonly rules?: string | readonly string[]
  readonly to?: string
  readonly options?: readonly string[]
  readonly multiple?: boolean
  readonly of?: FieldInput
  readonly fields?: Readonly<Record<string, FieldInput>>
  readonly accept?: readonly string[]
  readonly default?: unknown
}

/** Makes a field of its plain data. */
export function fieldOf(name: string, input: FieldInput): Field {
  const { type, label = labelOf(name), help, to, of, fields, accept } = input
  const { rules } = parseRules(input.rules ?? [])
  const options = input.options ?? (type === 'select' ? choices(rules) : undefined)
  return {
    ...{ name, type, label, rules },
    ...(help !== undefined && { help }),
    ...(to !== undefined && { to }),
    ...(options && { options }),
    ...(input.multiple && { multiple: true }),
    ...(of && { of: fieldOf(name, { label, ...of }) }),
    ...(fields && { fields: fieldsOf(fields) }),
    ...(accept && { accept }),
    ...(input.default !== undefined && { default: input.default }),
  }
}

/** Makes fields by name of their plain data. */
export function fieldsOf(inputs: Readonly<Record<string, FieldInput>>): Map<string, Field> {
  return new Map(Object.entries(inputs).map(([name, input]) => [name, fieldOf(name, input)]))
}

/** Returns the label of a name for people: `blog_posts` becomes `Blog posts`. */
export function labelOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the field that each item of a list in `field` is; undefined where nothing is declared of items. */
export function itemOf(field: Field): Field | undefined {
  if (field.type === 'list') return field.of
  if (field.type === 'object' || field.type === 'json') return undefined
  const { multiple: _, ...one } = field
  return one
}

/** Returns the type that the references in a field point to, be it one or a list of them; undefined for any other field. */
export function targetOf({ type, to, of }: Field): string | undefined {
  return type === 'list' && of?.type === 'reference' && !of.multiple ? of.to : to
}

/**
 * Rewrites the values in a field, as deep as it is declared: `rewrite` gets each value that is no list and no object with fields,
 * and the field that it is in, and gives another or undefined. Returns undefined where nothing is another.
 */
export function rewritten(
  field: Field,
  value: Json | undefined,
  rewrite: (field: Field, value: Json) => Json | undefined,
): Json | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) {
    const item = itemOf(field)
    const made = item ? value.map((one) => rewritten(item, one, rewrite)) : []
    return made.some((one) => one !== undefined) ? value.map((one, n) => made[n] ?? one) : undefined
  }
  if (!field.fields || typeof value !== 'object') return rewrite(field, value)
  const made = [...field.fields].flatMap(([name, part]) => {
    const other = Object.hasOwn(value, name) ? rewritten(part, value[name], rewrite) : undefined
    return other === undefined ? [] : [[name, other] as const]
  })
  return made.length === 0 ? undefined : { ...value, ...Object.fromEntries(made) }
}

/** Returns whether a field, or what is declared within it, is one of these. */
export function holds(field: Field, isWanted: (field: Field) => boolean): boolean {
  const within = [...(field.of ? [field.of] : []), ...(field.fields?.values() ?? [])]
  return isWanted(field) || within.some((part) => holds(part, isWanted))
}

function choices(rules: Field['rules']): readonly string[] | undefined {
  return rules
    .find((rule) => rule.name === 'in')
    ?.argument?.split(',')
    .map((choice) => choice.trim())
}
