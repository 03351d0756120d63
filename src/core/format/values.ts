import type { Shape } from '../content-type.ts'
import type { Fields, Json } from '../json.ts'
import { termId } from '../terms.ts'
import { toInstant } from './instants.ts'
import { canonicalName, draftOf, senseOf } from './names.ts'

/** A file's values under Quire's names and in Quire's forms, without what is derived; `odd` says what could not be understood. */
export interface Canonical {
  fields: Fields
  /** Of records: kept beside their fields. */
  createdAt: string | undefined
  updatedAt: string | undefined
  odd: { key: string; message: string; hint: string } | undefined
}

/** Brings front matter to Quire's names and forms. `body` is left out: it is no field. */
export function canonical(data: Readonly<Fields>, shape: Shape): Canonical {
  const fields: Fields = {}
  const result: Canonical = { fields, createdAt: undefined, updatedAt: undefined, odd: undefined }
  const draft = shape.record ? draftOf(data) : undefined
  for (const key in data) {
    if (key === 'body' || (key === 'draft' && draft !== undefined)) continue
    const name = canonicalName(key, shape)
    // Of several keys for one field, the one of Quire's own name wins, else the first.
    if (key !== name && (Object.hasOwn(data, name) || Object.hasOwn(fields, name))) continue
    const value = read(name, key, data[key] ?? null, shape, result)
    if (shape.record && name === 'created_at') result.createdAt ??= textOf(value)
    else if (shape.record && name === 'updated_at') result.updatedAt ??= textOf(value)
    else fields[name] = value
  }
  if (shape.record && !textOf(fields.status)) {
    fields.status = draft === undefined ? shape.defaultStatus : draft ? 'draft' : shape.liveStatus
  }
  return result
}

function read(name: string, key: string, value: Json, shape: Shape, result: Canonical): Json {
  const sense = senseOf(name, shape)
  if (sense === 'any' || (value === null && sense !== 'terms' && sense !== 'strings')) return value
  if (sense === 'terms') return terms(value)
  if (sense === 'strings') return strings(value)
  if (sense === 'instant') return instant(key, value, shape, result)
  if (typeof value !== 'object') return String(value)
  result.odd ??= { key, message: `"${key}" is not a text.`, hint: `Write ${key}: a text on one line.` }
  return sense === 'status' ? JSON.stringify(value) : null
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Names of terms, one or many, as the list of their ids without doubles. */
export function terms(value: Json): string[] {
  return [...new Set(strings(value).map(termId))].filter((id) => id !== '')
}

function strings(value: Json): string[] {
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => item !== null && typeof item !== 'object' && item !== '').map(String)
}

function instant(key: string, value: Json, shape: Shape, result: Canonical): string | null {
  const found = typeof value === 'string' ? toInstant(value, shape.timezone) : undefined
  if (found !== undefined || value === '') return found ?? null
  result.odd ??= {
    key,
    message: `"${key}" is not a date that Quire can read: ${JSON.stringify(value)}.`,
    hint: 'Write it as 2026-01-31 or 2026-01-31T12:00:00Z.',
  }
  return null
}
