import type { Fields, Json } from '#lib/json.ts'
import { MAX_DEPTH, tooDeep } from './fault.ts'

/** A copy that JSON can hold: what is no number of JSON's (`.nan`, `.inf`) becomes its name. Throws Fault beyond MAX_DEPTH. */
export function toJson(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) throw tooDeep(0)
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1))
  const copy: Fields = {}
  for (const [key, item] of Object.entries(value)) copy[key] = toJson(item, depth + 1)
  return copy
}
