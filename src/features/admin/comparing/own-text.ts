import type { Field } from '#core/types/content-type.ts'
import type { Json } from '#lib/json.ts'
import { withLf } from '#lib/text/line-endings.ts'
import type { FormFields } from '../forms/form-values.ts'
import { textOf } from '../forms/leaves.ts'
import { shapeOf } from '../forms/shapes.ts'

/** Returns the text in which a value can be written anew; undefined where its field is more than a text, or lines of text. */
export function ownTextOf(field: Field, value: Json, zone: string): string | undefined {
  const shape = shapeOf(field, value)
  if (shape.is === 'leaf' && field.type !== 'boolean') return textOf(field, value, zone)
  if (shape.is === 'several') return Array.isArray(value) ? value.join('\n') : ''
  if (shape.is !== 'list' || shapeOf(shape.item, undefined).is !== 'leaf') return undefined
  const items = Array.isArray(value) ? value : []
  return items.every((item) => typeof item === 'string' && !/[\r\n]/.test(item)) ? items.join('\n') : undefined
}

/** Returns what a form would send of a field for such a text. */
export function sentOf(field: Field, value: Json, text: string): FormFields {
  const isLeaf = shapeOf(field, value).is === 'leaf'
  const lines = withLf(text)
    .split('\n')
    .map((line) => line.trim())
  return { [field.name]: isLeaf ? text : lines.filter((line) => line !== '') }
}
