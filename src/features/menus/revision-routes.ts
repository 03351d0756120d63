import type { FastifyInstance, FastifyRequest } from 'fastify'
import { one } from '#http/answer-shapes.ts'
import { answerWith, type Send } from '#http/answers.ts'
import { accessOf } from '#http/bearer.ts'
import { taggedJson } from '#http/etag.ts'
import type { Idempotency, KeptAnswer } from '#http/idempotency.ts'
import { pagingQuery } from '#http/paging.ts'
import type { QueryParams } from '#http/query.ts'
import { diff, diffQuery, revisions } from '#http/revisions.ts'
import { writeOptionsOf } from '#http/write-options.ts'
import type { Menus } from './menus.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of menus as they were. */
export interface MenuRevisionRoutes {
  readonly menus: Menus
  readonly idempotency: Idempotency
  /** Sends the response to a read. */
  readonly send: Send
}

type Of = { name: string }
type One = Of & { ts: string }

const tags = ['Menus'] as const
const base = '/api/menus/:name'

/** `/api/menus/{name}/revisions…` and `…/rollback/{ts}`, behind the guard of menus. */
export function menuRevisionRoutes(app: FastifyInstance, { menus, idempotency, send }: MenuRevisionRoutes): void {
  const { past } = menus
  app.get<{ Params: Of; Querystring: QueryParams }>(`${base}/revisions`, { schema: LIST }, (request, reply) => {
    const listed = past.list(accessOf(request), request.params.name, request.query)
    answerWith(send, request, reply, listed.then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/revisions/:ts`, { schema: GET }, (request, reply) => {
    const { name, ts } = request.params
    answerWith(send, request, reply, past.one(accessOf(request), name, ts))
  })
  app.get<{ Params: One; Querystring: { against?: string } }>(
    `${base}/revisions/:ts/diff`,
    { schema: COMPARE },
    (request, reply) => {
      const { name, ts } = request.params
      const made = past.diff(accessOf(request), name, ts, request.query.against)
      answerWith(
        send,
        request,
        reply,
        made.then((data) => taggedJson({ data })),
      )
    },
  )
  app.post<{ Params: One }>(`${base}/rollback/:ts`, { schema: ROLL_BACK, config: { bodyOptional: true } }, (request, reply) =>
    idempotency.answer(request, reply, (once) => rollback(menus, request, once)),
  )
}

async function rollback(menus: Menus, request: FastifyRequest<{ Params: One }>, once?: string): Promise<KeptAnswer> {
  const { name, ts } = request.params
  const { view, etag, to, changed } = await menus.rollback(accessOf(request), name, ts, writeOptionsOf(request, once))
  const body = Buffer.from(JSON.stringify({ data: view, meta: { rolled_back_to: to, changed } }))
  return { status: 200, headers: { etag }, body }
}

const LIST = {
  operationId: 'listMenuRevisions',
  summary: 'Lists what a menu was, newest first',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  querystring: pagingQuery,
  response: { 200: revisions },
} as const

const GET = {
  operationId: 'getMenuRevision',
  summary: 'Gives a menu as it was in a revision',
  description: 'Who does not see drafts is shown an item that led to a record where the menu still has it as it was.',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  response: { 200: one(shape.menu) },
} as const

const COMPARE = {
  operationId: 'compareMenuRevisions',
  summary: 'Tells what a revision of a menu changed',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  querystring: diffQuery,
  response: { 200: diff },
} as const

const ROLL_BACK = {
  operationId: 'rollBackMenu',
  summary: 'Makes a menu what it was',
  description:
    'That is a revision of its own: nothing of the past is lost. A menu that was removed comes back. Needs content:drafts beside menus:write, for it may lead to any record.',
  tags,
  errors: [403, 409],
  traits: ['version', 'if-match', 'idempotency-key'],
  params: shape.params,
  body: shape.rollbackInput,
  response: { 200: shape.rolledBack },
} as const
