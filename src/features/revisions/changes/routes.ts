import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { answerWith, type Send } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { ChangeList } from './change-list.ts'
import * as shape from './schema.ts'

/** The dependencies of the route of changes. */
export interface ChangeRoutes {
  readonly changes: ChangeList
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

/** `/api/changes`. */
export async function changeRoutes(app: FastifyInstance, { changes, bearer, send }: ChangeRoutes): Promise<void> {
  app.register(async (scope) => {
    scope.addHook('onRequest', bearer)
    scope.get<{ Querystring: QueryParams }>('/api/changes', { schema: LIST }, (request, reply) =>
      answerWith(send, request, reply, changes.list(accessOf(request), request.query).then(taggedJson)),
    )
  })
}

const LIST = {
  operationId: 'listChanges',
  summary: 'Lists what was last done to all content, newest first',
  description:
    'One entry for each thing. Who may not read drafts is told of a record that was public and is so no more: `unpublished` or `deleted`, with its type and id alone. What begins or ends by itself is in the list at that time.',
  tags: ['Revisions'],
  errors: [403, 404, 422],
  traits: ['etag'],
  querystring: shape.changesQuery,
  response: { 200: shape.changeList },
} as const
