import type { Field } from '#core/types/content-type.ts'
import { dayFault } from '#core/types/values.ts'
import type { FieldKind } from './field-view.ts'
import { isLocal } from './times.ts'

/** Texts that may be longer have several lines. */
const LONGEST_LINE = 200

/** Returns how a form shows a value of a field: a text that an input would change is in one that does not. */
export function kindOf({ type, rules }: Field, value: string): FieldKind {
  switch (type) {
    case 'text': {
      const max = Number(rules.find(({ name }) => name === 'max')?.argument ?? 0)
      return value.includes('\n') || max > LONGEST_LINE ? 'textarea' : 'text'
    }
    case 'integer':
      return 'number'
    case 'date':
      return value === '' || dayFault(value) === undefined ? 'date' : 'text'
    case 'datetime':
      return value === '' || isLocal(value) ? 'datetime' : 'text'
    case 'email':
      return value === value.trim() ? 'email' : 'text'
    case 'boolean':
      return 'checkbox'
    case 'object':
    case 'list':
      return 'json'
    default:
      return type
  }
}
