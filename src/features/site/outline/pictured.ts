import type { Fields, Json } from '#lib/json.ts'

/** The fields that name the picture of a record, likeliest first. */
export const PICTURE_FIELDS = ['cover', 'image', 'images'] as const
/** The names of its address in them, where they are objects. */
export const PICTURE_WITHIN = ['src', 'url', 'image', 'path'] as const

/** Most characters of an address that is kept: of none longer a list of addresses takes notice. */
const LONGEST = 2047

/**
 * The part of a record's fields that says where its picture is: of lists the first item, of objects the addresses. Undefined where
 * it names none, or by an address of over 2,047 characters.
 */
export function picturedIn(fields: Readonly<Fields>): Readonly<Fields> | undefined {
  let pictured: Fields | undefined
  for (const name of PICTURE_FIELDS) {
    const value = fields[name]
    if (value == null) continue
    const [first, isLong] = addressesOf(Array.isArray(value) ? value[0] : value)
    if (isLong) return undefined
    if (first === undefined) continue
    pictured ??= {}
    // A type may have the field as a list.
    pictured[name] = Array.isArray(value) ? [first] : first
  }
  return pictured
}

/** A value that may name a picture, without what is not its address; the second is true where an address is too long. */
function addressesOf(value: Json | undefined): readonly [Json | undefined, boolean] {
  if (typeof value === 'string') return [value.trim() === '' ? undefined : value, value.length > LONGEST]
  if (value == null || typeof value !== 'object' || Array.isArray(value)) return [undefined, false]
  const kept: Fields = {}
  for (const name of PICTURE_WITHIN) {
    const address = value[name]
    if (typeof address === 'string') kept[name] = address
  }
  const addresses = Object.values(kept)
  return [addresses.length > 0 ? kept : undefined, addresses.some((one) => String(one).length > LONGEST)]
}
