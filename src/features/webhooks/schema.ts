import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'
import { STATES } from './delivery-store.ts'

const text = { type: 'string' } as const
const time = { type: ['string', 'null'], format: 'date-time' } as const

const properties = {
  id: text,
  url: text,
  events: { type: 'array', items: text, description: 'Names of events; `*` stands for any part.' },
  description: text,
  enabled: { type: 'boolean', description: 'Whether it is told of events.' },
  disabled_at: time,
  disabled_reason: { type: ['string', 'null'] },
  configured: { type: 'boolean', description: 'True for one of the configuration, which is not changed here.' },
  owner: {
    type: ['object', 'null'],
    required: ['kind', 'id', 'name'],
    additionalProperties: false,
    properties: { kind: { enum: ['user', 'token'] }, id: text, name: text },
    description: 'Who made it: it is told what they may read at that moment. `null` for one of the configuration.',
  },
  created_at: { ...time, description: '`null` for one of the configuration.' },
} as const satisfies Record<string, JSONSchema>

const required = [
  ...(['id', 'url', 'events', 'description', 'enabled', 'disabled_at', 'disabled_reason'] as const),
  ...(['configured', 'owner', 'created_at'] as const),
] as const

const webhook = {
  title: 'Webhook',
  type: 'object',
  required,
  additionalProperties: false,
  properties,
} as const satisfies JSONSchema

/** A webhook, without its secret. */
export type WebhookView = FromSchema<typeof webhook>

/** Webhooks, and which part of the list they are. */
export const webhookList = many(webhook)

/** An answer with a webhook. */
export const oneWebhook = one(webhook)

/** An answer with a webhook and its new secret. */
export const madeWebhook = one({
  title: 'NewWebhook',
  type: 'object',
  required: [...required, 'secret'],
  additionalProperties: false,
  properties: {
    ...properties,
    secret: {
      type: ['string', 'null'],
      description:
        'What deliveries are signed with: `whsec_…`, shown this once. `null` in the answer to a request that is repeated with its `Idempotency-Key`.',
    },
  },
})

const url = {
  ...text,
  minLength: 1,
  maxLength: 2_000,
  examples: ['https://example.org/hooks'],
  description: 'Where events are sent: http or https, never in a private network.',
} as const
const events = {
  type: 'array',
  items: { ...text, minLength: 1, maxLength: 100 },
  minItems: 1,
  maxItems: 100,
  examples: [['record.*']],
  description: 'Names of events; `*` stands for any part.',
} as const
const description = { ...text, maxLength: 200, default: '', description: 'A few words for people.' } as const

/** A webhook to be made. */
export const newWebhook = {
  title: 'WebhookRequest',
  type: 'object',
  required: ['url', 'events'],
  additionalProperties: false,
  properties: { url, events, description },
} as const satisfies JSONSchema

/** A webhook to be made, as it is sent. */
export type NewWebhook = FromSchema<typeof newWebhook>

/** A webhook to be changed: what is not sent stays. */
export const webhookChange = {
  title: 'WebhookChange',
  type: 'object',
  additionalProperties: false,
  properties: { url, events, description: { ...text, maxLength: 200 } },
} as const satisfies JSONSchema

/** A webhook to be changed, as it is sent. */
export type WebhookChangeInput = FromSchema<typeof webhookChange>

/** The response for a webhook that was removed. */
export const removedWebhook = one({
  type: 'object',
  required: ['id', 'deleted'],
  additionalProperties: false,
  properties: { id: text, deleted: { type: 'boolean' } },
})

const delivery = {
  title: 'Delivery',
  type: 'object',
  required: ['id', 'event', 'type', 'status', 'attempts', 'response', 'next_at', 'created_at'],
  additionalProperties: false,
  properties: {
    id: text,
    event: { ...text, description: 'The id of the event, which is the `webhook-id` of each attempt.' },
    type: { ...text, description: 'The type of the event; `webhook.test` of the test button.' },
    status: { enum: STATES },
    attempts: { type: 'integer' },
    response: {
      type: ['object', 'null'],
      required: ['status', 'body'],
      additionalProperties: false,
      properties: {
        status: { type: ['integer', 'null'], description: '`null` where nothing was answered; `body` says why.' },
        body: { ...text, description: 'The first KiB.' },
      },
      description: 'What the last attempt was answered.',
    },
    next_at: { ...time, description: 'When it is tried next; `null` where it is not.' },
    created_at: { ...text, format: 'date-time' },
  },
} as const satisfies JSONSchema

/** A delivery as it may be shown. */
export type DeliveryView = FromSchema<typeof delivery>

/** Deliveries, and which part of the list they are. */
export const deliveryList = many(delivery)

/** An answer with a delivery. */
export const oneDelivery = one(delivery)
