import { isObject } from '#frontmatter/changes.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Stands between the names of a group and a setting. */
const BETWEEN = '\0'

/**
 * Returns the fields of some versions of the file that holds all groups of settings, each setting by itself. A group that is no
 * object in one of them stays whole.
 */
export function apart(versions: readonly Readonly<Fields>[]): Fields[] {
  const isWhole = (group: string) =>
    group.includes(BETWEEN) || versions.some((fields) => Object.hasOwn(fields, group) && !isObject(fields[group] ?? null))
  return versions.map((fields) => {
    const found: [string, Json][] = []
    for (const [group, value] of Object.entries(fields)) {
      if (isWhole(group) || !isObject(value)) found.push([group, value])
      else for (const [name, one] of Object.entries(value)) found.push([`${group}${BETWEEN}${name}`, one])
    }
    return Object.fromEntries(found)
  })
}

/** Returns changes of settings, null for one that is removed, as changes of the groups of `held`. */
export function together(changes: Readonly<Fields>, held: Readonly<Fields>): Fields {
  const made: Fields = {}
  for (const [field, value] of Object.entries(changes)) {
    const [group = '', name] = field.split(BETWEEN)
    if (name === undefined) made[field] = value
    else {
      const before = made[group] ?? held[group] ?? null
      const { [name]: _, ...others } = isObject(before) ? before : {}
      // One that is there keeps its place.
      made[group] = value === null ? others : { ...(isObject(before) ? before : {}), [name]: value }
    }
  }
  return Object.fromEntries(Object.entries(made).map(([group, value]) => [group, isEmpty(value) ? null : value]))
}

/** The name of a field in words: that of a setting as it is over HTTP. */
export function nameOf(field: string): string {
  return field.replace(BETWEEN, '.')
}

function isEmpty(value: Json): boolean {
  return isObject(value) && Object.keys(value).length === 0
}
