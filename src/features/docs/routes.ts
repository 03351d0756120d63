import type { FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, sendTagged } from '#http/answers/answers.ts'
import type { Docs, DocsDeps } from './docs.ts'

/** The dependencies of the routes of the description. */
export interface DocsRoutes {
  readonly deps: DocsDeps
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

const tags = ['Documentation'] as const
const document = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  additionalProperties: true,
  description: 'An OpenAPI 3.1 document.',
  properties: { openapi: { type: 'string', examples: ['3.1.1'] }, info: { type: 'object' }, paths: { type: 'object' } },
} as const
const page = { content: { 'text/html': { schema: { type: 'string' } } } } as const

/** `/api/openapi.json` and `/api/docs`. */
export function docsRoutes(app: FastifyInstance, { deps, bearer }: DocsRoutes): void {
  let made: Promise<Docs> | undefined
  const docs = () => {
    // Most servers are never asked, and start sooner without.
    made ??= import('./docs.ts')
      .then((loaded) => new loaded.Docs(deps))
      .catch((error: unknown) => {
        made = undefined
        throw error
      })
    return made
  }
  const spec: FastifySchema = {
    operationId: 'describeApi',
    summary: 'Describes this API',
    description:
      'No token is needed. With one, the paths of the content types that it may read are described too, with the fields of each.',
    tags,
    security: [],
    errors: [401],
    traits: ['etag'],
    response: { 200: document },
  }
  const onRequest: onRequestHookHandler = function (request, reply, done) {
    if (request.headers.authorization === undefined) done()
    else bearer.call(this, request, reply, done)
  }
  app.get('/api/openapi.json', { schema: spec, onRequest }, (request, reply) =>
    answerWith(
      sendTagged,
      request,
      reply.header('vary', 'authorization'),
      docs().then((one) => one.document(request.access)),
    ),
  )
  const shown: FastifySchema = {
    operationId: 'showApi',
    summary: 'Shows this API on a page',
    tags,
    security: [],
    traits: ['etag'],
    response: { 200: page },
  }
  app.get('/api/docs', { schema: shown }, async (request, reply) => {
    const page = (await docs()).page()
    reply.header('content-security-policy', page.policy).header('referrer-policy', 'same-origin')
    return sendTagged(request, reply, page, 'text/html; charset=utf-8')
  })
}
