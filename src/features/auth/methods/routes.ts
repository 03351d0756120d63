import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { FromSchema } from 'json-schema-to-ts'
import { signingInBy } from '#http/requests/acting.ts'
import type { People } from '../sessions/people.ts'
import { personOf } from '../sessions/routes.ts'
import { tokenResponse } from '../sessions/schema.ts'
import type { Codes } from './codes.ts'
import { type LinkRoutes, linkRoutes } from './link-routes.ts'
import type { Passwords } from './passwords.ts'
import * as shape from './schema.ts'

/** The dependencies of the sign-in routes. `methods` are those that are switched on. */
export interface MethodRoutes extends LinkRoutes {
  readonly methods: readonly string[]
  readonly codes: Codes
  readonly passwords: Passwords
  readonly people: People
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

const tags = ['Sign-in'] as const

/** The ways to sign in under `/api/auth`: those that are switched off are not there. */
export function methodRoutes(app: FastifyInstance, parts: MethodRoutes): void {
  if (parts.methods.includes('otp')) codeRoutes(app, parts)
  if (parts.methods.includes('password')) passwordRoutes(app, parts)
  // Invitations are links too.
  linkRoutes(app, parts, parts.methods.includes('magic_link'))
}

function codeRoutes(app: FastifyInstance, { codes, sessions, open }: MethodRoutes): void {
  app.post<{ Body: FromSchema<typeof shape.codeRequest> }>(
    '/api/auth/otp/send',
    {
      onRequest: open,
      schema: {
        ...{ operationId: 'sendCode', summary: 'Have a code sent by mail', tags, security: [] },
        ...{ body: shape.codeRequest, response: { 202: shape.onItsWay } },
      },
    },
    async ({ body }, reply) => {
      await codes.send(body.email)
      return reply
        .code(202)
        .send({ message: 'If this is the address of an account, a code is on its way to it.', expires_in: codes.seconds })
    },
  )
  app.post<{ Body: FromSchema<typeof shape.codeInput> }>(
    '/api/auth/otp/verify',
    {
      onRequest: open,
      schema: {
        ...{ operationId: 'verifyCode', summary: 'Sign in with a code', tags, security: [], errors: [401] },
        ...{ body: shape.codeInput, response: { 200: tokenResponse } },
      },
    },
    async (request) => {
      const { email, code } = request.body
      const signingIn = signingInBy(request, 'code', email)
      return sessions.begin(await codes.verify(email, code, request.ip), 'code', signingIn)
    },
  )
}

function passwordRoutes(app: FastifyInstance, parts: MethodRoutes): void {
  const { passwords, sessions, open, bearer } = parts
  app.post<{ Body: FromSchema<typeof shape.passwordLogin> }>(
    '/api/auth/login',
    {
      onRequest: open,
      schema: {
        ...{ operationId: 'login', summary: 'Sign in with a password', tags, security: [], errors: [401] },
        ...{ body: shape.passwordLogin, response: { 200: tokenResponse } },
      },
    },
    async (request) => {
      const { email, password } = request.body
      const signingIn = signingInBy(request, 'password', email)
      return sessions.begin(await passwords.verify(email, password, request.ip), 'password', signingIn)
    },
  )
  app.put<{ Body: FromSchema<typeof shape.passwordInput> }>(
    '/api/auth/password',
    {
      onRequest: bearer,
      schema: {
        ...{ operationId: 'changePassword', summary: 'Set or change the own password', tags, errors: [403] },
        description: 'Ends all sessions of the person; the answer begins a new one. An API token can not do this.',
        ...{ body: shape.passwordInput, response: { 200: tokenResponse } },
      },
    },
    (request) => change(parts, request),
  )
}

async function change(
  { passwords, people, sessions }: MethodRoutes,
  request: FastifyRequest<{ Body: FromSchema<typeof shape.passwordInput> }>,
) {
  const user = await passwords.change(await personOf(people, request), request.body, request.ip)
  return sessions.begin(user, 'password')
}
