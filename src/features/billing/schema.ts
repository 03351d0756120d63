import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { many, one } from '#http/answers/shapes.ts'
import { pagingQuery } from '#http/requests/paging.ts'
import { subscriptionView } from '../subscription-view.ts'
import { INVOICE_STATUSES, LISTED_STATUSES } from './invoice.ts'
import { INTERVALS } from './periods.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const time = { ...text, format: 'date-time' } as const
const amount = { type: 'integer', description: 'In minor units of the currency: 900 is 9.00 EUR, and 900 JPY.' } as const
const currency = { ...text, description: 'ISO 4217, lower case.' } as const

const planView = {
  title: 'Plan',
  type: 'object',
  required: ['id', 'name', 'amount', 'currency', 'interval', 'trial_days', 'seats'],
  additionalProperties: false,
  properties: {
    id: text,
    name: text,
    amount: { ...amount, description: 'Net, for each period, in minor units of the currency.' },
    currency,
    interval: { ...text, enum: INTERVALS },
    trial_days: { type: 'integer' },
    seats: { type: ['integer', 'null'], description: 'How many members; null is any number.' },
  },
} as const satisfies JSONSchema

/** A plan as it is shown. */
export type PlanView = FromSchema<typeof planView>

const invoiceView = {
  title: 'Invoice',
  type: 'object',
  required: [
    ...['id', 'number', 'status', 'issued_at', 'due_at', 'paid_at', 'period', 'customer', 'seller', 'lines'],
    ...['subtotal', 'tax', 'amount_due', 'amount_paid', 'currency'],
  ],
  additionalProperties: false,
  properties: {
    id: { ...textOrNull, description: 'Null of one that is still to come.' },
    number: { ...textOrNull, description: 'Without gaps in each year. Null of one that is still to come.' },
    status: { ...text, enum: INVOICE_STATUSES },
    issued_at: time,
    due_at: time,
    paid_at: { type: ['string', 'null'], format: 'date-time' },
    period: {
      type: 'object',
      required: ['start', 'end'],
      additionalProperties: false,
      properties: { start: time, end: time },
    },
    customer: {
      type: 'object',
      required: ['team', 'name'],
      additionalProperties: false,
      properties: { team: textOrNull, name: text },
    },
    seller: {
      type: 'object',
      required: ['name', 'address', 'tax_id'],
      additionalProperties: false,
      properties: { name: text, address: text, tax_id: text },
    },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: ['text', 'quantity', 'amount'],
        additionalProperties: false,
        properties: { text, quantity: { type: 'integer' }, amount },
      },
    },
    subtotal: amount,
    tax: amount,
    amount_due: { ...amount, description: 'With tax, in minor units of the currency.' },
    amount_paid: amount,
    currency,
  },
} as const satisfies JSONSchema

/** An invoice as it is shown. */
export type InvoiceView = FromSchema<typeof invoiceView>

const overview = {
  title: 'Billing',
  type: 'object',
  required: ['plan', 'subscription', 'seats', 'next_invoice'],
  additionalProperties: false,
  properties: {
    plan: { ...planView, type: ['object', 'null'], description: 'As it was agreed on. Null without a subscription.' },
    subscription: { ...subscriptionView, type: ['object', 'null'], description: 'The last one, also where it has ended.' },
    seats: {
      type: 'object',
      required: ['used', 'of'],
      additionalProperties: false,
      properties: { used: { type: 'integer' }, of: { type: ['integer', 'null'], description: 'Null is any number.' } },
    },
    next_invoice: { ...invoiceView, type: ['object', 'null'], description: 'The one that opens next, as a draft.' },
  },
} as const satisfies JSONSchema

/** A customer's plan, subscription, seats and next invoice, as they are shown. */
export type Overview = FromSchema<typeof overview>

/** The response with all plans. */
export const planList = many(planView)

/** The response with what somebody pays for. */
export const oneOverview = one(overview)

/** The response with a subscription. */
export const oneSubscription = one(subscriptionView)

/** The response with an invoice. */
export const oneInvoice = one(invoiceView)

/** Invoices, and which part of the list they are. */
export const invoiceList = many(invoiceView)

/** The response with the address at which a subscription goes on. */
export const checkedOut = one({
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: { url: text },
})

/** The response to an event of a gateway. */
export const heard = {
  type: 'object',
  required: ['received'],
  additionalProperties: false,
  properties: { received: { type: 'boolean' } },
} as const satisfies JSONSchema

const team = { ...text, maxLength: 200, description: 'The id of a team. Needed where there are several.' } as const

/** The parameters of who is asked about. */
export const ofTeam = { type: 'object', additionalProperties: false, properties: { team } } as const satisfies JSONSchema

/** The body of a request about a team, which need not have one. */
export const teamBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { team },
} as const satisfies JSONSchema

/** The parameters of the list of invoices. */
export const invoicesQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ...pagingQuery.properties,
    team: { ...team, description: 'The id of a team: its invoices alone.' },
    status: { ...text, enum: LISTED_STATUSES },
  },
} as const satisfies JSONSchema

/** The body of a checkout. */
export const checkout = {
  title: 'Checkout',
  type: 'object',
  required: ['plan'],
  additionalProperties: false,
  properties: { plan: { ...text, maxLength: 200, description: 'The id of a plan.' }, team },
} as const satisfies JSONSchema
