import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Json } from '#lib/json.ts'
import type { FormValue } from './form-values.ts'
import { group, groupOf, isNothing, listOf, marked, markOf, type SentItem, sentList } from './lists.ts'
import { Reading } from './reading.ts'
import { itemShape, KEPT, shapeOf } from './shapes.ts'

/**
 * Returns what was sent with lists as they will be: numbered without gaps, without new items that nothing is in. An item that was there
 * before says so, also where the form did not: then it is the one of its number.
 */
export function settled(field: Field, sent: FormValue, held: Json | undefined, zone: string): FormValue {
  const shape = shapeOf(field, held)
  if (shape.is === 'list') {
    const list = listOf(sent)
    return list ? settledList(shape.item, list.items, list.isDrawn, Array.isArray(held) ? held : [], zone) : sent
  }
  const parts = groupOf(sent)
  if (shape.is !== 'object' || !parts) return sent
  const fields = new Map(shape.fields.map((part) => [part.name, part]))
  const made = Object.entries(parts).map(([name, value]) => {
    const part = fields.get(name)
    const old = isObject(held) && Object.hasOwn(held, name) ? held[name] : undefined
    return [name, part ? settled(part, value, old, zone) : value] as const
  })
  return group(made)
}

function settledList(item: Field, items: readonly SentItem[], isDrawn: boolean, held: readonly Json[], zone: string): FormValue {
  const isMarked = isDrawn || items.some(({ value }) => markOf(value) !== undefined)
  const used = new Set<number>()
  const numberOf = ({ key, value }: SentItem): number | undefined => {
    const n = isMarked ? markOf(value) : typeof value === 'string' ? undefined : Number(key)
    if (n === undefined || !(n in held) || used.has(n)) return undefined
    used.add(n)
    return n
  }
  let empty = held.filter((one) => one !== null && isNothing(item, one)).length
  const made: FormValue[] = []
  for (const one of items) {
    const n = numberOf(one)
    const old = n === undefined ? plainAt(item, held, one) : held[n]
    const isKept = n !== undefined && itemShape(item, old).is === 'kept'
    const value = isKept ? group([[KEPT, String(n)]]) : marked(settled(item, one.value, old, zone), n)
    const isEmpty = item.type !== 'boolean' && isBlank(value) && isNothing(item, itemValue(item, value, old, zone))
    if (!isEmpty || (n === undefined ? empty-- > 0 : isStill(item, old))) made.push(value)
  }
  return sentList(made)
}

/** Texts do not say which item they were: they are taken for the one of their number. */
function plainAt(item: Field, held: readonly Json[], { key, value }: SentItem): Json | undefined {
  const old = held[Number(key)]
  return typeof value !== 'string' || itemShape(item, old).is === 'kept' ? undefined : old
}

function isStill(item: Field, old: Json | undefined): boolean {
  return itemShape(item, old).is === 'kept' || isNothing(item, old)
}

function itemValue(item: Field, sent: FormValue, held: Json | undefined, zone: string): Json {
  return new Reading(zone).item(item, sent, held, { path: '', isNew: false })
}

/** Returns whether nothing was typed or ticked. */
function isBlank(sent: FormValue): boolean {
  if (typeof sent === 'string') return sent === '' || sent === 'false'
  if (Array.isArray(sent)) return sent.every(isBlank)
  return Object.entries(sent).every(([name, value]) => name === KEPT || isBlank(value))
}
