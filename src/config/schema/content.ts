import type { JSONSchema } from 'json-schema-to-ts'
import { FIELD_TYPE_NAMES } from '#core/types/content-type.ts'
import { feedLimit, perPage, text, texts } from './forms.ts'
import { FILE_KINDS, FORMATS } from './media.ts'

const rules = {
  anyOf: [{ type: 'string' }, texts],
  default: [],
  examples: ['required|min:3', ['required', 'max:300']],
  description: 'Rules a value must keep: one string with | between them, or a list. regex comes last in a string.',
} as const satisfies JSONSchema

const aField = { $ref: '#/definitions/field' } as const

/** A field of a type. */
const field = {
  type: 'object',
  description: 'A field.',
  additionalProperties: false,
  required: ['type'],
  properties: {
    type: {
      anyOf: [{ enum: FIELD_TYPE_NAMES }, { type: 'string', pattern: '^[a-z][a-z0-9_-]{0,63}$' }],
      description: 'What the field holds: one of these types, or one that a module brings.',
    },
    label: { ...text, description: 'What people see; made from the name where it is missing.' },
    help: { ...text, description: 'A sentence for people who fill it in.' },
    rules,
    to: { ...text, description: 'The type a reference points to.' },
    options: { ...texts, minItems: 1, uniqueItems: true, description: 'What a select offers.' },
    multiple: { type: 'boolean', description: 'true: a select, a reference or a media is a list of values.' },
    of: { ...aField, description: 'What each item of a list is, a field without a name. Without it, a list takes any.' },
    fields: {
      type: 'object',
      minProperties: 1,
      additionalProperties: aField,
      description: 'The fields of an object by name. Without them, an object takes any.',
    },
    accept: {
      type: 'array',
      items: { enum: [...FILE_KINDS, ...FORMATS] },
      minItems: 1,
      uniqueItems: true,
      examples: [['image'], ['pdf', 'video']],
      description: 'The kinds and formats of file that a media takes; any, if nothing is said.',
    },
    default: { description: 'What a form for a new record begins with.' },
  },
} as const satisfies JSONSchema

/** Parts of the schema that others refer to, by name: `#/definitions/field`. */
export const definitions = { field } as const

/** `settings`: the declared settings by key. */
export const settings = {
  type: 'object',
  description: 'Settings of the site beside those of Quire, by group and name: shop.currency.',
  default: {},
  additionalProperties: {
    ...field,
    description: 'A setting: a field, and whether it is public.',
    properties: {
      ...field.properties,
      public: { type: 'boolean', default: false, description: 'Whether it may be read by who may read content.' },
      default: { description: 'Its value where no other was set.' },
    },
  },
} as const satisfies JSONSchema

/** A type of record. */
const type = {
  type: 'object',
  description: 'A type of record: the folder of that name in the content folder.',
  additionalProperties: false,
  properties: {
    label: { ...text, description: 'What people see; made from the name where it is missing.' },
    permalink: {
      type: ['string', 'null'],
      examples: ['/blog/{slug}'],
      description:
        'Where a record is on the site. Placeholders: {type} {slug} {id} {path} {year} {month} {day}. null: it has no page.',
    },
    template: { type: ['string', 'null'], minLength: 1, default: null, description: 'Template of its pages, without .liquid.' },
    path: {
      type: ['string', 'null'],
      examples: ['{year}/{month}/{slug}'],
      default: null,
      description: 'How the file of a new record is laid out in folders. null: its slug.',
    },
    default_status: { ...text, description: 'Status of a file that has none: published, if nothing else is said.' },
    taxonomies: { ...texts, uniqueItems: true, description: 'Kinds of terms its records carry; all, if nothing is said.' },
    map: {
      type: 'object',
      additionalProperties: text,
      default: {},
      description: 'Front matter keys of other tools, each with the name of the field it stands for.',
    },
    additional_fields: {
      type: ['boolean', 'null'],
      default: null,
      description: 'Whether fields that are not declared may be written; null: only where the type declares none.',
    },
    html: {
      enum: ['clean', 'trusted'],
      default: 'clean',
      description: 'clean: HTML in Markdown is cleaned. trusted: it is kept, and only who may publish may write the body.',
    },
    typographer: {
      type: 'boolean',
      default: false,
      description: 'Whether quotes, dashes and ellipses of Markdown are set as in print, in the language of the site.',
    },
    wikilinks: {
      type: 'boolean',
      default: false,
      description: 'Whether [[Page]] is a link in Markdown, ![[Page]] its text and ![[picture.png]] a picture, as in Obsidian.',
    },
    team: {
      type: ['string', 'null'],
      minLength: 1,
      default: null,
      description:
        'The slug of the team that owns the type: it exists for its members, and for who may write teams. Its live pages are public.',
    },
    sort: {
      type: 'string',
      minLength: 1,
      default: '-published_at',
      examples: ['-published_at', 'title', '-price,title'],
      description: 'Order of lists: up to 5 fields with commas between, - before those that fall.',
    },
    per_page: {
      ...perPage,
      type: ['integer', 'null'],
      default: null,
      description: 'Number of records on a page of its lists on the site. null: as site.per_page.',
    },
    feed_limit: {
      ...feedLimit,
      type: ['integer', 'null'],
      default: null,
      description: 'Most records in a feed of its lists. null: as site.feed_limit.',
    },
    columns: {
      ...texts,
      minItems: 1,
      uniqueItems: true,
      default: ['title', 'status', 'published_at'],
      description: 'The fields that its list in the panel shows, in this order.',
    },
    fields: { type: 'object', additionalProperties: aField, default: {}, description: 'Its fields by name.' },
  },
} as const satisfies JSONSchema

/** `types`: the declared types by name. */
export const types = {
  type: 'object',
  description: 'Types of records by name. Any other folder in the content folder is a type without a schema.',
  additionalProperties: type,
  default: {},
} as const satisfies JSONSchema

/** A type of record as the schema has it. */
export type TypeSchema = typeof type

/** `taxonomies`: kinds of terms by their plural. */
export const taxonomies = {
  type: 'object',
  description: 'Kinds of terms by name (the plural). What is written here takes the place of categories and tags.',
  default: { categories: { singular: 'category', hierarchical: true }, tags: { singular: 'tag', hierarchical: false } },
  additionalProperties: {
    type: 'object',
    description: 'A kind of terms.',
    additionalProperties: false,
    required: ['singular'],
    properties: {
      singular: { ...text, description: 'What one of them is called.' },
      hierarchical: { type: 'boolean', default: false, description: 'Whether a term can be under another.' },
    },
  },
} as const satisfies JSONSchema

/** `statuses`: what state a record can be in. */
export const statuses = {
  type: 'object',
  description: 'Statuses by name, and where a record may go from each. What is written here takes the place of the usual four.',
  minProperties: 1,
  default: {
    draft: { live: false, to: ['in_review', 'published'] },
    in_review: { live: false, to: ['draft', 'published'] },
    published: { live: true, to: ['draft', 'archived'] },
    archived: { live: false, to: ['draft'] },
  },
  additionalProperties: {
    type: 'object',
    description: 'A status.',
    additionalProperties: false,
    properties: {
      live: { type: 'boolean', default: false, description: 'Whether its records are public.' },
      to: { ...texts, uniqueItems: true, default: [], description: 'Statuses a record may go to from here.' },
    },
  },
} as const satisfies JSONSchema

/** `roles`: roles beside the built-in ones. */
export const roles = {
  type: 'object',
  description: 'Roles beside viewer, contributor, author, editor, admin and owner.',
  default: {},
  additionalProperties: {
    type: 'object',
    description: 'A role.',
    additionalProperties: false,
    required: ['extends'],
    properties: {
      extends: { ...text, description: 'The role it begins with.' },
      allow: {
        ...texts,
        default: [],
        examples: [['content:write@posts']],
        description: 'Scopes it has beside those, each narrowed with @type.',
      },
      fields: {
        type: 'object',
        additionalProperties: texts,
        default: {},
        description: 'The only fields it may write, by type.',
      },
    },
  },
} as const satisfies JSONSchema
