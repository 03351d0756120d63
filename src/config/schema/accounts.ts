import type { JSONSchema } from 'json-schema-to-ts'
import { address, duration, text, texts } from './forms.ts'

const provider = {
  type: 'object',
  description: 'A provider of identities. kind oidc needs issuer; kind oauth2 needs authorize_url, token_url and user_url.',
  additionalProperties: false,
  required: ['kind', 'client_id', 'client_secret'],
  properties: {
    kind: { enum: ['oidc', 'oauth2'], description: 'How it is spoken to.' },
    issuer: {
      ...address,
      description: 'oidc: its address. oauth2: what it calls itself where it sends people back, if it does.',
    },
    authorize_url: { ...address, description: 'oauth2: where people are sent.' },
    token_url: { ...address, description: 'oauth2: where codes become tokens.' },
    user_url: { ...address, description: 'oauth2: who the person is.' },
    emails_url: { ...address, description: 'oauth2: the person’s addresses. Without it no address is verified.' },
    scope: { ...text, description: 'What is asked for. By default openid email profile; with emails_url user:email.' },
    client_id: { ...text, description: 'This site’s name there.' },
    client_secret: { ...text, description: 'This site’s secret there: ${NAME}.' },
  },
} as const satisfies JSONSchema

const ttl = (value: string, description: string) =>
  ({
    type: 'object',
    description,
    additionalProperties: false,
    default: {},
    properties: { ttl: { ...duration, default: value, description: 'How long it is good for.' } },
  }) as const satisfies JSONSchema

/** `auth`: how people sign in. */
export const auth = {
  type: 'object',
  description: 'How people sign in.',
  additionalProperties: false,
  default: {},
  properties: {
    methods: {
      type: 'array',
      items: { enum: ['otp', 'magic_link', 'password'] },
      uniqueItems: true,
      default: ['otp', 'magic_link', 'password'],
      description: 'Ways to sign in.',
    },
    registration: { type: 'boolean', default: false, description: 'Whether anyone can make an account.' },
    redirects: {
      type: 'array',
      items: address,
      default: [],
      description: 'Addresses that a sign-in may lead to (?to=), each in full.',
    },
    password: {
      type: 'object',
      description: 'Passwords.',
      additionalProperties: false,
      default: {},
      properties: { min_length: { type: 'integer', minimum: 8, maximum: 128, default: 15, description: 'Fewest characters.' } },
    },
    otp: ttl('10m', 'Codes by mail.'),
    refresh: ttl('30d', 'Refresh tokens.'),
    session: {
      type: 'object',
      description: 'Sessions of the panel.',
      additionalProperties: false,
      default: {},
      properties: {
        idle: { ...duration, default: '2h', description: 'A session ends when it was not used for so long.' },
        max: { ...duration, default: '12h', description: 'A session ends after so long in any case.' },
      },
    },
    providers: { type: 'object', additionalProperties: provider, default: {}, description: 'Providers of identities by name.' },
  },
} as const satisfies JSONSchema

/** `mail`: how mail goes out. */
export const mail = {
  type: 'object',
  description: 'How mail goes out.',
  additionalProperties: false,
  default: {},
  properties: {
    from: { ...text, default: 'Quire <quire@localhost>', description: 'Who mail is from.' },
    smtp: {
      type: 'object',
      description: 'The mail server. Without one, mail is put into the outbox folder of the private folder.',
      additionalProperties: false,
      required: ['host'],
      properties: {
        host: { ...text, description: 'Its name.' },
        port: { type: 'integer', minimum: 1, maximum: 65535, default: 587, description: 'Its port.' },
        secure: { type: 'boolean', default: false, description: 'TLS from the start (port 465).' },
        user: { ...text, description: 'Name to sign in with.' },
        password: { ...text, description: 'Password to sign in with: ${NAME}.' },
      },
    },
  },
} as const satisfies JSONSchema

/** `billing`: subscriptions. */
export const billing = {
  type: 'object',
  description: 'Subscriptions and invoices.',
  additionalProperties: false,
  default: {},
  properties: {
    gateway: { enum: ['manual', 'stripe'], default: 'manual', description: 'Who takes the money.' },
    currency: { type: 'string', pattern: '^[a-z]{3}$', examples: ['eur'], default: 'eur', description: 'ISO 4217, lower case.' },
    seller: {
      type: 'object',
      description: 'Who sells, as invoices name them.',
      additionalProperties: false,
      default: {},
      properties: {
        name: { type: 'string', maxLength: 200, default: '', description: 'Name; that of the site, if nothing is said.' },
        address: { type: 'string', maxLength: 1000, default: '', description: 'Address, in lines.' },
        tax_id: { type: 'string', maxLength: 100, default: '', description: 'Tax or VAT number.' },
      },
    },
    tax_percent: {
      type: 'number',
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'Tax that is added to the price of a plan, rounded half up to minor units.',
    },
    terms_days: {
      type: 'integer',
      minimum: 0,
      maximum: 365,
      default: 14,
      description: 'Days in which an invoice is to be paid.',
    },
    plans: {
      type: 'array',
      default: [],
      description: 'What can be subscribed to.',
      items: {
        type: 'object',
        description: 'A plan.',
        additionalProperties: false,
        required: ['id', 'name', 'amount', 'interval'],
        properties: {
          id: { ...text, maxLength: 100, description: 'What the API calls it.' },
          name: { ...text, maxLength: 200, description: 'What people see.' },
          amount: {
            type: 'integer',
            minimum: 0,
            maximum: 1e12,
            description: 'Net price in minor units: 900 is 9.00 EUR, and 900 JPY.',
          },
          interval: { enum: ['day', 'week', 'month', 'year'], description: 'How often it is paid.' },
          trial_days: { type: 'integer', minimum: 0, maximum: 3650, default: 0, description: 'Days before the first payment.' },
          seats: { type: ['integer', 'null'], minimum: 1, default: null, description: 'How many members; null is any number.' },
          stripe_price: {
            ...text,
            maxLength: 200,
            description: 'Id of the price at Stripe, which gateway stripe needs: price_….',
          },
        },
      },
    },
    stripe: {
      type: 'object',
      description: 'Stripe.',
      additionalProperties: false,
      required: ['secret_key', 'webhook_secret'],
      properties: {
        secret_key: { ...text, description: 'Secret key: ${NAME}.' },
        webhook_secret: { ...text, description: 'Secret its webhooks are signed with: ${NAME}.' },
        api_base: {
          ...address,
          type: ['string', 'null'],
          default: null,
          description: 'Another server that speaks as Stripe does, for tests.',
        },
      },
    },
  },
} as const satisfies JSONSchema

/** `modules`: the marketplace. */
export const modules = {
  type: 'object',
  description: 'Modules.',
  additionalProperties: false,
  default: {},
  properties: {
    registry: {
      type: ['string', 'null'],
      pattern: '^https?://[^\\s]+$',
      examples: ['https://example.org'],
      default: null,
      description: 'Where modules come from.',
    },
    signing_keys: { ...texts, default: [], description: 'Ed25519 keys whose signatures are believed.' },
    enabled: { ...texts, default: [], description: 'Modules that are loaded, by name.' },
  },
} as const satisfies JSONSchema
