import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import { type Tagged, taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { pagingOf, pagingQuery } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Accounts } from './accounts.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of users. */
export interface UserRoutes {
  readonly accounts: Accounts
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

type One = { id: string }

const tags = ['Users'] as const
const base = '/api/users'

/** `/api/users…`. */
export async function userRoutes(app: FastifyInstance, { accounts, idempotency, bearer }: UserRoutes): Promise<void> {
  app.addHook('onRequest', bearer)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get<{ Querystring: QueryParams }>(base, { schema: LIST }, (request, reply) => {
    const listed = async () => accounts.list(accessOf(request), pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/:id`, { schema: GET }, (request, reply) =>
    answerWith(sendTagged, request, reply, accounts.get(accessOf(request), request.params.id).then(taggedUser)),
  )
  app.post<{ Body: FromSchema<typeof shape.newUser> }>(base, { schema: CREATE }, (request, reply) =>
    idempotency.answer(request, reply, async () => created(await accounts.create(accessOf(request), request.body))),
  )
  app.route<{ Params: One; Body: FromSchema<typeof shape.userChange> }>({
    method: ['PATCH', 'PUT'],
    url: `${base}/:id`,
    schema: UPDATE,
    handler: async (request) => ({ data: await accounts.update(accessOf(request), request.params.id, request.body) }),
  })
  app.delete<{ Params: One }>(`${base}/:id`, { schema: REMOVE }, async (request) => {
    const { id } = await accounts.remove(accessOf(request), request.params.id)
    return { data: { id, deleted: true } }
  })
}

const LIST = {
  operationId: 'listUsers',
  summary: 'Lists the users by their addresses',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  querystring: pagingQuery,
  response: { 200: shape.userList },
} as const

const GET = {
  operationId: 'getUser',
  summary: 'Gives a user',
  tags,
  errors: [403, 404],
  traits: ['etag'],
  response: { 200: shape.oneUser },
} as const

const CREATE = {
  operationId: 'createUser',
  summary: 'Makes a user and sends them an invitation',
  description: 'Nobody gives a role with rights that they have not themselves.',
  tags,
  errors: [403, 409],
  traits: ['location', 'idempotency-key'],
  body: shape.newUser,
  response: { 201: shape.oneUser },
} as const

const UPDATE = {
  operationId: 'updateUser',
  summary: 'Changes the name or the role of a user, or disables them',
  description:
    'A user whose role has rights that the asker has not can’t be changed. The last owner that is not disabled stays. Another role, or disabling, ends all that they are signed in with.',
  tags,
  errors: [403, 404, 409],
  body: shape.userChange,
  response: { 200: shape.oneUser },
} as const

const REMOVE = {
  operationId: 'deleteUser',
  summary: 'Removes a user',
  description: 'Their records stay, and keep their author.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.removedUser },
} as const

function taggedUser(data: shape.UserView): Tagged {
  return taggedJson({ data })
}

function created(user: shape.UserView): KeptAnswer {
  const location = `${base}/${encodeURIComponent(user.id)}`
  return { status: 201, headers: { location }, body: Buffer.from(JSON.stringify({ data: user })) }
}
