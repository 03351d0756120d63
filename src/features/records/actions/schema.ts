import type { JSONSchema } from 'json-schema-to-ts'
import { LIMITS } from '#core/rules/limits.ts'
import { followed } from '../schemas/change.ts'

const text = { type: 'string' } as const

const terms = {
  type: 'object',
  minProperties: 1,
  additionalProperties: {
    type: 'array',
    minItems: 1,
    maxItems: LIMITS.items,
    items: { ...text, maxLength: LIMITS.title, description: 'The id or the name of a term.' },
  },
  examples: [{ tags: ['news'] }],
} as const

/** An action on several records. */
export const actionInput = {
  type: 'object',
  required: ['ids'],
  additionalProperties: false,
  description: 'The records, and one of set, add, remove and delete.',
  properties: {
    ids: { type: 'array', minItems: 1, maxItems: 100, items: text, description: 'The records, each once.' },
    set: {
      title: 'RecordChange',
      type: 'object',
      minProperties: 1,
      additionalProperties: true,
      description: 'The fields to set, by name; null removes one.',
      examples: [{ status: 'published' }],
    },
    add: { ...terms, description: 'Terms to add, by the name of their taxonomy.' },
    remove: { ...terms, description: 'Terms to take out, by the name of their taxonomy.' },
    delete: { const: true, description: 'Removes the records; their revisions stay.' },
  },
  examples: [{ ids: ['hello', 'world'], set: { status: 'published' } }],
} as const satisfies JSONSchema

const actedOn = {
  title: 'ActedOn',
  type: 'object',
  required: ['id', 'version'],
  additionalProperties: false,
  properties: { id: text, version: { type: ['string', 'null'], description: 'As of now; null where it is removed.' } },
  examples: [{ id: 'hello', version: '1f0c9cbf5b1d8b6a7c3c5a8f0f7b9f0f8a1c2d3e' }],
} as const satisfies JSONSchema

/** The records of an action, in the order in which they were named. */
export const actionResult = {
  type: 'object',
  required: ['data', 'meta'],
  additionalProperties: false,
  properties: {
    data: { type: 'array', items: actedOn },
    meta: {
      title: 'ActionMeta',
      type: 'object',
      required: ['changed'],
      additionalProperties: false,
      properties: {
        changed: { type: 'integer', description: 'How many of them are others than before.' },
        ...followed,
      },
    },
  },
} as const satisfies JSONSchema
