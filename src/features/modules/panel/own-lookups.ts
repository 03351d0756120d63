import type { Access } from '#core/access/access.ts'
import type { Key } from '#core/key.ts'
import { checkLookups, type LookupDeps } from '#core/queries/lookups.ts'
import { type Lookup, lookups } from '#core/rules/rules.ts'
import type { Claim } from '#core/store.ts'
import { FIELD_TYPES, type Field } from '#core/types/content-type.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { kindOf } from '../context/collections.ts'
import { nameInDocument } from './documents.ts'

/** The collections of a module, whose names come before those of types in `unique` and `exists`. */
export interface OwnCollections {
  readonly module: string
  readonly names: ReadonlySet<string>
}

/**
 * Asks the store what the rules of fields want to know: of collections of the module themselves, of types as for records. `self` is the
 * document as it is. Throws InvalidInput.
 */
export async function checkOwnLookups(
  deps: LookupDeps,
  access: Access,
  own: OwnCollections,
  fields: ReadonlyMap<string, Field>,
  set: Fields,
  self: { readonly key: Key; readonly fields: Readonly<Fields> } | undefined,
): Promise<void> {
  const errors: FieldErrors = {}
  for (const lookup of lookups({ fields }, set, self?.fields)) {
    if (!own.names.has(lookup.type) || (await holds(deps, own, lookup, fields, self?.key))) continue
    errors[lookup.field] = [...(errors[lookup.field] ?? []), lookup.message]
  }
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  const others = new Map([...fields].map(([name, field]) => [name, without(field, own.names)]))
  await checkLookups(deps, access, { fields: others }, set, undefined)
}

/** The values that must be unique in a collection, for the store to check in the same step as a write to it. */
export function ownClaims(collection: string, fields: ReadonlyMap<string, Field>, set: Fields, held: Fields = {}): Claim[] {
  return lookups({ fields }, set, held).flatMap(({ kind, type, target, value }) =>
    kind === 'unique' && type === collection && typeof value === 'string' ? [{ field: nameInDocument(target), value }] : [],
  )
}

async function holds(
  { store }: LookupDeps,
  { module }: OwnCollections,
  { kind, type, target, value }: Lookup,
  fields: ReadonlyMap<string, Field>,
  self: Key | undefined,
): Promise<boolean> {
  const declared = fields.get(target)
  const as = target === 'id' ? 'text' : declared ? FIELD_TYPES[declared.type].as : 'any'
  const where = [{ field: nameInDocument(target), op: 'eq', value, as } as const]
  const { items } = await store.heads(kindOf(module, type), { where, limit: 2 })
  if (kind === 'exists') return items.length > 0
  return items.every(({ key }) => self !== undefined && key.kind === self.kind && key.id === self.id)
}

/** A field whose rules ask nothing of the module's collections. */
function without(field: Field, own: ReadonlySet<string>): Field {
  const isOther = ({ name, argument = '' }: Field['rules'][number]) =>
    (name !== 'unique' && name !== 'exists') || !own.has(argument.split(',', 1)[0]?.trim() ?? '')
  const { of, fields } = field
  return {
    ...field,
    rules: field.rules.filter(isOther),
    ...(of && { of: without(of, own) }),
    ...(fields && { fields: new Map([...fields].map(([name, part]) => [name, without(part, own)])) }),
  }
}
