import * as shape from './schema.ts'

const tags = ['Billing'] as const

/** `GET /api/billing`, described. */
export const OVERVIEW = {
  operationId: 'getBilling',
  summary: 'Gives the plan, the subscription, the seats and the next invoice',
  description: 'Of a team, or of the site where there are no teams. For owners of the team, and with billing:write.',
  tags,
  errors: [403, 404, 422],
  traits: ['etag'],
  querystring: shape.ofTeam,
  response: { 200: shape.oneOverview },
} as const

/** `GET /api/billing/plans`, described. */
export const PLANS = {
  operationId: 'listPlans',
  summary: 'Lists the plans',
  tags,
  traits: ['etag'],
  response: { 200: shape.planList },
} as const

/** `POST /api/billing/checkout`, described. */
export const CHECKOUT = {
  operationId: 'checkout',
  summary: 'Begins a subscription',
  description:
    'With the gateway manual it begins with the answer, whose address is where it is shown; with stripe the address is where it is paid.',
  tags,
  errors: [403, 404, 409],
  traits: ['idempotency-key'],
  body: shape.checkout,
  response: { 201: shape.checkedOut },
} as const

/** `POST /api/billing/cancel`, described. */
export const CANCEL = {
  operationId: 'cancelSubscription',
  summary: 'Has a subscription end with its period',
  tags,
  errors: [403, 404, 409],
  querystring: shape.ofTeam,
  body: shape.teamBody,
  response: { 200: shape.oneSubscription },
} as const

/** `POST /api/billing/resume`, described. */
export const RESUME = {
  operationId: 'resumeSubscription',
  summary: 'Takes a cancellation back, until the period ends',
  tags,
  errors: [403, 404, 409],
  querystring: shape.ofTeam,
  body: shape.teamBody,
  response: { 200: shape.oneSubscription },
} as const

/** `GET /api/billing/invoices`, described. */
export const INVOICES = {
  operationId: 'listInvoices',
  summary: 'Lists invoices, the newest first',
  description: 'All of them with billing:write, else those of the teams that the user who is signed in owns.',
  tags,
  errors: [403, 404, 422],
  traits: ['etag'],
  querystring: shape.invoicesQuery,
  response: { 200: shape.invoiceList },
} as const

const page = { schema: { type: 'string' } } as const

/** `GET /api/billing/invoices/{id}`, described. */
export const INVOICE = {
  operationId: 'getInvoice',
  summary: 'Gives an invoice, or the page of it',
  tags,
  errors: [403, 404],
  traits: ['etag'],
  response: {
    200: {
      description: 'To who accepts text/html and not application/json, a page that prints on A4.',
      content: { 'application/json': { schema: shape.oneInvoice }, 'text/html': page },
    },
    303: { description: 'The page, where the gateway has one: that of Stripe.', type: 'null' },
  },
} as const

/** `POST /api/billing/invoices/{id}/pay`, described. */
export const PAY = {
  operationId: 'payInvoice',
  summary: 'Notes that an open invoice was paid',
  description: 'With billing:write.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.oneInvoice },
} as const

/** `POST /api/billing/invoices/{id}/void`, described. */
export const VOID = {
  operationId: 'voidInvoice',
  summary: 'Makes an open invoice void; it keeps its number',
  description: 'With billing:write.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.oneInvoice },
} as const

/** `POST /api/billing/webhook/stripe`, described. */
export const STRIPE_EVENT = {
  operationId: 'takeStripeEvent',
  summary: 'Takes an event of Stripe',
  description:
    'Signed by Stripe at most five minutes ago (`Stripe-Signature`), at most 1 MiB. It is kept, and what it is about is read from Stripe.',
  tags,
  errors: [400, 413],
  response: { 200: shape.heard },
} as const
