import type { JSONSchema } from 'json-schema-to-ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { type: ['string', 'null'], format: 'date-time', description: 'RFC 3339 UTC with milliseconds.' } as const
const terms = { type: ['array', 'null'], items: text, description: 'Ids of terms.' } as const

/** A record, flat: what every one has, and its own fields beside. */
export const record = {
  type: 'object',
  required: ['id', 'type'],
  additionalProperties: true,
  properties: {
    id: text,
    type: text,
    title: textOrNull,
    slug: textOrNull,
    status: { ...textOrNull, description: 'The stored one, or scheduled or expired as the clock has it.' },
    body: text,
    url: { ...textOrNull, description: 'The path of its page; null where it has none.' },
    version: { ...text, description: 'The git blob id of its bytes.' },
    author: {},
    categories: terms,
    tags: terms,
    created_at: time,
    updated_at: time,
    published_at: time,
  },
} as const satisfies JSONSchema

/** A record to be made or changed: any of its fields; null removes one. */
export const recordInput = { type: 'object', additionalProperties: true } as const satisfies JSONSchema

/** A new id for a record. */
export const moveInput = {
  type: 'object',
  required: ['id'],
  additionalProperties: false,
  properties: { id: text },
} as const satisfies JSONSchema

const fieldView = {
  type: 'object',
  required: ['name', 'label', 'type', 'rules'],
  additionalProperties: false,
  properties: {
    name: text,
    label: text,
    type: text,
    rules: { type: 'array', items: text },
    to: text,
    options: { type: 'array', items: text },
  },
} as const satisfies JSONSchema

const statusView = {
  type: 'object',
  required: ['name', 'live', 'to'],
  additionalProperties: false,
  properties: { name: text, live: { type: 'boolean' }, to: { type: 'array', items: text } },
} as const satisfies JSONSchema

/** A content type. */
export const typeView = {
  type: 'object',
  required: ['name', 'label', 'fields', 'statuses', 'taxonomies', 'count'],
  additionalProperties: false,
  properties: {
    name: text,
    label: text,
    fields: { type: 'array', items: fieldView },
    statuses: { type: 'array', items: statusView },
    taxonomies: { type: 'array', items: text },
    count: { type: 'integer', description: 'How many of its records the reader may see.' },
  },
} as const satisfies JSONSchema

/** What is said of a record that was removed. */
export const removed = {
  type: 'object',
  required: ['id', 'type', 'deleted'],
  additionalProperties: false,
  properties: { id: text, type: text, deleted: { type: 'boolean' } },
} as const satisfies JSONSchema

/** Where in a list its part is. */
export const listMeta = {
  type: 'object',
  required: ['total', 'per_page', 'current_page', 'last_page'],
  additionalProperties: false,
  properties: {
    total: { type: 'integer' },
    per_page: { type: 'integer' },
    current_page: { type: 'integer' },
    last_page: { type: 'integer' },
  },
} as const satisfies JSONSchema

/** An answer with one thing. */
export function one<const T>(data: T) {
  return { type: 'object', required: ['data'], additionalProperties: true, properties: { data } } as const
}

/** An answer with a list. */
export function many<const T>(items: T) {
  return {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: { type: 'array', items }, meta: listMeta },
  } as const
}

const counts = { type: 'object', additionalProperties: { type: 'integer' } } as const satisfies JSONSchema

/** An answer with a list that facets can be asked of. */
export function list<const T>(items: T) {
  const facets = {
    type: 'object',
    additionalProperties: counts,
    description: 'By field how many records have each value.',
  } as const
  const meta = { ...listMeta, properties: { ...listMeta.properties, facets } } as const
  return { ...many(items), properties: { data: { type: 'array', items }, meta } } as const
}

/** Parameters of a list; filters and singular names of taxonomies (`category`, `tag`) come beside, and are checked by type. */
export const browseQuery = {
  type: 'object',
  additionalProperties: true,
  properties: {
    page: { type: 'integer', minimum: 1, default: 1 },
    per_page: { type: 'integer', minimum: 1, maximum: 100, default: 15 },
    status: text,
    sort: { ...text, description: 'Up to five fields with commas, each with - for descending.' },
    fields: { ...text, description: 'Names with commas: only these are answered.' },
    include: { ...text, description: 'References with commas: answered as the records they lead to.' },
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
  properties: { fields: text, include: text, at: text },
} as const satisfies JSONSchema

/** Parameters of a change. */
export const updateQuery = {
  type: 'object',
  additionalProperties: false,
  properties: { base: { ...text, description: 'The version the change started from: what was done since is merged.' } },
} as const satisfies JSONSchema
