import type { JSONSchema } from 'json-schema-to-ts'
import { ACTOR_KINDS, OUTCOMES } from '#core/audit-log.ts'
import { listMeta, pagingQuery } from '#http/requests/paging.ts'

const orNull = { type: ['string', 'null'] } as const

/** An entry of the audit log. */
export const auditEntry = {
  title: 'AuditEntry',
  type: 'object',
  additionalProperties: false,
  required: ['id', 'at', 'actor', 'via', 'action', 'target', 'outcome', 'changed', 'request_id', 'ip'],
  properties: {
    id: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    actor: {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'id', 'name'],
      description: 'Who did it: local is somebody at the machine or in git, system Quire itself.',
      properties: { kind: { type: 'string', enum: ACTOR_KINDS }, id: orNull, name: orNull },
    },
    via: {
      ...orNull,
      description:
        'The token or session that was used (token:…, session:…); of a sign-in its way (code, link, password, provider).',
    },
    action: { type: 'string', examples: ['record.published', 'auth.failed', 'role.changed'] },
    target: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['kind', 'type', 'id', 'title'],
      properties: { kind: { type: 'string' }, type: { type: 'string' }, id: orNull, title: orNull },
    },
    outcome: { type: 'string', enum: OUTCOMES },
    changed: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The names of the fields that differ; never their values.',
    },
    request_id: orNull,
    ip: { ...orNull, description: 'The network address that the request came from.' },
    count: { type: 'integer', description: 'How often it happened within a minute, where that is told together.' },
  },
} as const satisfies JSONSchema

/** A part of the log. */
export const auditList = {
  type: 'object',
  additionalProperties: false,
  required: ['data', 'meta'],
  properties: { data: { type: 'array', items: auditEntry }, meta: listMeta },
} as const satisfies JSONSchema

const word = { type: 'string', maxLength: 200 } as const

/** The parameters of the list. */
export const auditQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pagingQuery.properties,
    actor: { ...word, description: 'The id of a user or a token.' },
    action: { ...word, examples: ['record.published'] },
    target: { ...word, description: 'A kind or a type, and an id after a slash.', examples: ['posts/hello', 'user'] },
    outcome: { ...word, enum: OUTCOMES },
    since: { ...word, description: 'From then on: RFC 3339, or a day (UTC).', examples: ['2026-11-28T10:00:00Z'] },
    until: { ...word, description: 'Before then: RFC 3339, or a day (UTC).' },
  },
} as const satisfies JSONSchema
