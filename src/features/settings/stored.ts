import type { Document } from '#core/document.ts'
import { ALL_GROUPS, groupKey, groupOf, groupWithin } from '#core/settings.ts'
import type { Change, Store } from '#core/store.ts'
import type { Fields, Json } from '#lib/json.ts'

/** A group of settings as it is stored. */
export interface StoredGroup {
  readonly name: string
  /** The document that holds it: its own, or that of all groups. Undefined where none does. */
  readonly document: Document | undefined
  /** The values that can be settings, by name; none of a document that can't be read. */
  readonly values: Readonly<Fields>
  /** True if its document holds other groups as well. */
  readonly isWithin: boolean
}

/** Finds a group where it is stored. A document of all groups that can't be read may hold any that has none of its own. */
export async function storedGroup(store: Store, name: string): Promise<StoredGroup> {
  const own = await store.get(groupKey(name))
  if (own) return { name, document: own, values: groupOf(own).values, isWithin: false }
  const whole = await store.get(ALL_GROUPS)
  const found = whole && groupWithin(whole, name)
  if (found) return { name, document: whole, values: found.values, isWithin: true }
  if (whole?.problem?.severity === 'error') return { name, document: whole, values: {}, isWithin: true }
  return { name, document: undefined, values: {}, isWithin: false }
}

/** Returns the change that gives a setting of a group this value; undefined removes it. */
export function changeOf(group: StoredGroup, name: string, value: Json | undefined): Change {
  const { document } = group
  const expects = document?.version ?? 'absent'
  if (!document) return { key: groupKey(group.name), put: { set: { [name]: value ?? null } }, expects }
  const { key } = document
  if (group.isWithin) return { key, put: { set: { [group.name]: within(document.fields[group.name], name, value) } }, expects }
  if (value === undefined && isLast(document, name)) return { key, remove: true, expects }
  return { key, put: { set: { [name]: value ?? null } }, expects }
}

function within(held: Json | undefined, name: string, value: Json | undefined): Json {
  const { [name]: _, ...others } = held as Fields
  if (value !== undefined) return { ...(held as Fields), [name]: value }
  return Object.keys(others).length === 0 ? null : others
}

/** Returns whether nothing else is in a document: no value, no text and no comment. */
function isLast({ fields, body, source }: Document, name: string): boolean {
  return Object.keys(fields).every((one) => one === name) && body.trim() === '' && !source?.includes('#')
}
