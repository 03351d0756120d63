import { isDeepStrictEqual } from 'node:util'
import type { Fields, Json } from '#lib/json.ts'
import type { Path } from './json/json.ts'

/** One value to be set (undefined: removed) at a path. */
export interface PathEdit {
  path: Path
  value: Json | undefined
}

/** The smallest edits that make `before` into `after`: inside objects by key, inside lists of one length by place, else the value whole. */
export function changesBetween(before: Json | undefined, after: Json | undefined, path: Path): PathEdit[] {
  if (isDeepStrictEqual(before, after)) return []
  if (isObject(before) && isObject(after) && Object.keys(after).length > 0) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap((key) => changesBetween(own(before, key), own(after, key), [...path, key]))
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length && after.some(isNested)) {
    return after.flatMap((item, i) => changesBetween(before[i], item, [...path, i]))
  }
  return [{ path, value: after }]
}

/** `data` with one edit made, as a copy. */
export function applied(data: Readonly<Fields>, { path, value }: PathEdit): Fields {
  return appliedAt(data, path, value) as Fields
}

/** The value at a path, or undefined. */
export function valueAt(data: Json | undefined, path: Path): Json | undefined {
  let value: Json | undefined = data
  for (const step of path) {
    if (value === null || typeof value !== 'object') return undefined
    value = Array.isArray(value) ? value[Number(step)] : own(value, String(step))
  }
  return value
}

function appliedAt(data: Json | undefined, path: Path, value: Json | undefined): Json {
  const [step, ...rest] = path
  if (step === undefined) return value ?? null
  if (Array.isArray(data)) return data.map((item, i) => (i === step ? appliedAt(item, rest, value) : item))
  const copy: Fields = isObject(data) ? { ...data } : {}
  if (rest.length === 0 && value === undefined) delete copy[String(step)]
  else copy[String(step)] = appliedAt(own(copy, String(step)), rest, value)
  return copy
}

function own(fields: Readonly<Fields>, key: string): Json | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

function isNested(value: Json): boolean {
  return value !== null && typeof value === 'object'
}

/** True for an object that is no list. */
export function isObject(value: Json | undefined): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
