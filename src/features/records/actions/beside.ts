import type { Head } from '#core/document.ts'
import { fieldOf } from '#core/queries/comparison.ts'
import { wanted } from '#core/queries/lookups.ts'
import { matches } from '#core/queries/operators.ts'
import { lookups } from '#core/rules/rules.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { AddressChange } from '../links/address-change.ts'

/**
 * Throws InvalidInput where a record is to have a value that must be unique in its type, and another of those that are written
 * with it, which are as `after`, has it then, too.
 */
export function checkBeside(
  types: ContentTypes,
  type: ContentType,
  { going, change }: AddressChange,
  after: readonly Head[],
): void {
  const errors: FieldErrors = {}
  for (const lookup of lookups(type, change.put.set ?? {}, going.before.fields)) {
    if (lookup.kind !== 'unique' || lookup.type !== type.name) continue
    const condition = wanted(types, lookup)
    const isTaken = after.some((other) => other.key.id !== change.key.id && matches(fieldOf(other, lookup.target, ''), condition))
    if (isTaken) errors[lookup.field] = [...(errors[lookup.field] ?? []), lookup.message]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
}
