/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A record's fields by name, or a file's front matter by key. */
export type Fields = { [name: string]: Json }

/** Returns the characters of a value as JSON, where none of a text is escaped: at most as many as its bytes. */
export function jsonLength(value: Json): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 1
  const isList = Array.isArray(value)
  const items = isList ? value : Object.values(value)
  // Brackets, and a comma after each item but the last.
  let length = items.length === 0 ? 2 : 1 + items.length
  for (const item of items) length += jsonLength(item)
  if (!isList) for (const name of Object.keys(value)) length += name.length + 3
  return length
}
