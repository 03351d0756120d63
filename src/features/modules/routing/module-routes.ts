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
import type { KnownJson } from '../context/known-json.ts'
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
  readonly api: Pick<ApiDeps, 'bearerOfAny' | 'sendJson'>
  readonly clock: Clock
  readonly schemas: SchemaChecks
  readonly json: KnownJson
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
  // What is not waited for takes no turn of the queue: most requests are answered in less than those take.
  const waiting = deps.ready()
  if (waiting) await waiting
  const made = new MadeReply()
  const body = route.options.body ? await bodyOf(request, route, rules, deps) : plainBodyOf(request)
  if (route.options.query) await checkQuery(request, route.options.query, deps)
  const result = await inTime(deps, () => route.handler(requestOf(request, body, made)))
  // What is returned is the answer, unless it says otherwise; `reply.send(…)` returns the reply.
  const value = made.isSent ? made.body : result === made ? undefined : result
  return send(request, reply, made, value, route, deps)
}

async function bodyOf(
  { body, params }: FastifyRequest,
  { options }: DeclaredRoute,
  rules: BodyCheck | undefined,
  { schemas, module }: ModuleRoutesDeps,
): Promise<Fields> {
  if (rules) return rules.checked(plainBodyOf({ body }), (params as { id?: string }).id)
  const sent = body ?? {}
  const errors = await schemas.errors(options.body ?? {}, sent).catch((error: unknown) => {
    throw new ModuleFault(module, error)
  })
  if (errors) throw new InvalidInput(errors)
  return sent as Fields
}

function plainBodyOf({ body }: Pick<FastifyRequest, 'body'>): Fields {
  const sent = body ?? {}
  if (typeof sent !== 'object' || Array.isArray(sent)) throw new InvalidInput({ body: ['The body must be a JSON object.'] })
  return sent as Fields
}

async function checkQuery({ query }: FastifyRequest, schema: object, { schemas, module }: ModuleRoutesDeps) {
  const values = valuesOf(schema, query as Record<string, string>)
  const errors = await schemas.errors(schema, values).catch((error: unknown) => {
    throw new ModuleFault(module, error)
  })
  const [message] = Object.values(errors ?? {}).flat()
  if (message !== undefined) throw new BadRequest(message)
}

async function inTime({ module, patience }: ModuleRoutesDeps, work: () => unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  try {
    const made = work()
    if (!isThenable(made)) return made
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Unavailable(`The module "${module}" takes too long to answer.`)), patience)
      Promise.resolve(made).then(resolve, reject)
    })
  } catch (error) {
    throw answerFor(module, error)
  } finally {
    clearTimeout(timer)
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  made: MadeReply,
  value: unknown,
  route: DeclaredRoute,
  deps: ModuleRoutesDeps,
) {
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
  const schema = made.status < 300 ? route.options.response : undefined
  const text = schema ? await fittingJson(value, schema, deps) : jsonOf(value, deps)
  if (made.isPlain) return deps.api.sendJson(request, reply, text)
  made.contentType ??= 'application/json; charset=utf-8'
  made.apply(reply)
  return reply.send(text)
}

function jsonOf(value: unknown, { module, json }: ModuleRoutesDeps): Buffer | string {
  try {
    return json.textOf(value)
  } catch (error) {
    throw new ModuleFault(module, error)
  }
}

/** Resolves with an answer as JSON: what its schema does not name is left out; rejects with ModuleFault for what does not fit it. */
async function fittingJson(value: unknown, schema: object, { module, schemas }: ModuleRoutesDeps): Promise<string> {
  try {
    // What is checked is what is sent.
    const plain: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
    const [words] = Object.values((await schemas.errors(schema, plain)) ?? {}).flat()
    if (words !== undefined) throw new Error(`The answer does not fit its schema. ${words}`)
    return JSON.stringify(onlyNamed(schema, plain))
  } catch (error) {
    throw new ModuleFault(module, error)
  }
}
