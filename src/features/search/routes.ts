import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { answerWith, type Send } from '#http/answers/answers.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { QueryParams } from '#http/requests/query.ts'
import * as shape from './schema.ts'
import type { Search } from './search.ts'

/** The dependencies of the search route. */
export interface SearchRoutes {
  readonly search: Search
  /** The guard of routes that need a token; it counts searches. */
  readonly bearer: onRequestHookHandler
  /** Sends the search results. */
  readonly send: Send
}

/** Searching over the API: `/api/cms/search`. */
export function searchRoutes(app: FastifyInstance, { search, bearer, send }: SearchRoutes): void {
  app.get<{ Querystring: QueryParams }>(
    '/api/cms/search',
    {
      onRequest: bearer,
      schema: {
        operationId: 'search',
        summary: 'Finds records of all types by their words',
        tags: ['Search'],
        errors: [403, 404],
        traits: ['etag'],
        querystring: shape.searchQuery,
        response: { 200: shape.results },
      },
    },
    (request, reply) => answerWith(send, request, reply, search.answer(accessOf(request), request.query)),
  )
}
