import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, MethodNotAllowed, NotFound } from '#lib/errors.ts'
import { methodOf } from './sent.ts'

/** The methods that change something. */
export const WRITES = ['POST', 'PUT', 'DELETE'] as const

export type WriteMethod = (typeof WRITES)[number]

/** A page, or what a form does. */
export type Handler<P = unknown> = (request: FastifyRequest<{ Params: P }>, reply: FastifyReply) => Promise<FastifyReply>

/** The options of a route. */
export interface RouteOptions {
  /** True for a page of signing in: who is not signed in may ask for it. */
  readonly isOpen?: boolean
  /** True for a form that may bring files: its handler reads them, from `request.files`. */
  readonly takesFiles?: boolean
  /** True for what the panel shows in a frame: its errors are, too. */
  readonly isFramed?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set on the routes of the panel. */
    panel?: RouteOptions
  }
}

interface Declared extends Required<RouteOptions> {
  readonly handler: Handler
}

const ANY = { type: 'string', format: 'binary' } as const
const SCHEMA = { hide: true, response: { '2xx': ANY, '3xx': ANY, '4xx': ANY, '5xx': ANY } } as const

/**
 * The routes of the panel. A form can send nothing but POST, so what answers PUT or DELETE is answered by a POST whose field
 * `_method` says so as well.
 */
export class PanelRoutes {
  readonly #handlers = new Map<string, Map<string, Declared>>()

  get<P>(url: string, handler: Handler<P>, options: RouteOptions = {}): void {
    this.#add('GET', url, handler, options)
  }

  /** Adds what a form does. */
  on<P>(method: WriteMethod, url: string, handler: Handler<P>, options: RouteOptions = {}): void {
    this.#add(method, url, handler, options)
  }

  /** All routes with their methods, those of forms among them. */
  table(): { readonly method: string; readonly url: string; readonly isOpen: boolean }[] {
    return [...this.#handlers].flatMap(([url, methods]) => [...methods].map(([method, { isOpen }]) => ({ method, url, isOpen })))
  }

  /** Declares them. */
  declare(app: FastifyInstance): void {
    for (const [url, methods] of this.#handlers) {
      const isOpen = [...methods.values()].some((one) => one.isOpen)
      const isFramed = [...methods.values()].some((one) => one.isFramed)
      const allowed = [...methods.keys()]
      for (const [method, { handler }] of methods)
        if (method !== 'POST') app.route({ method, url, handler, schema: SCHEMA, config: { panel: { isOpen, isFramed } } })
      if (!WRITES.some((method) => methods.has(method))) continue
      const takesFiles = methods.get('POST')?.takesFiles === true
      app.post(url, { schema: SCHEMA, config: { panel: { isOpen, isFramed, takesFiles } } }, (request, reply) => {
        const method = methodOf(request)
        const found = methods.get(method)
        if (found) return found.handler(request, reply)
        if (method !== 'POST') throw new BadRequest(`Nothing here answers a form with _method=${method}.`)
        throw new MethodNotAllowed(allowed)
      })
    }
  }

  #add<P>(method: string, url: string, handler: Handler<P>, options: RouteOptions): void {
    const methods = this.#handlers.get(url) ?? new Map()
    if (methods.has(method)) throw new Error(`${method} ${url} is there twice.`)
    this.#handlers.set(
      url,
      methods.set(method, { isOpen: false, takesFiles: false, isFramed: false, ...options, handler: handler as Handler }),
    )
  }
}

/** Returns the error for an address without a page: MethodNotAllowed where it answers other methods. */
export function nothingThere(routes: PanelRoutes, request: FastifyRequest): MethodNotAllowed | NotFound {
  const path = request.url.split('?', 1)[0] ?? ''
  // An address of things that are not there answers nothing, whatever its form.
  const found = routes.table().filter(({ url }) => !/\/:(?:resource|type)\b/.test(url) && patternOf(url).test(path))
  const allowed = [...new Set(found.map((route) => route.method))]
  const isOther = allowed.length > 0 && !allowed.includes(methodOf(request))
  return isOther ? new MethodNotAllowed(allowed) : new NotFound('There is no such page.')
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll(/:[a-z]+/g, '[^/]+')}$`)
}
