import type { Field } from '#core/types/content-type.ts'
import { itemOf } from '#core/types/fields.ts'
import type { Fields, Json } from '#lib/json.ts'

/** A string in the fields of a document; `field` is what is declared of it, undefined where nothing is. */
export interface Said {
  readonly field: Field | undefined
  readonly text: string
}

type Declared = ReadonlyMap<string, Field>

/** The strings in fields, however deep. */
export function stringsOf(fields: Readonly<Fields>, declared: Declared): Said[] {
  const found: Said[] = []
  withStrings(fields, declared, (said) => {
    found.push(said)
    return undefined
  })
  return found
}

/** Returns the fields in which `rewrite` gives another string for one that is there, whole. */
export function withStrings(fields: Readonly<Fields>, declared: Declared, rewrite: (said: Said) => string | undefined): Fields {
  const made = Object.entries(fields).map(([name, value]) => [name, within(value, declared.get(name), rewrite)] as const)
  return Object.fromEntries(made.filter((entry): entry is [string, Json] => entry[1] !== undefined))
}

function within(value: Json, field: Field | undefined, rewrite: (said: Said) => string | undefined): Json | undefined {
  if (typeof value === 'string') return rewrite({ field, text: value })
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) {
    const set = withStrings(value, field?.fields ?? new Map(), rewrite)
    return Object.keys(set).length === 0 ? undefined : { ...value, ...set }
  }
  const item = field && itemOf(field)
  const made = value.map((one) => within(one, item, rewrite))
  return made.some((one) => one !== undefined) ? value.map((one, n) => made[n] ?? one) : undefined
}
