import type { Field, FieldType } from './content-type.ts'
import { parseRules } from './rules/parse.ts'

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

function choices(rules: Field['rules']): readonly string[] | undefined {
  return rules
    .find((rule) => rule.name === 'in')
    ?.argument?.split(',')
    .map((choice) => choice.trim())
}
