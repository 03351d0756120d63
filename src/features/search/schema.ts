import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { CLOCK_STATUSES } from '#core/status.ts'
import { manyWith } from '#http/answers/shapes.ts'
import { listMeta, pagingQuery } from '#http/requests/paging.ts'
import { LONGEST_Q } from './parameters.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

/** A record that was found. */
export const result = {
  title: 'SearchResult',
  type: 'object',
  required: ['type', 'id', 'title', 'slug', 'status', 'url', 'score', 'excerpt'],
  additionalProperties: false,
  properties: {
    type: text,
    id: text,
    title: textOrNull,
    slug: textOrNull,
    status: { ...textOrNull, description: `The stored one, or ${CLOCK_STATUSES.join(' or ')} as the clock has it.` },
    url: { ...textOrNull, description: 'The path of its page; null where it has none.' },
    score: { type: 'number', description: 'Better ones are higher; of no meaning beside that.' },
    excerpt: { ...text, description: 'HTML: a stretch of its text, escaped, what was searched for in <mark>.' },
  },
} as const satisfies JSONSchema

/** The number of results, and the position of the part among them. */
export const resultMeta = {
  ...listMeta,
  title: 'SearchMeta',
  required: [...listMeta.required, 'facets'],
  properties: {
    ...listMeta.properties,
    facets: {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: {
        type: {
          type: 'object',
          additionalProperties: { type: 'integer' },
          description: 'How many of each type were found, whichever is asked for.',
        },
      },
    },
  },
} as const satisfies JSONSchema

/** The response to a search. */
export const results = manyWith(result, resultMeta)

/** Parameters of a search. */
export const searchQuery = {
  type: 'object',
  additionalProperties: false,
  required: ['q'],
  properties: {
    q: { ...text, minLength: 1, maxLength: LONGEST_Q, description: 'Words; "a phrase"; +must; -mustn’t.', examples: ['hello'] },
    type: { ...text, description: 'Only records of this type.' },
    status: { ...text, description: 'Only records that have this status.' },
    ...pagingQuery.properties,
  },
} as const satisfies JSONSchema

/** A record that was found, as clients see it. */
export type Result = FromSchema<typeof result>

/** The response to a search, as clients see it. */
export type Results = FromSchema<typeof results>
