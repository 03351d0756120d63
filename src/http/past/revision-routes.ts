import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Access } from '#core/access/access.ts'
import { NotFound } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { answerWith, type Send } from '../answers/answers.ts'
import { type Tagged, taggedJson } from '../answers/etag.ts'
import { one } from '../answers/shapes.ts'
import { accessOf } from '../guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '../guarding/idempotency.ts'
import type { Heading } from '../openapi/headings.ts'
import { pagingQuery } from '../requests/paging.ts'
import type { QueryParams } from '../requests/query.ts'
import { type WriteOptions, writeOptionsOf } from '../requests/write-options.ts'
import { diff, diffQuery, revisions, rolledBackTo } from './revisions.ts'

/** Things as they were, by their names, for one reader at a time. */
export interface PastOfThings {
  list(access: Access, name: string, params: QueryParams): Promise<object>
  one(access: Access, name: string, ts: string): Promise<Tagged>
  diff(access: Access, name: string, ts: string, against?: string): Promise<object>
}

/** A thing after a rollback: `to` names the revision. */
export interface BackAgain {
  readonly view: Json | object
  readonly etag: string
  readonly to: string
  readonly changed: boolean
}

/** The description of an operation. */
interface Words {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
}

/** The routes of one kind of things as they were. */
export interface RevisionRoutesOf {
  /** The address of a thing, with its name as the parameter `param`: `/api/menus/:name`. */
  readonly base: string
  readonly param: string
  readonly heading: Heading
  readonly words: Readonly<Record<'list' | 'get' | 'compare' | 'rollBack', Words>>
  /** The shapes of the path's parameters, and of a thing. */
  readonly shapes: { readonly params: object; readonly thing: object }
  readonly past: PastOfThings
  rollback(access: Access, name: string, ts: string, options: WriteOptions): Promise<BackAgain>
}

/** The dependencies of these routes. */
export interface RevisionRoutesDeps {
  readonly idempotency: Idempotency
  /** Sends the response to a read. */
  readonly send: Send
}

/** Things that are read as they are, or as of a time. */
export interface ThingsWithPast<L extends object, O extends Tagged> {
  list(access: Access, params: QueryParams): Promise<L>
  get(access: Access, name: string): Promise<O>
  readonly past: {
    listAsOf(access: Access, at: string, params: QueryParams): Promise<L>
    asOf(access: Access, name: string, at: string): Promise<O>
  }
}

type Of = { Params: Readonly<Record<string, string>> }

const NO_OPTIONS = { type: ['object', 'null'], additionalProperties: false } as const

/** Throws NotFound where something of the past is asked for and revisions are switched off. */
export function mustHaveRevisions(isAsked: boolean, revisions: boolean): void {
  if (isAsked && !revisions) throw new NotFound('Revisions are switched off.')
}

/** Resolves with the list that a request asks for: with `at`, as of then. */
export async function listAsAsked<L extends object, O extends Tagged>(
  things: ThingsWithPast<L, O>,
  request: FastifyRequest<{ Querystring: QueryParams }>,
  revisions: boolean,
): Promise<L> {
  const { at, ...query } = request.query
  if (at === undefined) return things.list(accessOf(request), query)
  mustHaveRevisions(true, revisions)
  return things.past.listAsOf(accessOf(request), at, query)
}

/** Resolves with the thing of a name: with `at`, as of then. */
export async function thingAsAsked<L extends object, O extends Tagged>(
  things: ThingsWithPast<L, O>,
  name: string,
  request: FastifyRequest<{ Querystring: { at?: string } }>,
  revisions: boolean,
): Promise<O> {
  const { at } = request.query
  if (at === undefined) return things.get(accessOf(request), name)
  mustHaveRevisions(true, revisions)
  return things.past.asOf(accessOf(request), name, at)
}

/** `…/revisions…` and `…/rollback/{ts}` of one kind of things, behind the guard of their routes. */
export function thingRevisionRoutes(app: FastifyInstance, of: RevisionRoutesOf, { idempotency, send }: RevisionRoutesDeps): void {
  const { base, words, shapes, past } = of
  const reading = { tags: [of.heading], errors: [403, 422], traits: ['etag'], params: shapes.params } as const
  const named = ({ params }: FastifyRequest<Of>) => [params[of.param] ?? '', params.ts ?? ''] as const

  const list = { ...words.list, ...reading, querystring: pagingQuery, response: { 200: revisions } }
  app.get<Of & { Querystring: QueryParams }>(`${base}/revisions`, { schema: list }, (request, reply) => {
    const [name] = named(request)
    answerWith(send, request, reply, past.list(accessOf(request), name, request.query).then(taggedJson))
  })
  const get = { ...words.get, ...reading, response: { 200: one(shapes.thing) } }
  app.get<Of>(`${base}/revisions/:ts`, { schema: get }, (request, reply) =>
    answerWith(send, request, reply, past.one(accessOf(request), ...named(request))),
  )
  const compare = { ...words.compare, ...reading, querystring: diffQuery, response: { 200: diff } }
  app.get<Of & { Querystring: { against?: string } }>(`${base}/revisions/:ts/diff`, { schema: compare }, (request, reply) => {
    const made = past.diff(accessOf(request), ...named(request), request.query.against)
    const tagged = made.then((data) => taggedJson({ data }))
    answerWith(send, request, reply, tagged)
  })
  const rollBack = {
    ...words.rollBack,
    tags: [of.heading],
    errors: [403, 409],
    traits: ['version', 'if-match', 'idempotency-key'],
    params: shapes.params,
    body: NO_OPTIONS,
    response: { 200: rolledBackTo(shapes.thing) },
  } as const
  app.post<Of>(`${base}/rollback/:ts`, { schema: rollBack, config: { bodyOptional: true } }, (request, reply) =>
    idempotency.answer(request, reply, async (once) => {
      const [name, ts] = named(request)
      return answerOf(await of.rollback(accessOf(request), name, ts, writeOptionsOf(request, once)))
    }),
  )
}

function answerOf({ view, etag, to, changed }: BackAgain): KeptAnswer {
  const body = Buffer.from(JSON.stringify({ data: view, meta: { rolled_back_to: to, changed } }))
  return { status: 200, headers: { etag }, body }
}
