import type { Fields, Json } from '#lib/json.ts'
import { compareText } from '#lib/text/compare.ts'
import { FIRST_MARK, isMark, normalForm } from '#lib/text/normal-form.ts'
import type { Head } from '../document.ts'
import type { Comparison, Sort } from './query.ts'

/** A value in its comparable form. Undefined if there is nothing to compare. */
export type Comparable = number | string | undefined

/** The value a condition or a sort key names: `id`, `status` (as the clock has it), `created_at`, `updated_at`, `term_names[…]`, else a field. */
export function fieldOf(head: Head, field: string, status: string): Json | undefined {
  if (field === 'id') return head.key.id
  if (field === 'status') return status === '' ? undefined : status
  if (field === 'created_at') return head.createdAt
  if (field === 'updated_at') return head.updatedAt
  const own = ownKeyIn(field)
  if (own !== undefined) return ownValue(head.fields, own)
  const taxonomy = taxonomyIn(field)
  if (taxonomy !== undefined) return namesOf(head, taxonomy)
  // Requests name fields too, and objects inherit some names.
  return Object.hasOwn(head.fields, field) ? head.fields[field] : undefined
}

const IN_OWN = /^own\[([^[\]]+)\]$/

/** The key that a field of a condition names in `own`: `version` of `own[version]`; undefined for any other field. */
export function ownKeyIn(field: string): string | undefined {
  return field.startsWith('own[') ? IN_OWN.exec(field)?.[1] : undefined
}

const IN_NAMES = /^term_names\[([^[\]]+)\]$/

/** The field that has the names of a taxonomy's terms; see `Head.termNames`. */
export function namesField(taxonomy: string): string {
  return `term_names[${taxonomy}]`
}

/** The taxonomy whose names a field has; undefined for any other field. */
export function taxonomyIn(field: string): string | undefined {
  return field.startsWith('term_names[') ? IN_NAMES.exec(field)?.[1] : undefined
}

function namesOf({ termNames = {} }: Head, taxonomy: string): Json | undefined {
  return Object.hasOwn(termNames, taxonomy) ? termNames[taxonomy] : undefined
}

function ownValue({ own }: Readonly<Fields>, key: string): Json | undefined {
  if (own === null || typeof own !== 'object' || Array.isArray(own)) return undefined
  return Object.hasOwn(own, key) ? own[key] : undefined
}

/** The order of heads under some sort keys: null last both ways, ties by id. `statusOf` gives what the clock makes of a status. */
export function orderHeads(sorts: readonly Sort[], statusOf: (head: Head) => string): (a: Head, b: Head) => number {
  return (a, b) => {
    for (const { field, as, descending } of sorts) {
      const one = sortable(fieldOf(a, field, statusOf(a)), as)
      const two = sortable(fieldOf(b, field, statusOf(b)), as)
      const order = compareKeys(one, two, descending)
      if (order !== 0) return order
    }
    return compareText(a.key.id, b.key.id)
  }
}

/**
 * Returns the sort key of a value for `orderHeads`: a scalar, or undefined for what sorts last. A list is ordered by its first
 * item.
 */
export function sortable(value: Json | undefined, as: Comparison): SortKey {
  const item = Array.isArray(value) ? value[0] : value
  if (item === undefined || item === null || typeof item === 'object') return undefined
  if (as === 'any') return item
  return comparable(item, as)
}

/** A value made ready for sorting. */
export type SortKey = number | string | boolean | undefined

/** The order of two sort keys; undefined is last both ways, numbers come before texts and texts before booleans. */
export function compareKeys(a: SortKey, b: SortKey, descending: boolean): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1
  const order = compareComparables(a, b)
  return descending ? -order : order
}

const ASCII = /^[\0-\x7f]*$/
/** Text without case and accents, for `contains`. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const whole = normalForm(text, 'NFD')
  let [kept, from] = ['', 0]
  // Looking each character up takes half the time of a regular expression.
  for (let at = 0; at < whole.length; at++) {
    if (whole.charCodeAt(at) < FIRST_MARK) continue
    const code = whole.codePointAt(at) ?? 0
    const end = code > 0xffff ? at + 2 : at + 1
    if (isMark(code)) {
      kept += whole.slice(from, at)
      from = end
    }
    at = end - 1
  }
  return (kept + whole.slice(from)).toLowerCase()
}

/** The order of two values that are there: numbers come before texts and texts before booleans. */
export function compareComparables(a: number | string | boolean, b: number | string | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  // Not the difference: infinity less infinity is no number.
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0
  return rankOf(a) - rankOf(b)
}

function rankOf(value: number | string | boolean): number {
  return typeof value === 'number' ? 0 : typeof value === 'string' ? 1 : 2
}

/** The form in which a value equals another: texts, numbers and instants as themselves, `any` as text. */
export function comparable(value: Json, as: Comparison): Comparable {
  if (value === null || typeof value === 'object') return undefined
  if (as === 'number') return numberOf(value)
  if (as === 'instant') return typeof value === 'string' ? numberOrNothing(Date.parse(value)) : undefined
  return String(value)
}

function numberOf(value: boolean | number | string): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? numberOrNothing(Number(value)) : undefined
}

function numberOrNothing(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value
}
