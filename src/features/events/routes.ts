import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import { accessOf, type Renew } from '#http/guarding/bearer.ts'
import { checkPatterns, typesLike } from './patterns.ts'
import type { Streams } from './streams.ts'

/** Most characters of `types`, and of the id of an event. */
const LONGEST = 1_000

/** The dependencies of the route of events. */
export interface EventRoutes {
  readonly streams: Streams
  /** The guard of routes that need a token, whatever they answer in. */
  readonly bearer: onRequestHookHandler
  readonly renew: Renew
}

const schema = {
  operationId: 'streamEvents',
  summary: 'Streams what happens to content, users and subscriptions',
  description:
    'Server-sent events: `event` is the type, `id` that of the event, `data` the event as JSON. With `Last-Event-ID` the stream goes on after that event, for 24 hours; where it is not known, it begins with `event: reset`. A token has ten streams at most. Who may not read drafts is told of what is public and of drafts of their own, and of what was public that it is so no more: `record.unpublished` or `record.deleted`, with type and id alone.',
  tags: ['Events'],
  errors: [422],
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      types: {
        type: 'string',
        maxLength: LONGEST,
        description: 'Types of events, with commas between; `*` stands for any part.',
        examples: ['record.*'],
      },
    },
  },
  response: { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } } },
} as const

/** `GET /api/events`. */
export async function eventRoutes(app: FastifyInstance, { streams, bearer, renew }: EventRoutes): Promise<void> {
  app.get<{ Querystring: { types?: string } }>(
    '/api/events',
    { schema, onRequest: bearer, exposeHeadRoute: false },
    async (request, reply) => {
      const wants = wanted(request.query.types)
      const place = await streams.take(accessOf(request))
      const { raw } = reply
      reply.hijack()
      const type = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
      // Those of CORS and of the throttle among them.
      const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined)
      raw.writeHead(200, {
        ...Object.fromEntries(headers),
        ...type,
        'x-request-id': request.id,
        'x-content-type-options': 'nosniff',
      })
      const follower = { caller: () => renew(request), wants, last: lastOf(request) }
      await streams.follow(raw, follower, place).catch(() => raw.end())
    },
  )
  app.addHook('preClose', (done) => {
    streams.close()
    done()
  })
}

function lastOf({ headers }: FastifyRequest): string | undefined {
  const last = headers['last-event-id']
  return typeof last === 'string' && last !== '' ? last.slice(0, LONGEST) : undefined
}

/** Returns which types of events are asked for. Throws InvalidInput where a word is that of none. */
function wanted(words: string | undefined): (type: string) => boolean {
  if (words === undefined || words === '') return () => true
  checkPatterns(words.split(','), 'types')
  return typesLike(words.split(','))
}
