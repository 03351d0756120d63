import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Json } from '#lib/json.ts'
import { itemShape, type Shape, shapeOf } from './shapes.ts'

/** Names of inputs may have 32 levels. */
const MOST_LEVELS = 20

/** Returns the number of texts that a form sends of a field with this value, up to more than `most`; more if it is nested too deep. */
export function inputsOf(field: Field, value: Json | undefined, most: number): number {
  return count(field, shapeOf(field, value), value, most, MOST_LEVELS)
}

function count(field: Field, shape: Shape, value: Json | undefined, most: number, levels: number): number {
  if (levels === 0) return most + 1
  // A hidden input comes before those of boxes, lists and items.
  let inputs = field.type === 'boolean' ? 2 : 1
  if (shape.is === 'several') inputs += 1 + (Array.isArray(value) ? value.length : 0) + (field.options?.length ?? 0)
  if (shape.is === 'list') {
    for (const one of Array.isArray(value) ? value : []) {
      if (inputs > most) break
      inputs += count(shape.item, itemShape(shape.item, one), one, most - inputs, levels - 1)
    }
  }
  if (shape.is === 'object') {
    for (const part of shape.fields) {
      if (inputs > most) break
      const held = isObject(value) && Object.hasOwn(value, part.name) ? value[part.name] : undefined
      inputs += count(part, shapeOf(part, held), held, most - inputs, levels - 1)
    }
  }
  return inputs
}
