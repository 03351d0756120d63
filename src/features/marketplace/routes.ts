import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from '#core/media/blobs.ts'
import { answerWith, sendStreamed, sendTagged } from '#http/answers/answers.ts'
import { etagOf, taggedJson } from '#http/answers/etag.ts'
import type { ApiDeps } from '#http/api.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import type { KeptAnswer } from '#http/guarding/idempotency.ts'
import { metaOf, pagingOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { NotFound } from '#lib/errors.ts'
import type { DownloadDays } from './registry/downloads.ts'
import { moduleView, searched, wholeView } from './registry/listing.ts'
import { type FoundModule, mustMayPublish, type Registry } from './registry/registry.ts'
import * as shape from './schema.ts'

/** The most bytes of a body with a package: 20 MiB in base64, and a readme's worth of fields. */
const MOST_BYTES = 28 * 1024 * 1024

const PACKAGE_HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }

/** The dependencies of the routes of a registry. */
export interface MarketplaceRoutes {
  readonly registry: Registry
  readonly days: DownloadDays
  readonly api: ApiDeps
}

type One = { name: string }
type OneVersion = { name: string; version: string }

const tags = ['Modules'] as const
const base = '/api/modules'

/** `/api/modules…`. */
export async function marketplaceRoutes(app: FastifyInstance, deps: MarketplaceRoutes): Promise<void> {
  app.register(async (scope) => readingRoutes(scope, deps))
  app.register(async (scope) => writingRoutes(scope, deps))
  app.register(async (scope) => publishingRoute(scope, deps))
}

function readingRoutes(app: FastifyInstance, { registry, days, api }: MarketplaceRoutes): void {
  app.addHook('onRequest', api.open)
  app.get<{ Querystring: QueryParams }>(base, { schema: LIST }, (request, reply) => {
    const list = async () => {
      const paging = pagingOf(request.query)
      const found = await searched(registry, request.query)
      const part = found.slice((paging.page - 1) * paging.perPage, paging.page * paging.perPage)
      return { data: part.map(moduleView), meta: metaOf(found.length, paging) }
    }
    answerWith(sendTagged, request, reply, list().then(taggedJson))
  })
  app.get<{ Params: One }>(`${base}/:name`, { schema: GET }, (request, reply) => {
    const found = async () => {
      const { module, versions, readme } = await registry.get(request.params.name)
      const data = wholeView(module, versions, readme)
      if (!data) throw new NotFound(`There is no module "${request.params.name}" here.`)
      return { data }
    }
    answerWith(sendTagged, request, reply, found().then(taggedJson))
  })
  app.get<{ Params: OneVersion }>(`${base}/:name/:version/download`, { schema: DOWNLOAD }, async (request, reply) => {
    const { name, version } = request.params
    const { integrity, size } = await registry.version(name, version)
    const bytes = await registry.packageOf(name, version)
    if (request.method === 'GET' && (await days.isFirst(name, request.ip))) await registry.count(name)
    // A version is never replaced.
    const etag = etagOf(integrity ?? bytes)
    const headers = { ...PACKAGE_HEADERS, 'content-disposition': `attachment; filename="${name}-${version}.tgz"` }
    const open = async (range?: ByteRange) => Readable.from([bytes.subarray(range?.start, range?.end)], { objectMode: false })
    await sendStreamed(request, reply, { size, etag, contentType: 'application/gzip', headers, open })
    return reply
  })
}

function writingRoutes(app: FastifyInstance, { registry, api }: MarketplaceRoutes): void {
  app.addHook('onRequest', api.bearer)
  app.route<{ Params: One; Body: shape.ModuleChangeInput }>({
    method: ['PATCH', 'PUT'],
    url: `${base}/:name`,
    schema: CHANGE,
    handler: async (request) => {
      const { name } = request.params
      const { owner, deprecated } = request.body
      await registry.change(accessOf(request), name, {
        ...(owner !== undefined && { owner }),
        ...(deprecated !== undefined && { deprecated }),
      })
      const { module, versions, readme } = await registry.get(name)
      return { data: wholeView(module, versions, readme) }
    },
  })
  app.delete<{ Params: OneVersion }>(`${base}/:name/:version`, { schema: WITHDRAW }, async (request) => {
    const { name, version } = request.params
    await registry.withdraw(accessOf(request), name, version)
    return { data: { name, version, withdrawn: true } }
  })
}

/** The one route whose body may be large, and take as long as it comes: not before it is known from whom. */
function publishingRoute(app: FastifyInstance, { registry, api }: MarketplaceRoutes): void {
  const { uploading, idempotency } = api
  app.addHook('onRequest', uploading.bearer)
  app.addHook('preParsing', async (request: FastifyRequest, reply: FastifyReply) => {
    mustMayPublish(accessOf(request))
    uploading.timeouts.begin(request, reply)
  })
  app.post(base, { schema: PUBLISH, bodyLimit: MOST_BYTES }, async (request, reply) => {
    await uploading.renew(request)
    return idempotency.answer(request, reply, async () => created(await registry.publish(accessOf(request), request.body)))
  })
}

function created(made: FoundModule): KeptAnswer {
  const body = Buffer.from(JSON.stringify({ data: moduleView(made) }))
  return { status: 201, headers: { location: `${base}/${made.module.name}` }, body }
}

const LIST = {
  operationId: 'listModules',
  summary: 'Searches the modules that were published here',
  tags,
  security: [],
  errors: [422],
  traits: ['etag'],
  querystring: shape.searchQuery,
  response: { 200: shape.moduleList },
} as const

const GET = {
  operationId: 'getModule',
  summary: 'Gives a module, with its readme and all its versions',
  tags,
  security: [],
  errors: [404],
  traits: ['etag'],
  params: shape.nameParams,
  response: { 200: shape.oneModule },
} as const

const DOWNLOAD = {
  operationId: 'downloadModule',
  summary: 'Gives the package of a version, withdrawn or not',
  description: 'Its sha512 is the `integrity` of the version.',
  tags,
  security: [],
  errors: [404],
  traits: ['etag'],
  params: shape.versionParams,
  response: { 200: { content: { 'application/gzip': { schema: { type: 'string', format: 'binary' } } } } },
} as const

const PUBLISH = {
  operationId: 'publishModule',
  summary: 'Publishes a version of a module',
  description:
    'The name belongs to who registers it first. A package is read, and refused where anything in it has no place in a module; nothing of it is run.',
  tags,
  errors: [403, 409],
  traits: ['location', 'idempotency-key'],
  body: shape.newVersion,
  response: { 201: shape.publishedModule },
} as const

const CHANGE = {
  operationId: 'changeModule',
  summary: 'Gives the name of a module to somebody else, or says that it should not be used any more',
  tags,
  errors: [403, 404],
  params: shape.nameParams,
  body: shape.moduleChange,
  response: { 200: shape.oneModule },
} as const

const WITHDRAW = {
  operationId: 'withdrawModule',
  summary: 'Withdraws a version',
  description: 'It is offered to nobody any more. Who names it, as a lock does, still gets it.',
  tags,
  errors: [403, 404],
  params: shape.versionParams,
  response: { 200: shape.withdrawnVersion },
} as const
