import type { Field } from '#core/types/content-type.ts'
import { labelOf } from '#core/types/fields.ts'
import type { Json } from '#lib/json.ts'
import type { Resource } from '../../resource.ts'
import type { Titles } from '../forms/titles.ts'
import { avatarOf } from '../rendering/avatar.ts'

/** A cell of a list. One that is bare (a number, yes or no) needs the heading of its column beside it on a phone. */
export type Cell =
  | { readonly kind: 'text'; readonly text: string; readonly is_bare: boolean; readonly is_short: boolean }
  | { readonly kind: 'time' | 'day'; readonly at: string }
  | { readonly kind: 'person'; readonly person: object; readonly text: string }

const LONGEST = 120
/** A text of so many characters stays in one line. */
const SHORTEST = 16
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/

/** Returns how a value of a column is shown in a list. */
export function cellOf(held: Json | undefined, column: string, field?: Field, titles?: Titles): Cell {
  const value = presented(held, field) ?? titledIn(held, field, titles)
  if (typeof value === 'string' && field?.type === 'date') return { kind: 'day', at: value }
  if (typeof value === 'string' && column === 'author' && value !== '')
    return { kind: 'person', person: avatarOf({ id: String(held), name: value }), text: value }
  if (typeof value === 'string' && TIME.test(value)) return { kind: 'time', at: value }
  const text = textOf(value)
  const isBare = typeof value === 'number' || typeof value === 'boolean'
  const isShort = text.length <= SHORTEST
  return { kind: 'text', text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, is_bare: isBare, is_short: isShort }
}

/** The words of a field's own type for a value; of several of them, for each. */
function presented(value: Json | undefined, field: Field | undefined): Json | undefined {
  const present = field?.custom?.present
  if (!present || value === undefined || value === null) return undefined
  return field.multiple && Array.isArray(value) ? value.map(present) : present(value)
}

/** The value of a reference by its titles. */
function titledIn(value: Json | undefined, field: Field | undefined, titles: Titles | undefined): Json | undefined {
  const { type, to } = field ?? {}
  if (type !== 'reference' || to === undefined || !titles) return value
  if (Array.isArray(value)) return value.map((one) => titledIn(one, field, titles) ?? one)
  return typeof value === 'string' ? (titles.of(to, value) ?? value) : value
}

const LABELS: Readonly<Record<string, string>> = {
  published_at: 'Published',
  updated_at: 'Changed',
  created_at: 'Created',
  last_used_at: 'Last used',
  expires_at: 'Ends',
}

/** Returns the heading of a column. */
export function labelOfColumn(resource: Resource, name: string): string {
  return resource.labels?.[name] ?? LABELS[name] ?? (name === 'title' && resource.layout === 'form' ? 'Name' : labelOf(name))
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'object') return typeof value.name === 'string' ? value.name : JSON.stringify(value)
  return String(value)
}
