import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Note } from '#core/history/revision.ts'
import { ALL_GROUPS, groupKey, groupOf, groupWithin } from '#core/settings.ts'
import type { Change, Store } from '#core/store.ts'
import { Conflict, Stale } from '#lib/errors.ts'
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

/** Values that settings of a group are given; undefined for those that are removed. */
export type GroupValues = ReadonlyMap<string, Json | undefined>

/** Gives settings of a group these values, in one write. Throws Stale where the group was changed before it. */
export async function writeGroup(
  store: Store,
  access: Access,
  group: StoredGroup,
  values: GroupValues,
  note: Note,
): Promise<void> {
  await store.write([changeOf(group, values)], access.author, note).catch(async (error: unknown) => {
    const isMade = error instanceof Conflict && !group.document && (await store.head(groupKey(group.name)))
    throw isMade ? new Stale() : error
  })
}

function changeOf(group: StoredGroup, values: GroupValues): Change {
  const { document } = group
  const expects = document?.version ?? 'absent'
  const set = Object.fromEntries([...values].map(([name, value]) => [name, value ?? null]))
  if (!document) return { key: groupKey(group.name), put: { set }, expects }
  const { key } = document
  if (group.isWithin) return { key, put: { set: { [group.name]: within(document.fields[group.name], values) } }, expects }
  if (areLast(document, values)) return { key, remove: true, expects }
  return { key, put: { set }, expects }
}

function within(held: Json | undefined, values: GroupValues): Json {
  const others = Object.entries(held as Fields).filter(([name]) => !values.has(name) || values.get(name) !== undefined)
  const kept = others.map(([name, value]): [string, Json] => [name, values.get(name) ?? value])
  const known = new Set(kept.map(([name]) => name))
  const added = [...values].flatMap(([name, value]): [string, Json][] =>
    known.has(name) || value === undefined ? [] : [[name, value]],
  )
  const all = [...kept, ...added]
  return all.length === 0 ? null : Object.fromEntries(all)
}

/** Returns whether nothing is left in a document without these: no value, no text and no comment. */
function areLast({ fields, body, source }: Document, values: GroupValues): boolean {
  const isGone = (name: string) => values.has(name) && values.get(name) === undefined
  const isKept = [...values.values()].some((value) => value !== undefined)
  return !isKept && Object.keys(fields).every(isGone) && body.trim() === '' && !source?.includes('#')
}
