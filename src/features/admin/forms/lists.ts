import type { Field } from '#core/types/content-type.ts'
import { isObject } from '#frontmatter/changes.ts'
import type { Json } from '#lib/json.ts'
import type { FormFields, FormValue } from './form-values.ts'
import { KEPT } from './shapes.ts'

/** An item of a list as a form sent it, under the number it has in the names. */
export interface SentItem {
  readonly key: string
  readonly value: FormValue
}

/** A list as a form sent it. `isDrawn`: by a form that says which of its items were there before. */
export interface SentList {
  readonly items: readonly SentItem[]
  readonly isDrawn: boolean
}

/** Returns the items of a list in the order of their numbers; undefined where what was sent is a text. */
export function listOf(sent: FormValue): SentList | undefined {
  if (typeof sent === 'string') return sent === '' ? { items: [], isDrawn: false } : undefined
  const appended = appendedIn(sent)
  const numbered = Object.entries(groupOf(sent) ?? {}).filter(([key]) => key !== '' && key !== KEPT)
  const placed = numbered.map(([key, value]) => ({ key, value, at: /^\d{1,9}$/.test(key) ? Number(key) : Number.MAX_VALUE }))
  const items = placed.sort((one, other) => one.at - other.at).map(({ key, value }) => ({ key, value }))
  const more = appended.filter((value) => value !== '').map((value, n) => ({ key: `+${n}`, value }))
  return { items: [...items, ...more], isDrawn: appended.includes('') || markOf(sent) !== undefined }
}

/** Returns a list as a form sends it, its items numbered from 0 without gaps. */
export function sentList(items: readonly FormValue[]): FormFields {
  return group([['', ['']], ...items.map((item, n) => [String(n), item] as const)])
}

/** Returns parts by name as a form sends them. */
export function group(parts: Iterable<readonly [name: string, value: FormValue]>): FormFields {
  const made = Object.create(null) as Record<string, FormValue>
  for (const [name, value] of parts) made[name] = value
  return made
}

/** Returns what was sent as parts by name; undefined for a text or a list. */
export function groupOf(sent: FormValue | undefined): FormFields | undefined {
  return sent === undefined || typeof sent === 'string' || Array.isArray(sent) ? undefined : (sent as FormFields)
}

/** Returns the texts that were sent under one name (`tags[]`), but for empty ones; undefined where it is anything else. */
export function textsOf(sent: FormValue): string[] | undefined {
  const items = listOf(sent)?.items.map(({ value }) => value)
  return items?.every((one): one is string => typeof one === 'string') ? items.filter((one) => one !== '') : undefined
}

/** Returns the number of the record's item that an item of a list is, as the form says; undefined for a new one. */
export function markOf(value: FormValue): number | undefined {
  const mark = groupOf(value)?.[KEPT]
  return typeof mark === 'string' && /^\d{1,9}$/.test(mark) ? Number(mark) : undefined
}

/** Returns what was sent with the number of the record's item that it is; undefined says that it is new. */
export function marked(sent: FormValue, mark: number | undefined): FormValue {
  if (typeof sent === 'string') return sent
  const others = Object.entries(groupOf(sent) ?? { '': sent }).filter(([name]) => name !== KEPT)
  return group(mark === undefined ? others : [[KEPT, String(mark)], ...others])
}

/** Returns what was sent as JSON of texts, for the rules to say what is wrong with it. */
export function plain(sent: FormValue): Json {
  if (typeof sent === 'string') return sent
  const parts = listOf(sent)
  if (Array.isArray(sent)) return parts?.items.map(({ value }) => plain(value)) ?? []
  return Object.fromEntries(parts?.items.map(({ key, value }) => [key, plain(value)]) ?? [])
}

/** Returns whether an item of a field has nothing in it. */
export function isNothing({ type }: Field, value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true
  if (type === 'object') return isObject(value) && Object.keys(value).length === 0
  return Array.isArray(value) && value.length === 0
}

function appendedIn(sent: FormValue): readonly FormValue[] {
  const appended = groupOf(sent)?.[''] ?? sent
  return Array.isArray(appended) ? appended : []
}
