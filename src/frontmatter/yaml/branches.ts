import type { Fields, Json } from '#lib/json.ts'
import { isObject } from '../changes.ts'

/** The entry of a list of lists as it is to be. */
export interface Branch {
  /** The places in the lists at which it stands now, from the outermost; undefined for a new one. */
  readonly from?: readonly number[] | undefined
  /** Its keys that change, but for that of the list below it; undefined takes one away. */
  readonly set: Readonly<Record<string, Json | undefined>>
  readonly below: readonly Branch[]
}

/** The keys under which the lists are: of the text, and of each entry. */
export interface Keys {
  readonly list: string
  readonly below: string
}

/** Returns the data with the lists that branches stand for. */
export function treeAfter(data: Readonly<Fields>, keys: Keys, branches: readonly Branch[]): Fields {
  return { ...data, [keys.list]: branches.map((branch) => entryAfter(data, keys, branch)) }
}

/** Returns an entry as a branch has it, with the list below it. */
export function entryAfter(data: Readonly<Fields>, keys: Keys, branch: Branch): Json {
  const old = entryAt(data[keys.list], keys.below, branch.from)
  if (old !== undefined && !isObject(old)) return old
  const made: Fields = { ...old }
  for (const [key, value] of Object.entries(branch.set)) {
    if (value === undefined) delete made[key]
    else made[key] = value
  }
  const below = branch.below.map((one) => entryAfter(data, keys, one))
  if (below.length > 0) made[keys.below] = below
  else if (isFilled(old?.[keys.below])) delete made[keys.below]
  return made
}

/** Returns the entry at some places of lists in lists; undefined where there is none. */
export function entryAt(list: Json | undefined, below: string, from: readonly number[] | undefined): Json | undefined {
  let entry: Json | undefined
  let level = list
  for (const place of from ?? []) {
    entry = Array.isArray(level) ? level[place] : undefined
    level = isObject(entry) ? entry[below] : undefined
  }
  return entry
}

/** Returns whether a value is a list with anything in it. */
export function isFilled(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}
