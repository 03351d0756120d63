import type { JSONSchema } from 'json-schema-to-ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Followed } from '../links/address-change.ts'
import { record } from './record.ts'

const text = { type: 'string' } as const

/** A new id for a record. */
export const moveInput = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: { id: { ...text, description: 'The new id.', examples: ['release~v2'] } },
} as const satisfies JSONSchema

/** The properties of `meta` if the address has changed. */
export const followed = {
  rewritten: {
    type: 'integer',
    description: 'Where the address is another: how many records and menus led to it and were rewritten to lead to the new one.',
  },
  left: { type: 'array', items: text, description: 'Of those, the ones that could not be rewritten: type and id.' },
} as const

/**
 * A record as a change left it; with `base`, `meta` says whether what others did was merged, and where its address is another,
 * what followed it.
 */
export const updated = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: record,
    meta: {
      type: 'object',
      additionalProperties: false,
      properties: {
        merged: { type: 'boolean', description: 'Whether the record holds what others did since the version that was named.' },
        ...followed,
      },
    },
  },
} as const satisfies JSONSchema

/** A record as a move left it. */
export const moved = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: record,
    meta: { title: 'MoveMeta', type: 'object', additionalProperties: false, properties: followed },
  },
} as const satisfies JSONSchema

const redirect = {
  type: 'boolean',
  default: true,
  description: 'Whether an address that a live record had leads to the one that it gets.',
} as const

/** Parameters of a change. */
export const updateQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    base: { ...text, description: 'The version the change started from: what was done since is merged.' },
    redirect,
  },
} as const satisfies JSONSchema

/** Parameters of a move. */
export const moveQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { redirect },
} as const satisfies JSONSchema

/** Reads the value of `?redirect=`; throws InvalidInput if it is neither true nor false. */
export function redirectOf({ redirect = 'true' }: { readonly redirect?: string }): boolean {
  if (redirect !== 'true' && redirect !== 'false') throw new InvalidInput({ redirect: ['The redirect must be true or false.'] })
  return redirect === 'true'
}

/** Returns the properties of `meta` about what followed a record. */
export function followedMeta({ rewritten, left }: Followed): Fields {
  return { rewritten, ...(left.length > 0 && { left: [...left] }) }
}
