import { isObject } from '#frontmatter/changes.ts'
import { toDay, toInstant } from '#frontmatter/instants.ts'
import type { Json } from '#lib/json.ts'
import type { Field, Instants } from '../types/content-type.ts'

/** The most instants of one value that are brought to their form; those after them stay as they are written. */
const MOST = 2000

/** Returns the instants that are declared in the values of a field; undefined where none are. */
export function instantsOf(field: Field): Instants | undefined {
  if (field.type === 'datetime') return true
  const of = field.of && instantsOf(field.of)
  if (of) return { of }
  const parts = [...(field.fields ?? [])].flatMap(([name, part]) => {
    const within = instantsOf(part)
    return within ? [[name, within] as const] : []
  })
  return parts.length > 0 ? { fields: Object.fromEntries(parts) } : undefined
}

/** Returns a value with the instants within it in RFC 3339 UTC; what is no date stays as it is. */
export function withInstants(value: Json, instants: Instants, timezone: string): Json {
  let left = MOST
  return turned(value, undefined, instants, (text) => (left-- > 0 ? toInstant(text, timezone) : undefined) ?? text)
}

/** Returns a value with the instants within it as the file spells them in `old`, the value that it has now. */
export function spelledInstants(value: Json, old: Json | undefined, instants: Instants, timezone: string): Json {
  const turn = (text: string, before: Json | undefined) => {
    const instant = toInstant(text, timezone)
    // Two texts that are no dates mean nothing alike.
    const isSame = typeof before === 'string' && instant !== undefined && toInstant(before, timezone) === instant
    return isSame ? before : rawInstant(text, before, timezone)
  }
  return turned(value, old, instants, turn, (items, olds, of) => inPlaces(items, olds, of, timezone))
}

/** An instant as a file is to have it that has `old` now: one that gives days goes on giving days where the time is a midnight. */
export function rawInstant(value: string, old: Json | undefined, timezone: string): string {
  const [, sign] = (typeof old === 'string' && /^\d{4}([-/])\d\d?\1\d\d?$/.exec(old.trim())) || []
  const instant = toInstant(value, timezone)
  const day = sign !== undefined && instant !== undefined ? toDay(instant, timezone) : undefined
  return day?.replaceAll('-', sign ?? '-') ?? value
}

/** For each item the one of `olds` that means the same, wherever it stands, else the one in its place. */
function inPlaces(items: readonly Json[], olds: readonly Json[], of: Instants, timezone: string): (Json | undefined)[] {
  const textOf = (item: Json) => JSON.stringify(withInstants(item, of, timezone))
  const known = new Map(olds.map((old) => [textOf(old), old]))
  return items.map((item, n) => known.get(textOf(item)) ?? olds[n])
}

type Turn = (text: string, old: Json | undefined) => string
type Places = (items: readonly Json[], olds: readonly Json[], of: Instants) => readonly (Json | undefined)[]

/** `turn` gets each text that is to be an instant, and what is in its place in `old`. Unchanged parts are the same objects. */
function turned(value: Json, old: Json | undefined, instants: Instants, turn: Turn, places: Places = (_, olds) => olds): Json {
  if (instants === true) return typeof value === 'string' ? turn(value, old) : value
  if ('of' in instants) {
    if (!Array.isArray(value)) return value
    const olds = Array.isArray(old) ? places(value, old, instants.of) : []
    const made = value.map((item, n) => turned(item, olds[n], instants.of, turn, places))
    return made.some((item, n) => item !== value[n]) ? made : value
  }
  if (!isObject(value)) return value
  const made = Object.entries(instants.fields).flatMap(([name, within]) => {
    const part = Object.hasOwn(value, name) ? value[name] : undefined
    if (part === undefined) return []
    const before = isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined
    const other = turned(part, before, within, turn, places)
    return other === part ? [] : [[name, other] as const]
  })
  return made.length > 0 ? { ...value, ...Object.fromEntries(made) } : value
}
