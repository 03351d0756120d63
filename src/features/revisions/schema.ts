import type { JSONSchema } from 'json-schema-to-ts'
import { revisionName, ts } from '#http/past/revisions.ts'
import { followed } from '../records/schemas/change.ts'
import { params as of, record } from '../records/schemas/record.ts'

/** The path parameters of a revision and its record. */
export const params = {
  type: 'object',
  properties: {
    ...of.properties,
    ts: revisionName,
  },
} as const satisfies JSONSchema

/** The options of a rollback. */
export const rollbackInput = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: {
    restore_status: { type: 'boolean', description: 'Whether the status is that of the revision, too.' },
  },
} as const satisfies JSONSchema

/** The record after a rollback. */
export const rolledBack = {
  type: 'object',
  required: ['data', 'meta'],
  additionalProperties: false,
  properties: {
    data: record,
    meta: {
      type: 'object',
      required: ['rolled_back_to', 'changed'],
      additionalProperties: false,
      properties: {
        rolled_back_to: ts,
        changed: { type: 'boolean', description: 'False where the record was like that before: then no revision was made.' },
        ...followed,
      },
    },
  },
} as const satisfies JSONSchema
