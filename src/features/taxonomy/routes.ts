import type { FastifyInstance, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import { answerWith, type Send, sendFresh } from '#http/answers/answers.ts'
import { type Tagged, taggedJson, versionETag } from '#http/answers/etag.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { Idempotency, KeptAnswer } from '#http/guarding/idempotency.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy, writeOptionsOf } from '#http/requests/write-options.ts'
import type { Fields } from '#lib/json.ts'
import { composed } from '#lib/text/normal-form.ts'
import * as shape from './schema.ts'
import type { RemovedTerm, TermAnswer, Terms } from './terms.ts'

/** The dependencies of the routes of terms. */
export interface TermRoutes {
  readonly terms: Terms
  readonly idempotency: Idempotency
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
  /** Sends the response to a read. */
  readonly send: Send
}

type Kind = { kind: string }
type One = Kind & { id: string }

const oneTerm = one(shape.term)
const tags = ['Taxonomies'] as const

/** `/api/cms/taxonomy…`. */
export async function termRoutes(app: FastifyInstance, { terms, idempotency, bearer, send }: TermRoutes): Promise<void> {
  app.addHook('onRequest', bearer)
  const base = '/api/cms/taxonomy'

  app.get<{ Params: Kind; Querystring: QueryParams }>(
    `${base}/:kind`,
    {
      schema: {
        operationId: 'listTerms',
        summary: 'Lists the terms of a taxonomy',
        tags,
        errors: [403],
        traits: ['etag'],
        params: shape.params,
        querystring: shape.listQuery,
        response: { 200: shape.terms },
      },
    },
    (request, reply) =>
      answerWith(send, request, reply, terms.list(accessOf(request), request.params.kind, request.query).then(taggedJson)),
  )
  const get: FastifySchema = {
    operationId: 'getTerm',
    summary: 'Gives a term',
    tags,
    errors: [403, 422],
    traits: ['etag'],
    params: shape.params,
    response: { 200: oneTerm },
  }
  app.get<{ Params: One }>(`${base}/:kind/:id`, { schema: get }, (request, reply) => {
    const { kind, id } = request.params
    answerWith(send, request, reply, terms.get(accessOf(request), kind, composed(id)).then(taggedTerm))
  })
  const creation: FastifySchema = {
    operationId: 'createTerm',
    summary: 'Declares a term',
    tags,
    errors: [403, 404, 409],
    traits: ['version', 'location', 'idempotency-key'],
    body: shape.termInput,
    response: { 201: oneTerm },
  }
  app.post<{ Body: Fields }>(base, { schema: creation }, (request, reply) => {
    const access = accessOf(request)
    const create = async (once?: string) => created(await terms.create(access, request.body, askedBy(request, once)))
    const before = async (once: string) => {
      const made = await terms.written(access, once)
      return made && created(made)
    }
    return idempotency.answer(request, reply, create, before)
  })
  app.route<{ Params: One; Body: Fields }>({
    method: ['PUT', 'PATCH'],
    url: `${base}/:kind/:id`,
    schema: {
      operationId: 'updateTerm',
      summary: 'Changes a term',
      description: 'A new slug becomes its id in all records that bear it, in one commit.',
      tags,
      errors: [403, 409],
      traits: ['version', 'if-match'],
      params: shape.params,
      body: shape.termInput,
      response: { 200: oneTerm },
    },
    handler: async (request, reply) => sendFresh(reply, taggedTerm(await update(terms, request))),
  })
  app.delete<{ Params: One; Querystring: { replace_with?: string } }>(
    `${base}/:kind/:id`,
    {
      schema: {
        operationId: 'removeTerm',
        summary: 'Removes a term from all records that bear it',
        tags,
        errors: [403, 409],
        traits: ['if-match'],
        params: shape.params,
        querystring: shape.removeQuery,
        response: { 200: one(shape.removedTerm) },
      },
    },
    async (request) => {
      const { kind, id } = request.params
      const options = { ...writeOptionsOf(request), replaceWith: request.query.replace_with }
      return removedView(await terms.remove(accessOf(request), kind, composed(id), options))
    },
  )
}

function update(terms: Terms, request: FastifyRequest<{ Params: One; Body: Fields }>): Promise<TermAnswer> {
  const { kind, id } = request.params
  return terms.update(accessOf(request), kind, composed(id), request.body, writeOptionsOf(request))
}

function created(answer: TermAnswer): KeptAnswer {
  const { taxonomy, view } = answer
  const { body, etag } = taggedTerm(answer)
  const location = `/api/cms/taxonomy/${encodeURIComponent(taxonomy.name)}/${encodeURIComponent(view.id)}`
  return { status: 201, headers: { etag, location }, body }
}

function removedView({ taxonomy, id, replacedWith }: RemovedTerm) {
  const data = { id, type: taxonomy.singular, deleted: true }
  return { data: replacedWith === undefined ? data : { ...data, replaced_with: replacedWith } }
}

/** Counts and implied terms are not in the document that the version is of. */
function taggedTerm({ view, version }: TermAnswer): Tagged {
  const text = JSON.stringify({ data: view })
  return { body: Buffer.from(text), etag: versionETag(version, text) }
}
