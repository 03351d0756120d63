import { commonNames } from '../../core/rules/standard.ts'
import { contentTypes } from '../../core/types.ts'
import type { Config } from '../schema.ts'

/** Names of the fields that records of a declared type can have: its own, and those of every record. `additional_fields` allows others beside them. */
export function knownFields({ types, taxonomies, statuses }: Config, name: string): string[] {
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  const made = type && contentTypes({ types: { [name]: type }, taxonomies, statuses, timezone: 'UTC' }).get(name)
  return made ? [...made.fields.keys(), ...commonNames(made)] : []
}
