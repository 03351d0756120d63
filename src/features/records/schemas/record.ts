import type { JSONSchema } from 'json-schema-to-ts'
import { OWN_KEYS } from '#core/format/names.ts'
import { CLOCK_STATUSES } from '#core/status.ts'
import type { Field } from '#core/types/content-type.ts'
import { comparisonOf } from '#core/types/types.ts'
import { manyWith } from '#http/answers/shapes.ts'
import { filterParameters } from '#http/openapi/filters.ts'
import { listMeta, pagingQuery } from '#http/requests/paging.ts'
import { COMMON_INDEXED } from '../names.ts'
import { RECORD_FIELDS } from '../reading/present.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: ['string', 'null'], format: 'date-time', description: 'RFC 3339 UTC with milliseconds.' } as const
const terms = { type: ['array', 'null'], items: text, description: 'Ids of terms.' } as const

/** A record, flat: what every one has, and its own fields beside. */
export const record = {
  title: 'Record',
  type: 'object',
  description: 'A record, flat: what every one has, and its own fields beside. Where `fields` is asked for, those alone.',
  required: RECORD_FIELDS,
  additionalProperties: true,
  properties: {
    id: text,
    type: text,
    title: textOrNull,
    slug: textOrNull,
    status: { ...textOrNull, description: `The stored one, or ${CLOCK_STATUSES.join(' or ')} as the clock has it.` },
    body: text,
    url: { ...textOrNull, description: 'The path of its page; null where it has none.' },
    version: { ...text, description: 'The git blob id of its bytes.' },
    author: {},
    categories: terms,
    tags: terms,
    created_at: time,
    updated_at: time,
    published_at: time,
    own: {
      type: 'object',
      additionalProperties: true,
      description:
        'Keys of the file named id, type, url, version, body or own, which mean something else than Quire does by these.',
      examples: [{ version: '1.0.0' }],
    },
  },
  examples: [
    {
      id: 'hello',
      type: 'posts',
      title: 'Hello',
      slug: 'hello',
      status: 'published',
      body: 'It works.\n',
      url: '/blog/hello',
      version: '1f0c9cbf5b1d8b6a7c3c5a8f0f7b9f0f8a1c2d3e',
      author: 'ada',
      categories: [],
      tags: ['news'],
      created_at: '2026-11-20T09:00:00.000Z',
      updated_at: '2026-11-20T09:00:00.000Z',
      published_at: '2026-11-20T09:00:00.000Z',
    },
  ],
} as const satisfies JSONSchema

/** A record to be made or changed: any of its fields; null removes one. */
export const recordInput = {
  title: 'RecordInput',
  type: 'object',
  additionalProperties: true,
  description:
    'The fields to set, by name; null removes one. What a type declares can be sent, and the fields that every record has.',
  examples: [{ title: 'Hello', body: 'It works.\n', tags: ['news'] }],
} as const satisfies JSONSchema

/** The path parameters of a record: its type and its id. */
export const params = {
  type: 'object',
  properties: {
    type: { ...text, description: 'The name of a content type.', examples: ['posts'] },
    id: {
      ...text,
      description: 'The id of a record: where its file is below the folder of its type, ~ for each /.',
      examples: ['hello'],
    },
    name: { ...text, description: 'The name of a content type.', examples: ['posts'] },
  },
} as const satisfies JSONSchema

/** The response for a removed record. */
export const removed = {
  title: 'RemovedRecord',
  type: 'object',
  required: ['id', 'type', 'deleted'],
  additionalProperties: false,
  properties: { id: text, type: text, deleted: { type: 'boolean' } },
} as const satisfies JSONSchema

const counts = { type: 'object', additionalProperties: { type: 'integer' } } as const satisfies JSONSchema

const omitted = {
  type: 'array',
  items: text,
  description: 'Fields that all records go without, since the answer would be over 8 MiB with them: body, then the longest.',
} as const

/** An answer with a record and what it refers to. */
export const selected = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: record,
    meta: { title: 'RecordMeta', type: 'object', additionalProperties: false, properties: { omitted } },
  },
} as const satisfies JSONSchema

/** An answer with a list that facets can be asked of. */
export function list<const T>(items: T) {
  const facets = {
    type: 'object',
    additionalProperties: counts,
    description: 'By field how many records have each value.',
  } as const
  const meta = { ...listMeta, title: 'FacetedListMeta', properties: { ...listMeta.properties, omitted, facets } } as const
  return manyWith(items, meta)
}

const NO_FIELDS: ReadonlyMap<string, Field> = new Map()

/** Parameters that choose what is answered of a record. */
const selection = {
  fields: { ...text, description: 'Names with commas: only these are answered.' },
  include: { ...text, description: 'References with commas: answered as the records they lead to.' },
} as const

/** Parameters of a list; filters and singular names of taxonomies (`category`, `tag`) come beside, and are checked by type. */
export const browseQuery = {
  type: 'object',
  additionalProperties: {
    ...text,
    title: 'terms',
    description:
      'Terms by the singular name of their taxonomy: category=news,releases. Commas mean any; descendants are meant too.',
  },
  properties: {
    ...pagingQuery.properties,
    status: { ...text, description: 'Only records that have this status.' },
    ...filterParameters(
      COMMON_INDEXED.map((name) => [name, comparisonOf(name, NO_FIELDS)]),
      true,
    ),
    'filter[own]': {
      type: 'object',
      additionalProperties: false,
      description: 'filter[own][version]=v is of a key in own.',
      properties: Object.fromEntries(OWN_KEYS.map((key) => [key, text])),
    },
    sort: { ...text, description: 'Up to five fields with commas, each with - for descending.' },
    ...selection,
    facets: { ...text, description: 'Up to five fields with commas: meta.facets says how many records have each value.' },
    q: { ...text, description: 'Words: only records that a search finds, the best first.' },
    at: { ...text, description: 'A revision, a time or a commit: the list as it was then.' },
    deleted: { type: 'boolean', default: false, description: 'Instead, the records that were removed, as they last were.' },
  },
} as const satisfies JSONSchema

/** Parameters of one record. */
export const getQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...selection,
    at: { ...text, description: 'A revision, a time or a commit: the record as it was then.' },
  },
} as const satisfies JSONSchema
