import type { FromSchema, JSONSchema } from 'json-schema-to-ts'

const text = { type: 'string' } as const

/** The properties that are told of a field, and of the items of a list. */
const told = {
  label: text,
  help: { ...text, description: 'A sentence for people who fill it in.' },
  type: text,
  rules: { type: 'array', items: text },
  to: { ...text, description: 'The type that a reference points to.' },
  options: { type: 'array', items: text, description: 'What a select offers.' },
  multiple: { type: 'boolean', description: 'True for a select, a reference or a media that is a list of values.' },
  fields: { type: 'array', items: { $ref: '#/components/schemas/FieldView' }, description: 'The fields of an object.' },
  accept: { type: 'array', items: text, description: 'The kinds and formats of file that a media takes.' },
  default: { description: 'What a form for a new record begins with.' },
} as const

const itemView = {
  title: 'ItemView',
  type: 'object',
  description: 'What each item of a list is.',
  required: ['label', 'type', 'rules'],
  additionalProperties: false,
  properties: { ...told, of: { $ref: '#/components/schemas/ItemView' } },
} as const satisfies JSONSchema

const fieldView = {
  title: 'FieldView',
  type: 'object',
  required: ['name', 'label', 'type', 'rules'],
  additionalProperties: false,
  properties: { name: text, ...told, of: itemView },
} as const satisfies JSONSchema

const statusView = {
  title: 'StatusView',
  type: 'object',
  required: ['name', 'live', 'to'],
  additionalProperties: false,
  properties: { name: text, live: { type: 'boolean' }, to: { type: 'array', items: text } },
} as const satisfies JSONSchema

/** A content type. */
export const typeView = {
  title: 'TypeView',
  type: 'object',
  required: ['name', 'label', 'fields', 'columns', 'statuses', 'taxonomies', 'count'],
  additionalProperties: false,
  properties: {
    name: text,
    label: text,
    fields: { type: 'array', items: fieldView },
    columns: { type: 'array', items: text, description: 'The fields that a list for people shows, in this order.' },
    statuses: { type: 'array', items: statusView },
    taxonomies: { type: 'array', items: text },
    count: { type: 'integer', description: 'How many of its records the reader may see.' },
  },
  examples: [
    {
      name: 'posts',
      label: 'Posts',
      fields: [
        { name: 'tools', label: 'Tools', type: 'reference', rules: ['required'], to: 'tools', multiple: true },
        {
          ...{ name: 'steps', label: 'Steps', help: 'What to do, one by one.', type: 'list', rules: [] },
          of: {
            ...{ label: 'Step', type: 'object', rules: [] },
            fields: [{ name: 'name', label: 'Name', type: 'text', rules: ['required', 'max:80'] }],
          },
        },
      ],
      columns: ['title', 'status', 'published_at'],
      statuses: [
        { name: 'draft', live: false, to: ['published'] },
        { name: 'published', live: true, to: ['draft'] },
      ],
      taxonomies: ['categories', 'tags'],
      count: 12,
    },
  ],
} as const satisfies JSONSchema

/** A content type as clients see it; `count` is of the records that the reader may see. */
export type TypeView = Omit<FromSchema<typeof typeView>, 'fields'> & { fields: FieldView[] }

/** A field as clients see it. */
export interface FieldView extends ItemView {
  name: string
}

/** The item of a list, as clients see it. */
export interface ItemView {
  label: string
  help?: string
  type: string
  rules: string[]
  to?: string
  options?: string[]
  multiple?: boolean
  of?: ItemView
  fields?: FieldView[]
  accept?: string[]
  default?: unknown
}
