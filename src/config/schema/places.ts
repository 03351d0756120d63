import type { JSONSchema } from 'json-schema-to-ts'
import { address, feedLimit, interval, perPage, text } from './forms.ts'

const email = {
  type: 'string',
  pattern: '^[^\\s@<>,;]+@[^\\s@<>,;]+$',
  examples: ['quire@localhost'],
} as const satisfies JSONSchema

/** `site`: what the site is called, where it is, and where its files are. */
export const site = {
  type: 'object',
  description: 'The site: its name, its public address, and where its files are.',
  additionalProperties: false,
  default: {},
  properties: {
    name: { type: 'string', minLength: 1, default: 'My site', description: 'Shown in titles and in mail.' },
    url: {
      ...address,
      default: 'http://127.0.0.1:3000',
      description: 'The public address, without a slash at its end. Links in mail and in the sitemap begin with it.',
    },
    locale: { ...text, default: 'en', description: 'Language of the site, as BCP 47 has it: en, de-AT.' },
    timezone: { ...text, default: 'UTC', description: 'IANA zone in which a time without an offset is meant: Europe/Vienna.' },
    content: { ...text, default: 'content', description: 'Folder of the content, from the site’s root; with the driver files.' },
    templates: { ...text, default: 'templates', description: 'Folder of the site’s own templates, from the site’s root.' },
    per_page: { ...perPage, type: 'integer', default: 10, description: 'Number of records on a page of a list.' },
    feed_limit: { ...feedLimit, type: 'integer', default: 20, description: 'Most records in a feed, the newest first.' },
  },
} as const satisfies JSONSchema

/** `server`: where it listens. */
export const server = {
  type: 'object',
  description: 'Where the server listens. A flag wins, then HOST and PORT, then this.',
  additionalProperties: false,
  default: {},
  properties: {
    host: { ...text, default: '127.0.0.1', description: 'Address to listen on.' },
    port: { type: 'integer', minimum: 0, maximum: 65535, default: 3000, description: 'Port to listen on; 0 takes any free one.' },
    trust_proxy: {
      anyOf: [{ const: false }, { type: 'integer', minimum: 1, maximum: 20 }, { type: 'array', items: text, minItems: 1 }],
      default: false,
      description: 'Whose X-Forwarded headers are believed: false, a number of hops, or a list of addresses and CIDR blocks.',
    },
  },
} as const satisfies JSONSchema

/** `storage`: what keeps the records. */
export const storage = {
  type: 'object',
  description: 'What keeps the records.',
  additionalProperties: false,
  default: {},
  properties: {
    driver: {
      enum: ['files', 'postgres'],
      default: 'files',
      description: 'files: the content folder is the database. postgres: a PostgreSQL 14 or newer, for any number of servers.',
    },
    url: {
      type: 'string',
      default: '${DATABASE_URL}',
      description:
        'Address of the database, for the driver postgres: postgres://user:password@host:5432/name, ?schema= for another than quire.',
    },
    private_dir: { ...text, default: '.cms', description: 'Folder of what is private: users, tokens, keys. Never in git.' },
  },
} as const satisfies JSONSchema

/** `git`: whether and how changes become commits. */
export const git = {
  type: 'object',
  description: 'Whether and how changes become commits, with the driver files.',
  additionalProperties: false,
  default: {},
  properties: {
    enabled: { enum: ['auto', true, false], default: 'auto', description: 'auto: where there is a repository.' },
    branch: { type: ['string', 'null'], minLength: 1, default: null, description: 'Branch to commit to; null follows HEAD.' },
    remote: { ...text, default: 'origin', description: 'Remote to pull from and push to.' },
    pull: { ...interval, default: 'off', description: 'How often to pull: off, or a length of time such as 60s.' },
    push: { ...interval, default: 'off', description: 'How often to push: off, or a length of time such as 60s.' },
    local_edits: {
      enum: ['keep', 'refuse'],
      default: 'keep',
      description:
        'What becomes of an author’s uncommitted edit of a file that is saved through Quire: keep commits it first, refuse answers 409.',
    },
    author: {
      type: 'object',
      description: 'Who commits what nobody in particular did.',
      additionalProperties: false,
      default: {},
      properties: {
        name: { ...text, default: 'Quire', description: 'Name in commits.' },
        email: { ...email, default: 'quire@localhost', description: 'Address in commits.' },
      },
    },
  },
} as const satisfies JSONSchema

/** `build`: the static site. */
export const build = {
  type: 'object',
  description: 'What `cms build` writes.',
  additionalProperties: false,
  default: {},
  properties: {
    out: { ...text, default: 'public', description: 'Folder to write to, from the site’s root.' },
    base_url: {
      type: ['string', 'null'],
      pattern: '^https?://[^\\s]+$',
      examples: ['https://example.org'],
      default: null,
      description: 'Public address of the built site, where it is not site.url.',
    },
    drafts: { type: 'boolean', default: false, description: 'Whether drafts are built as well.' },
    future: { type: 'boolean', default: false, description: 'Whether what goes live later is built as well.' },
    urls: {
      enum: ['directory', 'slash', 'file'],
      default: 'directory',
      description:
        'How the host serves pages, and `cms serve` as well: /x from x/index.html, /x/ from it (slash), or /x from x.html (file).',
    },
  },
} as const satisfies JSONSchema
