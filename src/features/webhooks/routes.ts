import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { pagingOf, pagingQuery } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import * as shape from './schema.ts'
import type { MadeWebhook, Webhooks } from './webhooks.ts'

/** The dependencies of the routes of webhooks. */
export interface WebhookRoutes {
  readonly webhooks: Webhooks
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

type One = { id: string }

const tags = ['Webhooks'] as const
const base = '/api/webhooks'

/** `/api/webhooks…`. */
export async function webhookRoutes(app: FastifyInstance, { webhooks, idempotency, bearer }: WebhookRoutes): Promise<void> {
  app.addHook('onRequest', bearer)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.get<{ Querystring: QueryParams }>(base, { schema: LIST }, (request, reply) => {
    const listed = async () => webhooks.list(accessOf(request), pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/:id`, { schema: GET }, (request, reply) => {
    const found = async () => ({ data: await webhooks.get(accessOf(request), request.params.id) })
    answerWith(sendTagged, request, reply, found().then(taggedJson))
  })
  app.post<{ Body: shape.NewWebhook }>(base, { schema: CREATE }, (request, reply) =>
    idempotency.answer(request, reply, async () => created(await webhooks.create(accessOf(request), request.body))),
  )
  app.route<{ Params: One; Body: shape.WebhookChangeInput }>({
    method: ['PATCH', 'PUT'],
    url: `${base}/:id`,
    schema: UPDATE,
    handler: async (request) => ({ data: await webhooks.update(accessOf(request), request.params.id, request.body) }),
  })
  app.delete<{ Params: One }>(`${base}/:id`, { schema: REMOVE }, async (request) => {
    await webhooks.remove(accessOf(request), request.params.id)
    return { data: { id: request.params.id, deleted: true } }
  })
  app.post<{ Params: One }>(`${base}/:id/rotate`, { schema: ROTATE }, (request, reply) =>
    idempotency.answer(request, reply, async () => withSecret(200, await webhooks.rotate(accessOf(request), request.params.id))),
  )
  app.post<{ Params: One }>(`${base}/:id/enable`, { schema: ENABLE }, (request, reply) =>
    idempotency.answer(request, reply, async () => done(await webhooks.enable(accessOf(request), request.params.id))),
  )
  deliveryRoutes(app, webhooks, idempotency)
}

function deliveryRoutes(app: FastifyInstance, webhooks: Webhooks, idempotency: Idempotency): void {
  app.post<{ Params: One }>(`${base}/:id/test`, { schema: TEST }, (request, reply) =>
    idempotency.answer(request, reply, async () => done(await webhooks.test(accessOf(request), request.params.id))),
  )
  app.get<{ Params: One; Querystring: QueryParams }>(`${base}/:id/deliveries`, { schema: DELIVERIES }, (request, reply) => {
    const listed = async () => webhooks.deliveries(accessOf(request), request.params.id, pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.post<{ Params: One }>(`${base}/deliveries/:id/replay`, { schema: REPLAY }, (request, reply) =>
    idempotency.answer(request, reply, async () => done(await webhooks.replay(accessOf(request), request.params.id))),
  )
}

const LIST = {
  operationId: 'listWebhooks',
  summary: 'Lists the webhooks, those of the configuration first',
  description: 'Secrets are not shown.',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  querystring: pagingQuery,
  response: { 200: shape.webhookList },
} as const

const GET = {
  operationId: 'getWebhook',
  summary: 'Gives a webhook',
  tags,
  errors: [403, 404],
  traits: ['etag'],
  response: { 200: shape.oneWebhook },
} as const

const CREATE = {
  operationId: 'createWebhook',
  summary: 'Makes a webhook, whose secret is in this answer and nowhere else',
  description:
    'It is told of what happens from then on: what its maker may read at that moment, and nothing once the account or the token that made it is over.',
  tags,
  errors: [403, 409],
  traits: ['location', 'idempotency-key'],
  body: shape.newWebhook,
  response: { 201: shape.madeWebhook },
} as const

const UPDATE = {
  operationId: 'updateWebhook',
  summary: 'Changes a webhook',
  description: 'Who gives it another address, or other events, is its maker from then on.',
  tags,
  errors: [403, 404, 409],
  body: shape.webhookChange,
  response: { 200: shape.oneWebhook },
} as const

const REMOVE = {
  operationId: 'deleteWebhook',
  summary: 'Removes a webhook, with what is on its way to it',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.removedWebhook },
} as const

const ROTATE = {
  operationId: 'rotateWebhookSecret',
  summary: 'Gives a webhook a new secret, which is in this answer and nowhere else',
  description: 'For a day deliveries are signed with both, the new one first.',
  tags,
  errors: [403, 404, 409],
  traits: ['idempotency-key'],
  response: { 200: shape.madeWebhook },
} as const

const ENABLE = {
  operationId: 'enableWebhook',
  summary: 'Has a webhook told again that was disabled',
  description: 'It is told of what happens from then on. The caller takes over one whose maker is gone.',
  tags,
  errors: [403, 404],
  traits: ['idempotency-key'],
  response: { 200: shape.oneWebhook },
} as const

const TEST = {
  operationId: 'testWebhook',
  summary: 'Sends an event `webhook.test` at once, and answers with what came of it',
  tags,
  errors: [403, 404],
  traits: ['idempotency-key'],
  response: { 200: shape.oneDelivery },
} as const

const DELIVERIES = {
  operationId: 'listDeliveries',
  summary: 'Lists what was sent to a webhook in the last 30 days, newest first',
  tags,
  errors: [403, 404, 422],
  traits: ['etag'],
  querystring: pagingQuery,
  response: { 200: shape.deliveryList },
} as const

const REPLAY = {
  operationId: 'replayDelivery',
  summary: 'Has an event sent again, under the same `webhook-id`',
  tags,
  errors: [403, 404, 409],
  traits: ['idempotency-key'],
  response: { 200: shape.oneDelivery },
} as const

function created(made: MadeWebhook): KeptAnswer {
  return { ...withSecret(201, made), headers: { location: `${base}/${encodeURIComponent(made.view.id)}` } }
}

function withSecret(status: number, { view, secret }: MadeWebhook): KeptAnswer {
  const bodyWith = (text: string | null) => Buffer.from(JSON.stringify({ data: { ...view, secret: text } }))
  return { status, headers: {}, body: bodyWith(secret), repeated: bodyWith(null) }
}

function done(data: object): KeptAnswer {
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ data })) }
}
