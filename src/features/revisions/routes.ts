import type { FastifyInstance, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, type Send } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { diff, diffQuery, revisions as many } from '#http/past/revisions.ts'
import { pagingQuery } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { writeOptionsOf } from '#http/requests/write-options.ts'
import { followedMeta, moveQuery, redirectOf } from '../records/schemas/change.ts'
import { record } from '../records/schemas/record.ts'
import type { Revisions } from './revisions.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of revisions. */
export interface RevisionRoutes {
  readonly revisions: Revisions
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

type Of = { type: string; id: string }
type One = Of & { ts: string }
type RollbackAsked = { Params: One; Querystring: { redirect?: string }; Body: { restore_status?: boolean } | null | undefined }
type Rollback = FastifyRequest<RollbackAsked>

const tags = ['Revisions'] as const

/** `/api/cms/{type}/{id}/revisions…` and `…/rollback/{ts}`. */
export async function revisionRoutes(
  app: FastifyInstance,
  { revisions, idempotency, bearer, send }: RevisionRoutes,
): Promise<void> {
  app.addHook('onRequest', bearer)
  const base = '/api/cms/:type/:id'

  app.get<{ Params: Of; Querystring: QueryParams }>(
    `${base}/revisions`,
    {
      schema: {
        operationId: 'listRecordRevisions',
        summary: 'Lists what a record was, newest first',
        tags,
        errors: [403, 422],
        traits: ['etag'],
        params: shape.params,
        querystring: pagingQuery,
        response: { 200: many },
      },
    },
    (request, reply) => {
      const { type, id } = request.params
      answerWith(send, request, reply, revisions.list(accessOf(request), type, id, request.query).then(taggedJson))
    },
  )
  const then: FastifySchema = {
    operationId: 'getRecordRevision',
    summary: 'Gives a record as it was in a revision',
    tags,
    errors: [403, 422],
    traits: ['etag'],
    params: shape.params,
    response: { 200: one(record) },
  }
  app.get<{ Params: One }>(`${base}/revisions/:ts`, { schema: then }, (request, reply) => {
    const { type, id, ts } = request.params
    answerWith(send, request, reply, revisions.one(accessOf(request), type, id, ts))
  })
  app.get<{ Params: One; Querystring: { against?: string } }>(
    `${base}/revisions/:ts/diff`,
    {
      schema: {
        operationId: 'compareRecordRevisions',
        summary: 'Tells what a revision changed',
        tags,
        errors: [403, 422],
        traits: ['etag'],
        params: shape.params,
        querystring: diffQuery,
        response: { 200: diff },
      },
    },
    (request, reply) => {
      const { type, id, ts } = request.params
      const made = revisions.diff(accessOf(request), type, id, ts, request.query.against)
      answerWith(
        send,
        request,
        reply,
        made.then((data) => taggedJson({ data })),
      )
    },
  )
  app.post<RollbackAsked>(
    `${base}/rollback/:ts`,
    {
      schema: {
        operationId: 'rollBackRecord',
        summary: 'Makes a record what it was',
        description:
          'That is a revision of its own: nothing of the past is lost. A record that was removed comes back. Where the address becomes another, what led to the record follows.',
        tags,
        errors: [403, 409],
        traits: ['version', 'if-match', 'idempotency-key'],
        params: shape.params,
        body: shape.rollbackInput,
        querystring: moveQuery,
        response: { 200: shape.rolledBack },
      },
      config: { bodyOptional: true },
    },
    (request, reply) => idempotency.answer(request, reply, (once) => rollback(revisions, request, once)),
  )
}

async function rollback(revisions: Revisions, request: Rollback, once: string | undefined): Promise<KeptAnswer> {
  const { params, body: sent, query } = request
  const options = {
    ...writeOptionsOf(request, once),
    restoreStatus: sent?.restore_status,
    redirect: redirectOf(query),
  }
  const back = await revisions.rollback(accessOf(request), params.type, params.id, params.ts, options)
  const { body, etag, to, changed, followed } = back
  const meta = `,"meta":${JSON.stringify({ rolled_back_to: to, changed, ...(followed && followedMeta(followed)) })}}`
  return { status: 200, headers: { etag }, body: Buffer.concat([body.subarray(0, -1), Buffer.from(meta)]) }
}
