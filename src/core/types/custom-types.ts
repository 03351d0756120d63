import { formatRules, parseRules } from '../rules/parse.ts'
import { type CustomType, FIELD_TYPE_NAMES, type Field, type FieldType } from './content-type.ts'
import { type FieldInput, fieldOf } from './fields.ts'

/** The types of fields beside Quire's own, by name. */
export type CustomTypes = ReadonlyMap<string, CustomType>

/** A declared field, as plain data, whose type may be one that a module brings. */
export interface NamedFieldInput extends Omit<FieldInput, 'type' | 'of' | 'fields'> {
  readonly type: string
  readonly of?: NamedFieldInput
  readonly fields?: Readonly<Record<string, NamedFieldInput>>
}

/** Returns whether a name is that of one of Quire's own types. */
export function isFieldType(name: string): name is FieldType {
  return (FIELD_TYPE_NAMES as readonly string[]).includes(name)
}

/**
 * Makes a field of its plain data. A type that nobody brings is `json`: whatever the field holds is kept, and nothing more is known of
 * it.
 */
export function customField(name: string, input: NamedFieldInput, types: CustomTypes): Field {
  const { type, rules = [], help, of, fields, ...rest } = input
  const custom = isFieldType(type) ? undefined : types.get(type)
  const words = help ?? custom?.help
  const field = fieldOf(name, {
    ...rest,
    type: isFieldType(type) ? type : (custom?.base ?? 'json'),
    rules: custom ? [...custom.rules, ...formatRules(parseRules(rules).rules)] : rules,
    ...(words !== undefined && { help: words }),
  })
  return {
    ...field,
    ...(of && { of: customField(name, { label: field.label, ...of }, types) }),
    ...(fields && { fields: customFields(fields, types) }),
    ...(custom && { custom }),
  }
}

/** Makes fields by name of their plain data. */
export function customFields(inputs: Readonly<Record<string, NamedFieldInput>>, types: CustomTypes): Map<string, Field> {
  return new Map(Object.entries(inputs).map(([name, input]) => [name, customField(name, input, types)]))
}
