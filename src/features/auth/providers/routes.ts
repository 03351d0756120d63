import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import type { ErrorLog } from '#http/errors/log.ts'
import { signingInBy } from '#http/requests/acting.ts'
import type { Handovers } from '../sessions/handovers.ts'
import { tokenResponse } from '../sessions/schema.ts'
import { ProviderAway } from './failures.ts'
import type { Returned } from './provider.ts'
import type { Arriving, Providers } from './providers.ts'

const text = { type: 'string' } as const satisfies JSONSchema

const params = {
  type: 'object',
  required: ['provider'],
  properties: { provider: { ...text, description: 'Its name in auth.providers of the configuration: google.' } },
} as const satisfies JSONSchema

const redirectQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    panel: {
      ...text,
      maxLength: 100,
      description: 'Of a sign-in in the panel that is on another host: the panel leads here with it.',
    },
    to: { ...text, maxLength: 2000, description: 'Where the sign-in is to lead to: one of auth.redirects of the configuration.' },
  },
} as const satisfies JSONSchema

/** Providers add what they like; nothing else is read. */
const callbackQuery = {
  type: 'object',
  additionalProperties: true,
  properties: {
    state: { ...text, description: 'As the redirect sent it.' },
    code: { ...text, description: 'The provider’s code.' },
    iss: { ...text, description: 'Who issued it (RFC 9207).' },
    error: { ...text, description: 'Why there is no code.' },
  },
} as const satisfies JSONSchema

const begin = {
  summary: 'Sign in with a provider',
  tags: ['Sign-in'],
  operationId: 'signInWithProvider',
  description: 'For browsers: sends them to the provider, with a cookie by which they are known when they come back.',
  security: [],
  errors: [401, 404],
  params,
  querystring: redirectQuery,
  response: { 302: { description: 'On to the provider.' } },
} as const

const finish = {
  summary: 'Come back from a provider',
  tags: ['Sign-in'],
  operationId: 'returnFromProvider',
  description:
    'Where the provider sends the browser back to. With `to`, the browser is sent on there with a code for POST /api/auth/exchange.',
  security: [],
  errors: [403, 404],
  params,
  querystring: callbackQuery,
  response: { 200: tokenResponse, 302: { description: 'On to the address that was asked for, with `code`, or with `error`.' } },
} as const

/** The dependencies of the provider routes. */
export interface ProviderRoutes {
  readonly providers: Providers
  readonly handovers: Pick<Handovers, 'left'>
  /** The guard of requests without a token: they are counted by address. */
  readonly open: onRequestHookHandler
  readonly log: ErrorLog
}

/**
 * `/api/auth/{provider}/redirect` and `callback`. Where they lead learns nothing of where they were, and nothing of them is kept
 * by a cache.
 */
export function providerRoutes(app: FastifyInstance, { providers, handovers, open, log }: ProviderRoutes): void {
  const onRequest: onRequestHookHandler[] = [
    (_request, reply, done) => {
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      done()
    },
    open,
  ]
  app.get<{ Params: FromSchema<typeof params>; Querystring: FromSchema<typeof redirectQuery> }>(
    '/api/auth/:provider/redirect',
    { onRequest, schema: begin },
    async ({ params, query, id }, reply) => {
      const panel = query.panel === undefined ? undefined : await handovers.left(query.panel)
      const leaving = await providers
        .begin(params.provider, query.to, panel)
        .catch((error) => told(error, (trouble) => log(trouble, id)))
      return reply.header('set-cookie', leaving.cookie).redirect(leaving.location, 302)
    },
  )
  app.get<{ Params: FromSchema<typeof params>; Querystring: Returned }>(
    '/api/auth/:provider/callback',
    { onRequest, schema: finish },
    async (request, reply) => {
      const { params, query, headers, id } = request
      const arriving = await providers.finish(params.provider, query, headers.cookie, signingInBy(request, 'provider'))
      return answer(reply, arriving, (trouble) => log(trouble, id))
    },
  )
}

/** Logs the cause of a provider's error for the operator; the user only learns that there is one. */
function told(error: unknown, log: (trouble: Error) => void): never {
  if (error instanceof ProviderAway) log(error.trouble)
  throw error
}

function answer(reply: FastifyReply, arriving: Arriving, log: (trouble: Error) => void): unknown {
  if (arriving.trouble) log(arriving.trouble)
  if (arriving.cookie !== undefined) reply.header('set-cookie', arriving.cookie)
  if ('failure' in arriving) throw arriving.failure
  return 'location' in arriving ? reply.redirect(arriving.location, 302) : arriving.tokens
}
