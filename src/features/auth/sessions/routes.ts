import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import type { Users } from '#features/users/users.ts'
import { one } from '#http/answers/shapes.ts'
import { tokenOf } from '#http/guarding/bearer.ts'
import { signingInBy } from '#http/requests/acting.ts'
import { Forbidden, Unauthorized } from '#lib/errors.ts'
import type { Handovers } from './handovers.ts'
import type { Keys } from './keys.ts'
import type { People, Person } from './people.ts'
import * as shape from './schema.ts'
import type { Sessions } from './sessions.ts'

/** The dependencies of the session routes. */
export interface SessionRoutes {
  readonly sessions: Sessions
  readonly handovers: Handovers
  readonly people: People
  readonly users: Users
  /** The guard of requests without a token: they are counted by address. */
  readonly open: onRequestHookHandler
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

/** `/api/auth/refresh`, `logout`, `exchange` and `me`: the routes of every way to sign in. */
export function sessionRoutes(app: FastifyInstance, parts: SessionRoutes): void {
  const { sessions, handovers, people, open, bearer } = parts
  app.post<{ Body: FromSchema<typeof shape.refreshInput> }>(
    '/api/auth/refresh',
    {
      onRequest: open,
      schema: {
        ...{
          operationId: 'refreshTokens',
          summary: 'New tokens for a refresh token',
          tags: ['Sign-in'],
          security: [],
          errors: [401],
        },
        description:
          'A refresh token is good once. One that comes again later than 10 seconds after ends its session, since two have it.',
        body: shape.refreshInput,
        response: { 200: shape.tokenResponse },
      },
    },
    ({ body }) => sessions.refresh(body.refresh_token),
  )
  app.post<{ Body: FromSchema<typeof shape.exchangeInput> }>(
    '/api/auth/exchange',
    {
      onRequest: open,
      schema: {
        ...{
          operationId: 'exchangeCode',
          summary: 'Tokens for the code of an address',
          tags: ['Sign-in'],
          security: [],
          errors: [401],
        },
        description: 'After a sign-in that led to an address of auth.redirects: the code in it is good once, for a minute.',
        body: shape.exchangeInput,
        response: { 200: shape.tokenResponse },
      },
    },
    (request) => handovers.exchange(request.body.code, signingInBy(request, 'exchange')),
  )
  app.post<{ Body: FromSchema<typeof shape.logoutInput> | undefined }>(
    '/api/auth/logout',
    {
      onRequest: whichever(open, bearer),
      config: { bodyOptional: true },
      schema: {
        ...{ operationId: 'signOut', summary: 'Sign out', tags: ['Sign-in'], errors: [403] },
        description:
          'Ends the session of the access token, or of the refresh token in the body; with all, every session of the person.',
        body: shape.logoutInput,
        response: { 204: shape.nothing },
      },
    },
    async (request, reply) => {
      await signOut(parts, request)
      return reply.code(204).send()
    },
  )
  app.get(
    '/api/auth/me',
    {
      onRequest: bearer,
      schema: {
        ...{ operationId: 'getMe', summary: 'Who is signed in', tags: ['Sign-in'], errors: [403] },
        response: { 200: one(shape.meView) },
      },
    },
    async (request) => ({ data: viewOf(await personOf(people, request)) }),
  )
}

/** `/.well-known/jwks.json` (RFC 8414 §2 names it `jwks_uri`): what other services read this site's tokens by. */
export function keyRoutes(app: FastifyInstance, keys: Keys): void {
  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        ...{ operationId: 'getKeys', summary: 'The keys that access tokens are read by', tags: ['Sign-in'], security: [] },
        querystring: { type: 'object', additionalProperties: false, properties: {} },
        response: { 200: shape.keySet },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=60').header('access-control-allow-origin', '*')
      return { keys: await keys.published() }
    },
  )
}

/** Returns a guard that authenticates a request with a token, and lets any other through as it is. */
function whichever(open: onRequestHookHandler, bearer: onRequestHookHandler): onRequestHookHandler {
  return function (request, reply, done) {
    return (request.headers.authorization === undefined ? open : bearer).call(this, request, reply, done)
  }
}

/** Resolves with the signed-in caller. Throws Forbidden for an API token, which belongs to nobody. */
export async function personOf(people: People, request: FastifyRequest): Promise<Person> {
  const { authorization = '' } = request.raw.headers
  const token = tokenOf(request)
  if (typeof token !== 'string') throw token
  const person = await people.find(token, authorization)
  // What they do is told with the request.
  if (person) return { ...person, access: request.access ?? person.access }
  if (request.access) throw new Forbidden('This is for people who are signed in: an API token is nobody’s.')
  throw new Unauthorized('The token is unknown, expired or revoked.', 'invalid_token')
}

async function signOut(
  parts: SessionRoutes,
  request: FastifyRequest<{ Body: FromSchema<typeof shape.logoutInput> | undefined }>,
) {
  const { refresh_token: refresh, all = false } = request.body ?? {}
  if (refresh !== undefined && !all) {
    const ended = await parts.sessions.endOf(refresh)
    const user = ended && (await parts.users.byId(ended.user))
    if (user) request.signedOut = { user, session: ended.id }
    return
  }
  const { user, session, access } = await personOf(parts.people, request)
  if (all) await parts.users.endSessions(user.id, access.author)
  await parts.sessions.end(session.id)
  request.signedOut = { user, session: session.id }
}

function viewOf({ user }: Person): FromSchema<typeof shape.meView> {
  const { id, email, name, handle, role, createdAt, passwordHash } = user
  return { id, email, name, handle, role, created_at: createdAt ?? null, has_password: passwordHash !== undefined }
}
