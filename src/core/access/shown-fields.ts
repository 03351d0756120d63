import type { Field, Rule } from '../types/content-type.ts'
import type { Access } from './access.ts'

/** A field as a reader may know of it: neither it nor what it holds names a type that does not exist for them. */
export function shownField(access: Access, field: Field): Field {
  const { to, of, fields, rules, ...rest } = field
  return {
    ...rest,
    rules: rules.filter((rule) => isShown(access, typeIn(rule))),
    ...(isShown(access, to) && to !== undefined && { to }),
    ...(of && { of: shownField(access, of) }),
    ...(fields && { fields: shownFields(access, fields) }),
  }
}

/** As `shownField`, for all fields of a type or an object. */
export function shownFields(access: Access, fields: ReadonlyMap<string, Field>): Map<string, Field> {
  return new Map([...fields].map(([name, field]) => [name, shownField(access, field)]))
}

/** The type in whose records a rule looks; undefined for rules that look in none. */
function typeIn({ name, argument = '' }: Rule): string | undefined {
  return name === 'unique' || name === 'exists' ? (argument.split(',')[0] ?? '').trim() : undefined
}

function isShown(access: Access, type: string | undefined): boolean {
  // Terms are of no type.
  return type === undefined || type.includes('/') || access.sees(type)
}
