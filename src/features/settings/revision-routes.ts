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
import * as shape from './schema.ts'
import type { Settings } from './settings.ts'

/** The dependencies of the routes of settings as they were. */
export interface SettingRevisionRoutes {
  readonly settings: Settings
  readonly idempotency: Idempotency
  /** Sends the response to a read. */
  readonly send: Send
}

type Of = { key: string }
type One = Of & { ts: string }

const tags = ['Settings'] as const
const base = '/api/settings/:key'

/** `/api/settings/{key}/revisions…` and `…/rollback/{ts}`, behind the guard of settings. */
export function settingRevisionRoutes(app: FastifyInstance, { settings, idempotency, send }: SettingRevisionRoutes): void {
  const { past } = settings
  app.get<{ Params: Of; Querystring: QueryParams }>(`${base}/revisions`, { schema: LIST }, (request, reply) => {
    const listed = past.list(accessOf(request), request.params.key, request.query)
    answerWith(send, request, reply, listed.then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/revisions/:ts`, { schema: GET }, (request, reply) => {
    const { key, ts } = request.params
    answerWith(send, request, reply, past.one(accessOf(request), key, ts))
  })
  app.get<{ Params: One; Querystring: { against?: string } }>(
    `${base}/revisions/:ts/diff`,
    { schema: COMPARE },
    (request, reply) => {
      const { key, ts } = request.params
      const made = past.diff(accessOf(request), key, ts, request.query.against)
      answerWith(
        send,
        request,
        reply,
        made.then((data) => taggedJson({ data })),
      )
    },
  )
  app.post<{ Params: One }>(`${base}/rollback/:ts`, { schema: ROLL_BACK, config: { bodyOptional: true } }, (request, reply) =>
    idempotency.answer(request, reply, (once) => rollback(settings, request, once)),
  )
}

async function rollback(settings: Settings, request: FastifyRequest<{ Params: One }>, once?: string): Promise<KeptAnswer> {
  const { key, ts } = request.params
  const { answer, to, changed } = await settings.rollback(accessOf(request), key, ts, writeOptionsOf(request, once))
  const body = Buffer.from(JSON.stringify({ data: answer.view, meta: { rolled_back_to: to, changed } }))
  return { status: 200, headers: { etag: answer.etag }, body }
}

const LIST = {
  operationId: 'listSettingRevisions',
  summary: 'Lists what a setting was, newest first',
  description: 'Changes of other settings in the file of its group are no revisions of it.',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  querystring: pagingQuery,
  response: { 200: revisions },
} as const

const GET = {
  operationId: 'getSettingRevision',
  summary: 'Gives a setting as it was in a revision',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  response: { 200: one(shape.setting) },
} as const

const COMPARE = {
  operationId: 'compareSettingRevisions',
  summary: 'Tells what a revision of a setting changed',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  querystring: diffQuery,
  response: { 200: diff },
} as const

const ROLL_BACK = {
  operationId: 'rollBackSetting',
  summary: 'Gives a setting a value that it had',
  description:
    'That is a revision of its own: nothing of the past is lost. A value that its type does not take any more is refused.',
  tags,
  errors: [403, 409],
  traits: ['version', 'if-match', 'idempotency-key'],
  params: shape.params,
  body: shape.rollbackInput,
  response: { 200: shape.rolledBack },
} as const
