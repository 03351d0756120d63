import type { FastifyInstance, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, type Send, sendFresh } from '#http/answers/answers.ts'
import type { Tagged } from '#http/answers/etag.ts'
import { many, one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { mustHaveRevisions } from '#http/past/revision-routes.ts'
import { metaOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy, writeOptionsOf } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import { composed } from '#lib/text/normal-form.ts'
import { actionRoutes } from './actions/routes.ts'
import type { RecordAnswer } from './parts.ts'
import { isHistorical } from './reading/parameters.ts'
import type { GetOptions } from './reading/reader.ts'
import type { Records } from './records.ts'
import * as change from './schemas/change.ts'
import * as shape from './schemas/record.ts'
import { typeView } from './schemas/type.ts'

/** The dependencies of the routes of records. */
export interface RecordRoutes {
  readonly records: Records
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
  /** True if `at=` and `deleted=` are supported. */
  readonly revisions: boolean
}

type Type = { Params: { type: string } }
type One = { Params: { type: string; id: string } }
type MoveQuery = { redirect?: string }
type UpdateQuery = MoveQuery & { base?: string }

const oneRecord = one(shape.record)
const tags = ['Records'] as const
const asked = { browse: shape.browseQuery, get: shape.getQuery, update: change.updateQuery, move: change.moveQuery }

/** The content API: `/api/cms/…`. */
export async function recordRoutes(app: FastifyInstance, parts: RecordRoutes): Promise<void> {
  const { records, idempotency, bearer, send } = parts
  app.addHook('onRequest', bearer)

  const types: FastifySchema = {
    operationId: 'listTypes',
    summary: 'Lists the content types',
    tags: ['Types'],
    errors: [403],
    response: { 200: many(typeView) },
  }
  app.get('/api/cms/types', { schema: types }, async (request) => {
    const data = await records.types(accessOf(request))
    return { data, meta: metaOf(data.length, { page: 1, perPage: Math.max(1, data.length) }) }
  })
  app.get<{ Params: { name: string } }>(
    '/api/cms/types/:name',
    {
      schema: {
        operationId: 'getType',
        summary: 'Gives a content type',
        tags: ['Types'],
        errors: [403],
        params: shape.params,
        response: { 200: one(typeView) },
      },
    },
    async (request) => ({ data: await records.type(accessOf(request), request.params.name) }),
  )
  app.get<Type & { Querystring: QueryParams }>(
    '/api/cms/:type',
    {
      schema: {
        operationId: 'listRecords',
        summary: 'Lists the records of a type',
        description: 'Who may not read drafts gets what is live alone, and totals of that.',
        tags,
        errors: [403],
        traits: ['etag'],
        params: shape.params,
        querystring: asked.browse,
        response: { 200: shape.list(shape.record) },
      },
    },
    (request, reply) => answerWith(send, request, reply, browse(parts, request)),
  )
  app.get<One & { Querystring: GetOptions }>(
    '/api/cms/:type/:id',
    {
      schema: {
        operationId: 'getRecord',
        summary: 'Gives a record',
        tags,
        errors: [403],
        traits: ['etag'],
        params: shape.params,
        querystring: asked.get,
        response: { 200: shape.selected },
      },
    },
    (request, reply) => answerWith(send, request, reply, getOne(parts, request)),
  )
  app.post<Type & { Body: Fields }>(
    '/api/cms/:type',
    {
      schema: {
        operationId: 'createRecord',
        summary: 'Makes a record',
        description: 'A title or a slug is needed. Without a status it is a draft.',
        tags,
        errors: [403, 409],
        traits: ['version', 'location', 'idempotency-key'],
        params: shape.params,
        body: shape.recordInput,
        response: { 201: oneRecord },
      },
    },
    (request, reply) => {
      const [access, { type }] = [accessOf(request), request.params]
      const create = async (once?: string) => kept(201, await records.create(access, type, request.body, askedBy(request, once)))
      return idempotency.answer(request, reply, create, before(records, request, 201))
    },
  )
  app.route<One & { Body: Fields; Querystring: UpdateQuery }>({
    method: ['PUT', 'PATCH'],
    url: '/api/cms/:type/:id',
    schema: {
      operationId: 'updateRecord',
      summary: 'Changes the fields that are sent',
      description:
        'With base, what others did since that version is merged; where edits overlap, nothing is written and the answer is 409.',
      tags,
      errors: [403, 409],
      traits: ['version', 'if-match'],
      params: shape.params,
      body: shape.recordInput,
      querystring: asked.update,
      response: { 200: change.updated },
    },
    handler: async (request, reply) => sendFresh(reply, await update(records, request)),
  })
  const removal: FastifySchema = {
    operationId: 'removeRecord',
    summary: 'Removes a record',
    description: 'Its revisions stay, and a rollback brings it back.',
    tags,
    errors: [403, 409, 422],
    traits: ['if-match'],
    params: shape.params,
    response: { 200: one(shape.removed) },
  }
  app.delete<One>('/api/cms/:type/:id', { schema: removal }, async (request) => {
    const { type, id } = request.params
    await records.remove(accessOf(request), type, id, writeOptionsOf(request))
    return { data: { id: composed(id), type, deleted: true } }
  })
  app.post<One & { Body: { id: string }; Querystring: MoveQuery }>(
    '/api/cms/:type/:id/move',
    {
      schema: {
        operationId: 'moveRecord',
        summary: 'Gives a record another id',
        description:
          'Its old address leads to the new one, and links, references and menus that lead to the record are rewritten.',
        tags,
        errors: [403, 409],
        traits: ['version', 'location', 'if-match', 'idempotency-key'],
        params: shape.params,
        body: change.moveInput,
        querystring: asked.move,
        response: { 200: change.moved },
      },
    },
    (request, reply) => idempotency.answer(request, reply, (once) => move(records, request, once), before(records, request, 200)),
  )
  actionRoutes(app, parts)
}

function browse({ records, revisions }: RecordRoutes, request: FastifyRequest<Type & { Querystring: QueryParams }>) {
  const { params, query } = request
  mustHaveRevisions(isHistorical(query), revisions)
  return records.browse(accessOf(request), params.type, query)
}

function getOne({ records, revisions }: RecordRoutes, request: FastifyRequest<One & { Querystring: GetOptions }>) {
  const { params, query } = request
  const { fields, include, at } = query
  mustHaveRevisions(at !== undefined, revisions)
  const isWhole = fields === undefined && include === undefined && at === undefined
  return records.get(accessOf(request), params.type, params.id, isWhole ? undefined : query)
}

async function update(
  records: Records,
  request: FastifyRequest<One & { Body: Fields; Querystring: UpdateQuery }>,
): Promise<Tagged> {
  const { params, query, body } = request
  const options = { base: query.base, redirect: change.redirectOf(query), ...writeOptionsOf(request) }
  const answer = await records.update(accessOf(request), params.type, params.id, body, options)
  const merged = query.base === undefined ? {} : { merged: answer.merged }
  return withMeta(answer, { ...merged, ...(answer.followed && change.followedMeta(answer.followed)) })
}

async function move(
  records: Records,
  request: FastifyRequest<One & { Body: { id: string }; Querystring: MoveQuery }>,
  once?: string,
): Promise<KeptAnswer> {
  const [access, { type, id }] = [accessOf(request), request.params]
  const options = { redirect: change.redirectOf(request.query), ...writeOptionsOf(request, once) }
  const moved = await records.move(access, type, id, request.body.id, options)
  return kept(200, { ...moved, body: withMeta(moved, change.followedMeta(moved)).body })
}

/** An answer with `meta` beside its data, where there is something to say. */
function withMeta({ body, etag }: Tagged, meta: Fields): Tagged {
  if (Object.keys(meta).length === 0) return { body, etag }
  return { body: Buffer.concat([body.subarray(0, -1), Buffer.from(`,"meta":${JSON.stringify(meta)}}`)]), etag }
}

/** Tells the answer to a request whose write was done before. */
function before(records: Records, request: FastifyRequest<{ Params: { type: string } }>, status: number) {
  return async (once: string): Promise<KeptAnswer | undefined> => {
    const answer = await records.written(accessOf(request), request.params.type, once)
    return answer && kept(status, answer)
  }
}

function kept(status: number, { document, body, etag }: RecordAnswer): KeptAnswer {
  const { kind, id } = document.key
  return { status, headers: { etag, location: `/api/cms/${encodeURIComponent(kind)}/${encodeURIComponent(id)}` }, body }
}
