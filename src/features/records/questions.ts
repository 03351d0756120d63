import type { Access } from '#core/access.ts'
import type { ContentType } from '#core/content-type.ts'
import { type Key, parseKey } from '#core/key.ts'
import { type Lookup, lookups } from '#core/rules.ts'
import type { Claim } from '#core/store.ts'
import { comparisonOf } from '#core/types.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Deps } from './parts.ts'
import { isThere } from './rights.ts'

/**
 * Asks the store what the rules of the changed fields want to know; throws InvalidInput. `self` is the record itself, where there
 * is one.
 */
export async function checkLookups(
  deps: Deps,
  access: Access,
  type: ContentType,
  set: Fields,
  self: Key | undefined,
): Promise<void> {
  const errors: FieldErrors = {}
  for (const lookup of lookups(type, set)) {
    const holds = lookup.kind === 'unique' ? await isUnique(deps, lookup, self) : await exists(deps, access, lookup)
    if (!holds) errors[lookup.field] = [...(errors[lookup.field] ?? []), lookup.message]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
}

/** The values that must be unique, for the store to check in the same step as the write. */
export function claimsOf(type: ContentType, set: Fields): Claim[] {
  return lookups(type, set).flatMap(({ kind, type: kindOf, target, value }) =>
    kind === 'unique' && kindOf === type.name && typeof value === 'string' ? [{ field: target, value }] : [],
  )
}

async function isUnique({ store, types }: Deps, { type, target, value }: Lookup, self: Key | undefined): Promise<boolean> {
  const as = comparisonOf(target, types.get(type)?.fields ?? new Map())
  const { items } = await store.heads(type, { where: [{ field: target, op: 'eq', value, as }], limit: 2 })
  return items.every(({ key }) => self !== undefined && key.kind === self.kind && key.id === self.id)
}

/**
 * Checks whether a referenced record exists for the reader. One that the reader may not see does not exist, since a rule must not
 * reveal it.
 */
async function exists({ store, types, clock }: Deps, access: Access, { type: name, value }: Lookup): Promise<boolean> {
  const type = access.sees(name) ? types.get(name) : undefined
  const key = type && parseKey(name, String(value))
  const document = key && (await store.get(key))
  return type !== undefined && document !== undefined && isThere(access, type, document, clock.now())
}
