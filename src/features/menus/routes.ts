import type { FastifyInstance, FastifySchema, onRequestHookHandler } from 'fastify'
import { one } from '#http/answer-shapes.ts'
import { answerWith, type Send } from '#http/answers.ts'
import { accessOf } from '#http/bearer.ts'
import { taggedJson } from '#http/etag.ts'
import type { Idempotency } from '#http/idempotency.ts'
import type { QueryParams } from '#http/query.ts'
import type { Menus } from './menus.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of menus. */
export interface MenuRoutes {
  readonly menus: Menus
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

type One = { Params: { name: string } }

const oneMenu = one(shape.menu)
const tags = ['Menus'] as const

/** `/api/menus…`. */
export async function menuRoutes(app: FastifyInstance, { menus, bearer, send }: MenuRoutes): Promise<void> {
  app.addHook('onRequest', bearer)
  const base = '/api/menus'

  const list: FastifySchema = {
    operationId: 'listMenus',
    summary: 'Lists the menus with their items',
    description: 'An item whose target the reader may not see is left out, with what is below it.',
    tags,
    errors: [403],
    traits: ['etag'],
    querystring: shape.listQuery,
    response: { 200: shape.menus },
  }
  app.get<{ Querystring: QueryParams }>(base, { schema: list }, (request, reply) =>
    answerWith(send, request, reply, menus.list(accessOf(request), request.query).then(taggedJson)),
  )
  const get: FastifySchema = {
    operationId: 'getMenu',
    summary: 'Gives a menu',
    tags,
    errors: [403, 422],
    traits: ['etag'],
    params: shape.params,
    response: { 200: oneMenu },
  }
  app.get<One>(`${base}/:name`, { schema: get }, (request, reply) =>
    answerWith(send, request, reply, menus.get(accessOf(request), request.params.name)),
  )
}
