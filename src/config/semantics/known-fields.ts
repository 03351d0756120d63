import { commonNames } from '#core/rules/standard-fields.ts'
import { contentTypes } from '#core/types/types.ts'
import type { Config } from '../schema.ts'

/** Returns whether records of a declared type may have other fields too: it says so, or declares none. */
export function takesOthers({ additional_fields, fields }: Config['types'][string]): boolean {
  return additional_fields ?? Object.keys(fields).length === 0
}

/**
 * Names of the fields that records of a declared type can have: its own, and those of every record. `takesOthers` says whether
 * there may be others.
 */
export function knownFields({ types, taxonomies, statuses }: Config, name: string): string[] {
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  const made = type && contentTypes({ types: { [name]: type }, taxonomies, statuses, timezone: 'UTC' }).get(name)
  return made ? [...made.fields.keys(), ...commonNames(made)] : []
}
