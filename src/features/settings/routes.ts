import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import { answerWith, sendFresh } from '#http/answers/answers.ts'
import { taggedJson } from '#http/answers/etag.ts'
import { one } from '#http/answers/shapes.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import { mustHaveRevisions } from '#http/past/revision-routes.ts'
import { writeOptionsOf } from '#http/requests/write-options.ts'
import type { Json } from '#lib/json.ts'
import { type SettingRevisionRoutes, settingRevisionRoutes } from './revision-routes.ts'
import * as shape from './schema.ts'

/** The dependencies of the routes of settings. */
export interface SettingRoutes extends SettingRevisionRoutes {
  /** True if revisions are switched on. */
  readonly revisions: boolean
  /** The guard of routes that need a token. */
  readonly bearer: onRequestHookHandler
}

type One = { key: string }
type AsOf = { at?: string }

const tags = ['Settings'] as const
const base = '/api/settings'
const oneSetting = one(shape.setting)

/** `/api/settings…`. */
export async function settingRoutes(app: FastifyInstance, deps: SettingRoutes): Promise<void> {
  app.register(async (scope) => routes(scope, deps))
}

function routes(app: FastifyInstance, deps: SettingRoutes): void {
  const { settings, bearer, send, revisions } = deps
  app.addHook('onRequest', bearer)
  app.get<{ Querystring: AsOf }>(base, { schema: LIST }, (request, reply) => {
    const listed = asOf(request.query, revisions).then((at) => settings.list(accessOf(request), at))
    answerWith(
      send,
      request,
      reply,
      listed.then((data) => taggedJson({ data })),
    )
  })
  app.get<{ Params: One; Querystring: AsOf }>(`${base}/:key`, { schema: GET }, (request, reply) => {
    const { key } = request.params
    const got = asOf(request.query, revisions).then((at) => settings.get(accessOf(request), key, at))
    answerWith(send, request, reply, got)
  })
  app.put<{ Params: One; Body: { value: Json } }>(`${base}/:key`, { schema: SET }, async (request, reply) => {
    const { params, body } = request
    return sendFresh(reply, await settings.set(accessOf(request), params.key, body.value, writeOptionsOf(request)))
  })
  app.delete<{ Params: One }>(`${base}/:key`, { schema: REMOVE }, async (request) => {
    const { key } = request.params
    await settings.remove(accessOf(request), key, writeOptionsOf(request))
    return { data: { key, deleted: true } }
  })
  if (revisions) settingRevisionRoutes(app, deps)
}

async function asOf({ at }: AsOf, revisions: boolean): Promise<string | undefined> {
  mustHaveRevisions(at !== undefined, revisions)
  return at
}

const LIST = {
  operationId: 'listSettings',
  summary: 'Lists the settings by their keys',
  description: 'All of them with settings:write, else the public ones. There are no pages. `at` needs content:drafts.',
  tags,
  errors: [403, 404, 422, 503],
  traits: ['etag'],
  querystring: shape.readQuery,
  response: { 200: shape.settings },
} as const

const GET = {
  operationId: 'getSetting',
  summary: 'Gives a setting',
  description: 'One that is not public needs settings:write: for others it is not there.',
  tags,
  errors: [403, 422],
  traits: ['etag'],
  params: shape.params,
  querystring: shape.readQuery,
  response: { 200: oneSetting },
} as const

const SET = {
  operationId: 'setSetting',
  summary: 'Gives a setting a value',
  description:
    'What is not declared can be set under `custom.` alone. `If-Match` compares the value, not what else is in the file of the group. Secrets of known forms are refused.',
  tags,
  errors: [403, 409],
  traits: ['version', 'if-match'],
  params: shape.params,
  body: shape.settingInput,
  response: { 200: oneSetting },
} as const

const REMOVE = {
  operationId: 'removeSetting',
  summary: 'Takes the value of a setting away',
  description: 'What is declared has its default then; anything else is gone.',
  tags,
  errors: [403, 409, 422],
  traits: ['if-match'],
  params: shape.params,
  response: { 200: one(shape.removedSetting) },
} as const
