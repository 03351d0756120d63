import { toInstant } from '#frontmatter/instants.ts'
import { nameInQuire, plainName } from '#frontmatter/other-tools.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Shape } from '../types/content-type.ts'
import { isLater, mappedName } from './names.ts'

/** The keys of a file that bound when it is public, each with its instant; those that can't be read are left out. */
export interface Bounds {
  readonly later: readonly Bound[]
  readonly ends: readonly Bound[]
}

interface Bound {
  readonly key: string
  readonly instant: string
}

/** Returns the start dates of a file besides its date (`publishDate`), and all its end dates. */
export function boundsOf(data: Readonly<Fields>, shape: Shape): Bounds {
  const later: Bound[] = []
  const ends: Bound[] = []
  for (const key in data) {
    const list = isLater(key, data[key], shape) ? later : isEnd(key, shape) ? ends : undefined
    const instant = list && instantOf(data[key], shape)
    if (instant !== undefined) list?.push({ key, instant })
  }
  return { later, ends }
}

/** The instant of `published_at` as later bounds leave it: the latest of all. */
export function latest(instant: Json | undefined, bounds: readonly Bound[]): Json | undefined {
  return bounds.reduce((found, bound) => (typeof found !== 'string' || bound.instant > found ? bound.instant : found), instant)
}

/** The instant of `expires_at` as all that says one leaves it: the earliest. */
export function earliest(instant: Json | undefined, bounds: readonly Bound[]): Json | undefined {
  return bounds.reduce((found, bound) => (typeof found !== 'string' || bound.instant < found ? bound.instant : found), instant)
}

/** True for a key of the time at which a text ends, or begins apart from its date: one that can't be read must not be ignored. */
export function isBound(key: string, shape: Shape): boolean {
  return isEnd(key, shape) || (shape.record && plainName(key) === 'publishdate' && !Object.hasOwn(shape.map, key))
}

function isEnd(key: string, shape: Shape): boolean {
  if (!shape.record) return false
  return (mappedName(key, shape) ?? nameInQuire(key, undefined)) === 'expires_at'
}

function instantOf(value: Json | undefined, shape: Shape): string | undefined {
  return typeof value === 'string' ? toInstant(value, shape.timezone) : undefined
}
