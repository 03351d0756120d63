import type { JSONSchema } from 'json-schema-to-ts'
import { address, throttle as limit, text, texts } from './forms.ts'

const on = (description: string) => ({ type: 'boolean', default: true, description }) as const satisfies JSONSchema
const off = (description: string) => ({ type: 'boolean', default: false, description }) as const satisfies JSONSchema

/** `features`: what is switched on. What is off answers 404. */
export const features = {
  type: 'object',
  description: 'What is switched on. What is off answers 404.',
  additionalProperties: false,
  default: {},
  properties: {
    api: on('The content API.'),
    site: on('The public site.'),
    sitemap: on('/sitemap.xml.'),
    search: on('Full-text search.'),
    taxonomy: on('Terms over the API.'),
    revisions: on('Revisions and rollback.'),
    docs: on('The API’s own pages: /api/docs and /api/openapi.json.'),
    auth: on('Signing in.'),
    admin: on('The admin panel.'),
    media: on('Pictures and other files.'),
    menus: on('Menus.'),
    settings: on('Settings.'),
    modules: on('Modules.'),
    events: on('The stream of events.'),
    webhooks: on('Webhooks.'),
    audit: on('The audit log.'),
    teams: off('Teams.'),
    billing: off('Subscriptions and invoices.'),
    analytics: off('Page views.'),
    metrics: off('Figures for Prometheus: /metrics.'),
  },
} as const satisfies JSONSchema

/** A token that the configuration knows: its secret comes from the environment, or only its hash is here. */
export const configuredToken = {
  type: 'object',
  description: 'An API token. Its secret is in an environment variable (env), or only its hash is here (hash).',
  additionalProperties: false,
  required: ['name', 'scopes'],
  properties: {
    name: { ...text, description: 'What it is called in logs and commits.' },
    env: {
      type: 'string',
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      examples: ['CI_TOKEN'],
      description: 'Environment variable that holds the token.',
    },
    hash: {
      type: 'string',
      pattern: '^sha256:[0-9a-f]{64}$',
      examples: ['sha256:<64 hex digits>'],
      description: 'SHA-256 of the token.',
    },
    scopes: { ...texts, minItems: 1, description: 'Scopes or presets (read, edit, admin), each narrowed with @type if wanted.' },
    types: { ...texts, minItems: 1, description: 'The only types it knows of.' },
    expires_at: {
      type: 'string',
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?$',
      examples: ['2027-01-01', '2027-01-01T12:00:00Z'],
      description: 'When it ends: a day (its beginning in UTC) or an instant. Never, if nothing is said.',
    },
  },
} as const satisfies JSONSchema

/** `api`: the content API. */
export const api = {
  type: 'object',
  description: 'The content API.',
  additionalProperties: false,
  default: {},
  properties: {
    cors: {
      type: 'object',
      description: 'Which other sites’ pages may ask.',
      additionalProperties: false,
      default: {},
      properties: {
        origins: { ...texts, default: [], examples: [['https://example.org']], description: 'Origins, or * for all.' },
      },
    },
    tokens: { type: 'array', items: configuredToken, default: [], description: 'Tokens beside those of cms token:create.' },
  },
} as const satisfies JSONSchema

/** `throttle`: how many requests in how many minutes. */
export const throttle = {
  type: 'object',
  description: 'How many requests in how many minutes: "600,1" is 600 in one minute; off is no limit.',
  additionalProperties: false,
  default: {},
  properties: {
    api: { ...limit, default: 'off', description: 'The content API.' },
    search: { ...limit, default: '600,1', description: 'Search.' },
    auth: { ...limit, default: '10,1', description: 'Signing in.' },
    uploads: { ...limit, default: '60,1', description: 'Uploads.' },
    admin: { ...limit, default: '300,1', description: 'The admin panel.' },
  },
} as const satisfies JSONSchema

/** `admin`: the panel. */
export const admin = {
  type: 'object',
  description: 'The admin panel.',
  additionalProperties: false,
  default: {},
  properties: {
    url: {
      type: ['string', 'null'],
      pattern: '^https?://[^/\\s]+/?$',
      default: null,
      examples: ['https://edit.example.org'],
      description:
        'Address of another host for the panel: the site’s own host then answers 404 at /admin. null: beside the site.',
    },
  },
} as const satisfies JSONSchema

/** `webhooks`: the receivers of events. */
export const webhooks = {
  type: 'array',
  description: 'Who is told of events.',
  default: [],
  items: {
    type: 'object',
    description: 'A webhook.',
    additionalProperties: false,
    required: ['url', 'events', 'secret'],
    properties: {
      url: { ...address, description: 'Where events are sent.' },
      events: { ...texts, minItems: 1, examples: [['record.*']], description: 'Names of events; * stands for any part.' },
      secret: { ...text, description: 'Secret the requests are signed with.' },
      private_addresses: { type: 'boolean', default: false, description: 'Whether it may be an address in a private network.' },
    },
  },
} as const satisfies JSONSchema

/** `audit`: the log of who did what. */
export const audit = {
  type: 'object',
  description: 'Who did what, and from where.',
  additionalProperties: false,
  default: {},
  properties: { days: { type: 'integer', minimum: 1, default: 365, description: 'How many days of it are kept.' } },
} as const satisfies JSONSchema

/** `analytics`: page views. */
export const analytics = {
  type: 'object',
  description: 'Page views, without cookies.',
  additionalProperties: false,
  default: {},
  properties: {
    days: { type: 'integer', minimum: 1, default: 365, description: 'How many days of totals are kept.' },
    ignore: {
      type: 'array',
      items: { ...text, pattern: '^/' },
      default: [],
      examples: [['/thanks', '/drafts/**']],
      description: 'Paths of pages that are not counted. * stands for any part of a folder, ** for any folders.',
    },
  },
} as const satisfies JSONSchema
