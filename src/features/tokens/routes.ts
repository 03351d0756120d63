import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { pagingOf, pagingQuery } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Clock } from '#lib/clock.ts'
import { type MadeToken, TokenGrants } from './grants.ts'
import * as shape from './schema.ts'
import type { Tokens } from './tokens.ts'

/** The dependencies of the routes of tokens. */
export interface TokenRoutes {
  readonly tokens: Tokens
  readonly types: ContentTypes
  readonly store: Store
  readonly clock: Clock
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

const tags = ['Tokens'] as const
const base = '/api/tokens'

/** `/api/tokens…`. */
export async function tokenRoutes(app: FastifyInstance, deps: TokenRoutes): Promise<void> {
  app.register(async (scope) => routes(scope, new TokenGrants(deps), deps))
}

function routes(app: FastifyInstance, tokens: TokenGrants, { idempotency, bearer }: TokenRoutes): void {
  app.addHook('onRequest', bearer)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  app.get<{ Querystring: QueryParams }>(base, { schema: LIST }, (request, reply) => {
    const listed = async () => tokens.list(accessOf(request), pagingOf(request.query))
    answerWith(sendTagged, request, reply, listed().then(taggedJson))
  })
  app.post<{ Body: shape.NewToken }>(base, { schema: CREATE }, (request, reply) =>
    idempotency.answer(request, reply, async () => created(await tokens.create(accessOf(request), request.body))),
  )
  app.delete<{ Params: { id: string } }>(`${base}/:id`, { schema: REVOKE }, async (request) => {
    const { id } = await tokens.revoke(accessOf(request), request.params.id)
    return { data: { id, deleted: true } }
  })
}

const LIST = {
  operationId: 'listTokens',
  summary: 'Lists the tokens by their names',
  description: 'All of them with users:write, else those of the user who asks. Secrets are not kept and not shown.',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  querystring: pagingQuery,
  response: { 200: shape.tokenList },
} as const

const CREATE = {
  operationId: 'createToken',
  summary: 'Makes a token, whose secret is in this answer and nowhere else',
  description:
    'Nobody gives a right that they have not themselves. The token of a user may do at any moment what its scopes and its owner both allow, and ends with the account. It is not at an address of its own.',
  tags,
  errors: [403, 409],
  traits: ['location', 'idempotency-key'],
  body: shape.newToken,
  response: { 201: shape.madeToken },
} as const

const REVOKE = {
  operationId: 'revokeToken',
  summary: 'Revokes a token at once',
  description: 'Any with users:write, else one of the user who asks.',
  tags,
  errors: [403, 404, 409],
  response: { 200: shape.revokedToken },
} as const

function created({ token, view }: MadeToken): KeptAnswer {
  const location = `${base}/${encodeURIComponent(view.id)}`
  const bodyWith = (secret: string | null) => Buffer.from(JSON.stringify({ data: { ...view, token: secret } }))
  return { status: 201, headers: { location }, body: bodyWith(token), repeated: bodyWith(null) }
}
