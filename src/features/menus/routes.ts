import type { FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, type Send, sendFresh } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import { listAsAsked, thingAsAsked } from '#http/past/revision-routes.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy, writeOptionsOf } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import type { Menus } from './menus.ts'
import { menuRevisionRoutes } from './revision-routes.ts'
import * as shape from './schema.ts'
import type { MenuAnswer } from './view.ts'

/** The dependencies of the routes of menus. */
export interface MenuRoutes {
  readonly menus: Menus
  /** True if `at=` and revisions are supported. */
  readonly revisions: boolean
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

type One = { Params: { name: string } }
type Get = One & { Querystring: { at?: string } }
type Update = One & { Body: Fields; Querystring: { base?: string } }

const oneMenu = one(shape.menu)
const tags = ['Menus'] as const
/** Of 500 items each has up to eight keys, those of its record among them. */
const config = { mostKeys: 5000 }

/** `/api/menus…`. */
export async function menuRoutes(app: FastifyInstance, parts: MenuRoutes): Promise<void> {
  const { menus, revisions, idempotency, bearer, send } = parts
  app.addHook('onRequest', bearer)
  const base = '/api/menus'

  const list: FastifySchema = {
    operationId: 'listMenus',
    summary: 'Lists the menus with their items',
    description: 'An item whose target the reader may not see is left out, with what is below it.',
    tags,
    errors: [403, 404],
    traits: ['etag'],
    querystring: shape.listQuery,
    response: { 200: shape.menus },
  }
  app.get<{ Querystring: QueryParams }>(base, { schema: list }, (request, reply) =>
    answerWith(send, request, reply, listAsAsked(menus, request, parts.revisions).then(taggedJson)),
  )
  const get: FastifySchema = {
    operationId: 'getMenu',
    summary: 'Gives a menu',
    tags,
    errors: [403, 422],
    traits: ['etag'],
    params: shape.params,
    querystring: shape.getQuery,
    response: { 200: oneMenu },
  }
  app.get<Get>(`${base}/:name`, { schema: get }, (request, reply) =>
    answerWith(send, request, reply, thingAsAsked(menus, request.params.name, request, parts.revisions)),
  )
  const creation: FastifySchema = {
    operationId: 'createMenu',
    summary: 'Makes a menu',
    tags,
    errors: [403, 409],
    traits: ['version', 'location', 'idempotency-key'],
    body: shape.menuInput,
    response: { 201: oneMenu },
  }
  app.post<{ Body: Fields }>(base, { schema: creation, config }, (request, reply) => {
    const access = accessOf(request)
    const create = async (once?: string) => created(await menus.create(access, request.body, askedBy(request, once)))
    const before = async (once: string) => {
      const made = await menus.written(access, once)
      return made && created(made)
    }
    return idempotency.answer(request, reply, create, before)
  })
  app.route<Update>({
    method: ['PUT', 'PATCH'],
    url: `${base}/:name`,
    schema: {
      operationId: 'updateMenu',
      summary: 'Changes the label or the items of a menu',
      description:
        'The items are the whole tree; those that the reader does not see stay. With base, what others did since that version is merged by the ids of items; where edits overlap, nothing is written and the answer is 409.',
      tags,
      errors: [403, 409],
      traits: ['version', 'if-match'],
      params: shape.params,
      body: shape.menuInput,
      querystring: shape.updateQuery,
      response: { 200: shape.changedMenu },
    },
    config,
    handler: async (request, reply) => {
      const { params, body, query } = request
      const options = { ...writeOptionsOf(request), base: query.base }
      return sendFresh(reply, await menus.update(accessOf(request), params.name, body, options))
    },
  })
  app.delete<One>(
    `${base}/:name`,
    {
      schema: {
        operationId: 'removeMenu',
        summary: 'Removes a menu',
        tags,
        errors: [403],
        traits: ['if-match'],
        params: shape.params,
        response: { 200: shape.removedMenu },
      },
    },
    async (request) => {
      const { name } = request.params
      await menus.remove(accessOf(request), name, writeOptionsOf(request))
      return { data: { name, deleted: true } }
    },
  )
  if (revisions) menuRevisionRoutes(app, parts)
}

function created({ view, body, etag }: MenuAnswer): KeptAnswer {
  return { status: 201, headers: { etag, location: `/api/menus/${encodeURIComponent(view.name)}` }, body }
}
