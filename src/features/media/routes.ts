import type { FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, type Send, sendFresh } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { listAsAsked, thingAsAsked } from '#http/past/revision-routes.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { writeOptionsOf } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import { composed } from '#lib/text/normal-form.ts'
import { moveInput } from '../records/schemas/change.ts'
import type { Media } from './media.ts'
import { mediaRevisionRoutes } from './revision-routes.ts'
import * as shape from './schema.ts'
import type { MediaAnswer } from './view.ts'

/** The dependencies of the routes of media. */
export interface MediaRoutes {
  readonly media: Media
  /** True if `at=` and revisions are supported. */
  readonly revisions: boolean
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

type One = { Params: { id: string } }
type Get = One & { Querystring: { at?: string } }
type Update = One & { Body: Fields; Querystring: { base?: string } }
type Removal = One & { Querystring: { force?: string } }

const oneMedia = one(shape.media)
const tags = ['Media'] as const

/** `/api/media…`. */
export function mediaRoutes(app: FastifyInstance, parts: MediaRoutes): void {
  const { media, idempotency, bearer, send } = parts
  app.addHook('onRequest', bearer)
  const base = '/api/media'

  const list: FastifySchema = {
    operationId: 'listMedia',
    summary: 'Lists pictures and other files',
    description: 'What only records use that the reader may not see is left out.',
    tags,
    errors: [403, 404, 503],
    traits: ['etag'],
    querystring: shape.listQuery,
    response: { 200: shape.mediaList },
  }
  app.get<{ Querystring: QueryParams }>(base, { schema: list }, (request, reply) =>
    answerWith(send, request, reply, listAsAsked(media, request, parts.revisions).then(taggedJson)),
  )
  const get: FastifySchema = {
    operationId: 'getMedia',
    summary: 'Gives what is known of a media file',
    tags,
    errors: [403, 422],
    traits: ['etag'],
    params: shape.params,
    querystring: shape.getQuery,
    response: { 200: oneMedia },
  }
  app.get<Get>(`${base}/:id`, { schema: get }, (request, reply) =>
    answerWith(send, request, reply, thingAsAsked(media, request.params.id, request, parts.revisions)),
  )
  app.route<Update>({
    method: ['PUT', 'PATCH'],
    url: `${base}/:id`,
    schema: {
      operationId: 'updateMedia',
      summary: 'Changes what is said of a media file',
      description:
        'With base, what others did since that version is merged; where edits overlap, nothing is written and the answer is 409.',
      tags,
      errors: [403, 409],
      traits: ['version', 'if-match'],
      params: shape.params,
      body: shape.mediaInput,
      querystring: shape.updateQuery,
      response: { 200: shape.changedMedia },
    },
    handler: async (request, reply) => {
      const { params, body, query } = request
      const options = { ...writeOptionsOf(request), base: query.base }
      return sendFresh(reply, await media.update(accessOf(request), params.id, body, options))
    },
  })
  const moving: FastifySchema = {
    operationId: 'moveMedia',
    summary: 'Gives a media file another id',
    description: 'Its old address leads to the new one, and links, fields, menus and settings that use it are rewritten.',
    tags,
    errors: [403, 409],
    traits: ['version', 'location', 'if-match', 'idempotency-key'],
    params: shape.params,
    body: moveInput,
    response: { 200: shape.movedMedia },
  }
  app.post<One & { Body: { id: string } }>(`${base}/:id/move`, { schema: moving }, (request, reply) => {
    const access = accessOf(request)
    const move = async (once?: string) =>
      kept(await media.move(access, request.params.id, request.body.id, writeOptionsOf(request, once)))
    const before = async (once: string) => {
      const moved = await media.written(access, once)
      return moved && kept(moved)
    }
    return idempotency.answer(request, reply, move, before)
  })
  const removal: FastifySchema = {
    operationId: 'removeMedia',
    summary: 'Removes a media file',
    description: 'Where something uses it that the reader may see, the answer is 409 and names it, unless force=true.',
    tags,
    errors: [403, 409, 422],
    traits: ['if-match'],
    params: shape.params,
    querystring: shape.removeQuery,
    response: { 200: shape.removedMedia },
  }
  app.delete<Removal>(`${base}/:id`, { schema: removal }, async (request) => {
    const { params, query } = request
    await media.remove(accessOf(request), params.id, { ...writeOptionsOf(request), force: query.force === 'true' })
    return { data: { id: composed(params.id), deleted: true } }
  })
  if (parts.revisions) mediaRevisionRoutes(app, parts)
}

function kept({ view, body, etag }: MediaAnswer): KeptAnswer {
  return { status: 200, headers: { etag, location: `/api/media/${encodeURIComponent(view.id)}` }, body }
}
