import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { Access } from '#core/access/access.ts'
import { ACTIONS, type Revision } from '#core/history/revision.ts'
import { revisionText } from '#core/history/revision-name.ts'
import { many, one } from '../answers/shapes.ts'

const text = { type: 'string' } as const
/** The shape of the number of a revision. */
export const ts = {
  ...text,
  pattern: '^[0-9]{13}$',
  description: 'Names the revision: milliseconds since 1970.',
  examples: ['1795000000000'],
} as const

const revision = {
  title: 'Revision',
  type: 'object',
  required: ['ts', 'created_at', 'action', 'author', 'message', 'changed', 'commit', 'current'],
  additionalProperties: false,
  properties: {
    ts,
    created_at: { ...text, format: 'date-time', description: 'RFC 3339 UTC with milliseconds.' },
    action: { ...text, enum: ACTIONS },
    author: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: text, email: { ...text, description: 'Only with the right users:read.' } },
    },
    message: text,
    changed: {
      type: ['array', 'null'],
      items: text,
      description: 'What differs from the revision before; null where one of the two can not be read.',
    },
    commit: {
      type: ['string', 'null'],
      description: 'The full hash of its commit; null where the history is not one of commits.',
    },
    current: { type: 'boolean', description: 'Whether it is now as it was in this revision.' },
  },
} as const satisfies JSONSchema

/**
 * A revision as clients see it. `email` is set for a caller who may read users. A caller who may not see the drafts of every type
 * gets only the first line of `message`: of a commit over several records the rest names the others.
 */
export type RevisionView = FromSchema<typeof revision>

/** Revisions, newest first, and which part of the list they are. */
export const revisions = many(revision)

const count = { type: 'integer' } as const

const hunk = {
  title: 'Hunk',
  type: 'object',
  required: ['before_start', 'before_count', 'after_start', 'after_count', 'lines'],
  additionalProperties: false,
  description: 'Neighbouring changes with up to three lines around them; starts count from 1.',
  properties: {
    before_start: count,
    before_count: count,
    after_start: count,
    after_count: count,
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: ['op', 'text'],
        additionalProperties: false,
        properties: {
          op: { ...text, enum: ['keep', 'remove', 'add'] },
          text,
          no_newline: { type: 'boolean', description: 'True where the text ends here without a line end.' },
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The differences between two revisions. */
export const diff = one({
  title: 'Difference',
  type: 'object',
  required: ['ts', 'against', 'fields'],
  additionalProperties: false,
  properties: {
    ts,
    against: { type: ['string', 'null'], description: 'The revision it is compared with; null before the first.' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'before', 'after'],
        additionalProperties: false,
        properties: {
          field: text,
          before: { description: 'null where it was not there.' },
          after: { description: 'null where it is not there.' },
          hunks: { type: 'array', items: hunk, description: 'Of the body: the lines that changed.' },
          omitted: {
            type: 'array',
            items: { ...text, enum: ['hunks'] },
            description: '["hunks"] where over 20,000 lines stand between the first change and the last.',
          },
        },
      },
    },
  },
})

/** Returns the shape of an answer with a thing after a rollback. */
export function rolledBackTo<const T>(data: T) {
  const changed = { type: 'boolean', description: 'False where it was like that before: then no revision was made.' } as const
  const meta = {
    type: 'object',
    required: ['rolled_back_to', 'changed'],
    additionalProperties: false,
    properties: { rolled_back_to: ts, changed },
  } as const
  return { type: 'object', required: ['data', 'meta'], additionalProperties: false, properties: { data, meta } } as const
}

/** The shape of a revision's name in a path. */
export const revisionName = {
  ...text,
  description: 'A revision: 13 digits, a time (RFC 3339) or the full hash of a commit.',
  examples: ['1795000000000'],
} as const

/** Parameters of a difference. */
export const diffQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { against: { ...text, description: 'The revision to compare with; the one before, if nothing is said.' } },
} as const satisfies JSONSchema

/** The reader of a commit's message: `isWhole` is set for who may know of everything it changed, `seesTypes` for who knows of all types. */
export interface MessageReader {
  readonly isWhole: boolean
  readonly seesTypes: boolean
}

/** The part of a view of a revision that is not in the revision, and its reader. */
export interface Telling extends MessageReader, Pick<RevisionView, 'changed' | 'current'> {}

/**
 * Returns the part of a commit's message for a reader: all of it for who may know of everything that a commit changed, nothing for
 * whom a type is hidden. A record that is moved is named in the revisions of those that link to it.
 */
export function messageFor({ isWhole, seesTypes }: MessageReader, message: string): string {
  if (!seesTypes) return ''
  return isWhole ? message : (message.split('\n', 1)[0] ?? '')
}

/** Returns a revision as a reader sees it. */
export function revisionView(access: Access, revision: Revision, { changed, current, ...reader }: Telling): RevisionView {
  const { at, action, by, message, commit } = revision
  return {
    ts: revisionText(revision),
    created_at: at,
    action,
    author: { name: by.name, ...(access.may('users:read') && { email: by.email }) },
    message: messageFor(reader, message),
    changed,
    commit: commit ?? null,
    current,
  }
}
