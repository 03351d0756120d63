import type { Fields, Json } from '#lib/json.ts'

/** Top-level keys to be set, or removed (undefined), in their order. */
export type Edits = ReadonlyMap<string, Json | undefined>

/** Sets one top-level key of a text that holds `data`, or removes it. */
type SpliceKey = (text: string, data: Readonly<Fields>, key: string, value: Json | undefined, eol: string) => string

/** Returns `data` with the edits made, as a copy. */
export function dataAfter(data: Readonly<Fields>, edits: Edits): Fields {
  const kept = Object.entries(data).filter(([key]) => !edits.has(key))
  const set = [...edits].filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return { ...Object.fromEntries(kept), ...Object.fromEntries(set) }
}

/** Makes edits one key after the other, each in the text that the one before left. */
export function keyByKey(splice: SpliceKey) {
  return (text: string, data: Readonly<Fields>, edits: Edits, eol: string): string => {
    let now = text
    let held = data
    for (const [key, value] of edits) {
      now = splice(now, held, key, value, eol)
      held = dataAfter(held, new Map([[key, value]]))
    }
    return now
  }
}
