import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { ACTIONS } from '#core/history/revision.ts'
import { manyWith } from '#http/answers/shapes.ts'
import { listMeta, pagingQuery } from '#http/requests/paging.ts'
import { CHANGED_THINGS } from '../../changed-kind.ts'

const text = { type: 'string' } as const
const orNull = { type: ['string', 'null'] } as const

/** The shape of what was last done to a record, a term, a menu, a setting or a media file. */
const change = {
  title: 'Change',
  type: 'object',
  required: ['ts', 'created_at', 'action', 'kind', 'type', 'id', 'title', 'author', 'message', 'commit'],
  additionalProperties: false,
  properties: {
    ts: {
      ...text,
      pattern: '^[0-9]{13}$',
      examples: ['1795000000000'],
      description: 'Names the revision; of what the clock did without one, its time in milliseconds since 1970.',
    },
    created_at: { ...text, format: 'date-time', description: 'The time of the change: RFC 3339 UTC with milliseconds.' },
    action: { ...text, enum: ACTIONS },
    kind: { ...text, enum: CHANGED_THINGS },
    type: { ...text, description: 'The type of the record, the kind of term, `menu`, `setting` or `media`: `posts`, `tag`.' },
    id: text,
    title: {
      ...orNull,
      description:
        'The title, the name of a term, the label of a menu or setting, the title of a media file; null where it is not known.',
    },
    author: { type: ['object', 'null'], required: ['name'], additionalProperties: false, properties: { name: text } },
    message: orNull,
    commit: { ...orNull, description: 'The full hash of its commit; null where the history is not one of commits.' },
  },
} as const satisfies JSONSchema

/**
 * A change as clients see it. Title, author, message and commit are null for who may not read the record any more: it was public
 * and was withdrawn, has ended or was deleted.
 */
export type ChangeView = FromSchema<typeof change>

/** Changes, and which part of the list they are. */
export const changeList = manyWith(change, {
  ...listMeta,
  title: 'ChangesMeta',
  properties: {
    ...listMeta.properties,
    next: { ...text, description: 'Where there are older changes than these: the `after` that asks for them.' },
  },
} as const)

/** The parameters of the list of changes. */
export const changesQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pagingQuery.properties,
    after: { ...text, description: 'The `meta.next` of an answer to the same question: what is older than that.' },
    type: { ...text, description: 'A type of record, a kind of term, `menu`, `setting` or `media`.', examples: ['posts'] },
    author: { ...text, description: 'The name of who did it, letter by letter.', examples: ['Ada'] },
    since: {
      ...text,
      description: 'The time (RFC 3339) from which on; one at just this time is in the list.',
      examples: ['2026-11-20T12:00:00Z'],
    },
  },
} as const satisfies JSONSchema
