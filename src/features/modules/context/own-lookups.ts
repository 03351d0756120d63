import type { Access } from '#core/access/access.ts'
import type { Key, Kind } from '#core/key.ts'
import { checkLookups, type LookupDeps } from '#core/queries/lookups.ts'
import { type Lookup, lookups } from '#core/rules/rules.ts'
import type { Claim } from '#core/store.ts'
import { FIELD_TYPES, type Field } from '#core/types/content-type.ts'
import { type FieldErrors, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import { nameInDocument } from './collections.ts'

/** The things that rules of a module's fields may ask: its collections, whose names come before those of types, and types. */
export interface OwnLookupDeps {
  /** Returns the private kind of a collection of the module; undefined where it has none of that name. */
  readonly kindOf: (collection: string) => Kind | undefined
  readonly lookups: LookupDeps
  readonly access: Access
}

/** The document that fields are of, and what it holds. */
export interface OwnDocument {
  readonly held?: Fields
  /** True of the key of the document itself: it may have what is unique. */
  readonly isSelf: (key: Key) => boolean
}

/** Asks the store what the rules of fields want to know; resolves with errors by field. */
export async function ownLookupErrors(
  deps: OwnLookupDeps,
  fields: ReadonlyMap<string, Field>,
  set: Fields,
  { held, isSelf }: OwnDocument,
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  for (const lookup of lookups({ fields }, set, held)) {
    const kind = deps.kindOf(lookup.type)
    if (kind === undefined || (await holds(deps, kind, lookup, fields, isSelf))) continue
    errors[lookup.field] = [...(errors[lookup.field] ?? []), lookup.message]
  }
  const others = new Map([...fields].map(([name, field]) => [name, without(field, deps)]))
  return { ...(await errorsOfTypes(deps, others, set)), ...errors }
}

/** Returns the values that must be unique in a collection, for the store to check in the same step as a write to it. */
export function ownClaims(collection: string, fields: ReadonlyMap<string, Field>, set: Fields, held: Fields = {}): Claim[] {
  return lookups({ fields }, set, held).flatMap(({ kind, type, target, value }) =>
    kind === 'unique' && type === collection && typeof value === 'string' ? [{ field: nameInDocument(target), value }] : [],
  )
}

/** Returns the name of a type or a collection that the argument of `unique` or `exists` begins with. */
export function targetOf(argument: string): string {
  return (argument.split(',', 1)[0] ?? '').trim()
}

async function holds(
  { lookups: { store } }: OwnLookupDeps,
  of: Kind,
  { kind, target, value }: Lookup,
  fields: ReadonlyMap<string, Field>,
  isSelf: (key: Key) => boolean,
): Promise<boolean> {
  const declared = fields.get(target)
  const isId = target === 'id'
  const as = isId ? 'text' : declared ? FIELD_TYPES[declared.type].as : 'any'
  const where = [{ field: nameInDocument(target), op: 'eq', value: isId ? String(value) : value, as } as const]
  const { items } = await store.heads(of, { where, limit: 2 })
  return kind === 'exists' ? items.length > 0 : items.every(({ key }) => isSelf(key))
}

async function errorsOfTypes({ lookups, access }: OwnLookupDeps, fields: ReadonlyMap<string, Field>, set: Fields) {
  try {
    await checkLookups(lookups, access, { fields }, set, undefined)
    return {}
  } catch (error) {
    if (error instanceof InvalidInput) return error.errors
    throw error
  }
}

/** A field whose rules ask nothing of the module's collections. */
function without(field: Field, deps: Pick<OwnLookupDeps, 'kindOf'>): Field {
  const isOther = ({ name, argument = '' }: Field['rules'][number]) =>
    (name !== 'unique' && name !== 'exists') || deps.kindOf(targetOf(argument)) === undefined
  const { of, fields } = field
  return {
    ...field,
    rules: field.rules.filter(isOther),
    ...(of && { of: without(of, deps) }),
    ...(fields && { fields: new Map([...fields].map(([name, part]) => [name, without(part, deps)])) }),
  }
}
