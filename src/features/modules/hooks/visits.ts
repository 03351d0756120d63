import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#lib/clock.ts'
import type { Visit } from '#module/module.ts'
import type { ActiveModule, ModuleHost } from '../host.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'

/** The cookie of who is signed in to the panel; of a secure site the one with the longer name. */
const SESSION = /(?:^|;\s*)(?:__Host-)?cms_session=/

/** Errors of `visited` that are told of in a minute: pages are many. */
const MOST_TOLD = 5
const MINUTE_MS = 60_000

/** Tells modules of the pages that were answered. */
export class Visits {
  readonly #host: ModuleHost
  readonly #clock: Clock
  readonly #log: ModuleLog
  #told = { minute: 0, count: 0 }

  constructor(host: ModuleHost, clock: Clock, log: ModuleLog) {
    this.#host = host
    this.#clock = clock
    this.#log = log
  }

  /** True where some module wishes to hear of pages, and may. */
  get areHeard(): boolean {
    return this.#hearing().length > 0
  }

  /** Hears of an answered request. It does not throw. */
  answered(request: FastifyRequest, reply: FastifyReply): void {
    if (!isPage(request, reply.statusCode, reply.getHeader('content-type'))) return
    const hearing = this.#hearing()
    if (hearing.length === 0) return
    const visit = this.#visitOf(request)
    for (const active of hearing) {
      try {
        const result: unknown = active.module.definition.visited?.(visit, active.context)
        if (result instanceof Promise) result.catch((error: unknown) => this.#failed(active, error))
      } catch (error) {
        this.#failed(active, error)
      }
    }
  }

  #hearing(): ActiveModule[] {
    return this.#host.on().filter(({ module, granted }) => module.definition.visited !== undefined && granted.has('site'))
  }

  #visitOf({ url, host, ip, headers, method }: FastifyRequest): Visit {
    return Object.freeze({
      path: url.split('?', 1)[0] ?? '/',
      ...{ host, ip, method, at: this.#clock.now() },
      headers: Object.freeze(handed(headers)),
      isSignedIn: SESSION.test(headers.cookie ?? ''),
    })
  }

  #failed({ module }: ActiveModule, error: unknown): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS)
    this.#told = { minute, count: minute === this.#told.minute ? this.#told.count + 1 : 1 }
    if (this.#told.count > MOST_TOLD) return
    this.#log({ level: 'error', module: module.name, message: `\`visited\` failed: ${wordsOf(error)}`, error })
  }
}

/** A page of the site: its route answers whatever is nobody else's, and what it sent is HTML; of 304 only the address tells. */
function isPage({ routeOptions, method, url }: FastifyRequest, status: number, type: unknown): boolean {
  if (routeOptions.url !== '/*' || (method !== 'GET' && method !== 'HEAD')) return false
  if (status === 200) return typeof type === 'string' && type.startsWith('text/html')
  return status === 304 && !/\.(?!html$)[^./]*$/.test(url.split('?', 1)[0] ?? '')
}

function handed(headers: FastifyRequest['headers']): Record<string, string | undefined> {
  const { authorization: _, cookie: __, 'proxy-authorization': ___, ...others } = headers
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  )
}
