import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, onRequestHookHandler } from 'fastify'
import type { Scope } from '#core/access/access.ts'
import { onlyNamed } from '#http/answers/serialization.ts'
import type { ApiDeps } from '#http/api.ts'
import { accessOf } from '#http/guarding/bearer.ts'
import { Throttle } from '#http/guarding/throttle.ts'
import type { SchemaChecks } from '#http/requests/validation.ts'
import type { Clock } from '#lib/clock.ts'
import { BadRequest, Forbidden, InvalidInput, Unavailable } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Middleware } from '#module/routing.ts'
import type { OwnLookupDeps } from '../context/own-lookups.ts'
import { answerFor, ModuleFault } from '../failures.ts'
import { BodyCheck, rulesOf } from './body-rules.ts'
import type { DeclaredRoute } from './declared-routes.ts'
import { valuesOf } from './query-values.ts'
import { MadeReply, requestOf } from './replies.ts'

/** Milliseconds that a handler has to answer. */
export const PATIENCE_MS = 10_000

/** The dependencies of the routes of one module. */
export interface ModuleRoutesDeps {
  readonly module: string
  readonly api: Pick<ApiDeps, 'bearerOfAny'>
  readonly clock: Clock
  readonly schemas: SchemaChecks
  readonly rules: OwnLookupDeps
  readonly patience: number
  /** Takes in a throttle that is to count for all nodes. */
  readonly adopt: (throttle: Throttle) => void
  /** Resolves when the module may be asked; rejects where it is off. */
  readonly ready: () => Promise<void> | undefined
}

/** A route with all that its options come to. */
interface Prepared {
  readonly route: DeclaredRoute
  readonly rules: BodyCheck | undefined
  readonly throttles: readonly Throttle[]
}

/** Reads the options of declared routes. Throws, with a sentence, for one that can't be. */
export function preparedRoutes(routes: readonly DeclaredRoute[], deps: ModuleRoutesDeps): Prepared[] {
  const throttles = new Map<Middleware, Throttle>()
  return routes.map((route) => ({
    route,
    rules: rulesOf(route.options.body) && new BodyCheck(rulesOf(route.options.body)?.rules ?? {}, deps.rules),
    throttles: route.use.map((one) => {
      const made = throttles.get(one) ?? throttleOf(one, `module.${deps.module}.${throttles.size}`, deps)
      throttles.set(one, made)
      return made
    }),
  }))
}

/** Declares them to a server. */
export function moduleRoutes(app: FastifyInstance, routes: readonly Prepared[], deps: ModuleRoutesDeps): void {
  for (const { route, rules, throttles } of routes) {
    const { method, path, auth } = route
    app.route({
      ...{ method, url: path, schema: schemaOf(route), config: { bodyOptional: true } },
      exposeHeadRoute: false,
      onRequest: [...(auth === 'public' ? [] : [deps.api.bearerOfAny]), ...guardsOf(auth), ...throttles.map(counting)],
      handler: (request, reply) => answer(request, reply, route, rules, deps),
    })
  }
}

function throttleOf({ throttle }: Middleware, name: string, { clock, adopt }: ModuleRoutesDeps): Throttle {
  const made = Throttle.of(name, throttle, clock)
  if (!made) throw new Error(`throttle("${throttle}") lets nothing through.`)
  adopt(made)
  return made
}

function counting(throttle: Throttle): onRequestHookHandler {
  return (request, reply, done) => {
    try {
      throttle.count(request.access?.id ?? request.ip, reply)
      done()
    } catch (error) {
      done(error as Error)
    }
  }
}

function guardsOf(auth: string): onRequestHookHandler[] {
  if (auth === 'public' || auth === 'token') return []
  return [
    (request, _reply, done) => {
      const isHeld = accessOf(request).may(auth as Scope)
      done(isHeld ? undefined : new Forbidden(`This needs the right ${auth}.`))
    },
  ]
}

/** Without a schema of its own an answer is sent as it is. */
function schemaOf({ method, options }: DeclaredRoute): FastifySchema {
  const { response = ANYTHING, query, summary, description } = options
  const takesAny = query === undefined && method === 'GET'
  return {
    hide: true,
    ...{ ...(summary !== undefined && { summary }), ...(description !== undefined && { description }) },
    ...(query !== undefined && { querystring: query }),
    ...(takesAny && { querystring: ANYTHING }),
    response: { '2xx': response },
  }
}

const ANYTHING = { type: 'object', additionalProperties: true } as const

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  route: DeclaredRoute,
  rules: BodyCheck | undefined,
  deps: ModuleRoutesDeps,
): Promise<unknown> {
  await deps.ready()
  const made = new MadeReply()
  const body = await bodyOf(request, route, rules, deps)
  await checkQuery(request, route, deps)
  const result = await inTime(deps, () => route.handler(requestOf(request, body, made)))
  // What is returned is the answer, unless it says otherwise; `reply.send(…)` returns the reply.
  const value = made.isSent ? made.body : result === made ? undefined : result
  return send(reply, made, value, route, deps)
}

async function bodyOf(
  { body, params }: FastifyRequest,
  { options }: DeclaredRoute,
  rules: BodyCheck | undefined,
  { schemas, module }: ModuleRoutesDeps,
): Promise<Fields> {
  const sent = body ?? {}
  if (!rules && options.body) {
    const errors = await schemas.errors(options.body, sent).catch((error: unknown) => {
      throw new ModuleFault(module, error)
    })
    if (errors) throw new InvalidInput(errors)
    return sent as Fields
  }
  if (typeof sent !== 'object' || Array.isArray(sent)) throw new InvalidInput({ body: ['The body must be a JSON object.'] })
  return rules ? rules.checked(sent as Fields, (params as { id?: string }).id) : (sent as Fields)
}

async function checkQuery({ query }: FastifyRequest, { options }: DeclaredRoute, { schemas, module }: ModuleRoutesDeps) {
  if (!options.query) return
  const values = valuesOf(options.query, query as Record<string, string>)
  const errors = await schemas.errors(options.query, values).catch((error: unknown) => {
    throw new ModuleFault(module, error)
  })
  const [message] = Object.values(errors ?? {}).flat()
  if (message !== undefined) throw new BadRequest(message)
}

async function inTime({ module, patience }: ModuleRoutesDeps, work: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(`The module "${module}" takes too long to answer.`)), patience)
  })
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    throw answerFor(module, error)
  } finally {
    clearTimeout(timer)
  }
}

async function send(reply: FastifyReply, made: MadeReply, value: unknown, route: DeclaredRoute, deps: ModuleRoutesDeps) {
  if (value === undefined) {
    made.apply(reply)
    return reply.code(made.status === 200 ? 204 : made.status).send()
  }
  const isText = typeof value === 'string' && made.contentType !== undefined && !made.isJson
  if (isText || value instanceof Uint8Array) {
    if (route.options.response)
      throw new ModuleFault(deps.module, new Error('The answer is no JSON, and the route has a schema of one.'))
    made.contentType ??= 'application/octet-stream'
    made.apply(reply)
    return reply.send(typeof value === 'string' ? value : Buffer.from(value))
  }
  const text = await jsonOf(value, made.status < 300 ? route.options.response : undefined, deps)
  made.contentType ??= 'application/json; charset=utf-8'
  made.apply(reply)
  return reply.send(text)
}

/** Returns an answer as JSON: what its schema does not name is left out; throws ModuleFault for what does not fit it. */
async function jsonOf(value: unknown, schema: object | undefined, { module, schemas }: ModuleRoutesDeps): Promise<string> {
  try {
    const text = JSON.stringify(value) ?? 'null'
    if (!schema) return text
    // What is checked is what is sent.
    const plain: unknown = JSON.parse(text)
    const [words] = Object.values((await schemas.errors(schema, plain)) ?? {}).flat()
    if (words !== undefined) throw new Error(`The answer does not fit its schema. ${words}`)
    return JSON.stringify(onlyNamed(schema, plain))
  } catch (error) {
    throw new ModuleFault(module, error)
  }
}
