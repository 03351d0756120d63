import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#lib/clock.ts'
import type { Visit } from '#module/module.ts'
import type { ActiveModule, ModuleHost } from '../host.ts'
import { type ModuleLog, wordsOf } from '../module-log.ts'

/** The cookie of who is signed in to the panel; of a secure site the one with the longer name. */
const SESSION = /(?:^|;\s*)(?:__Host-)?cms_session=/

/** Headers that no module gets. */
const SECRET: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** Errors of `visited` that are told of in a minute: pages are many. */
const MOST_TOLD = 5
const MINUTE_MS = 60_000

/** Tells modules of the pages that were answered. */
export class Visits {
  readonly #clock: Clock
  readonly #log: ModuleLog
  /** Those that wish to hear of pages, and may. */
  readonly #hearing: readonly ActiveModule[]
  #told = { minute: 0, count: 0 }

  constructor(host: ModuleHost, clock: Clock, log: ModuleLog) {
    this.#clock = clock
    this.#log = log
    this.#hearing = host.on().filter(({ module, granted }) => module.definition.visited !== undefined && granted.has('site'))
  }

  /** True where some module wishes to hear of pages, and may. */
  get areHeard(): boolean {
    return this.#hearing.length > 0
  }

  /** Hears of an answered request. It does not throw. */
  answered(request: FastifyRequest, reply: FastifyReply): void {
    if (!isPage(request, reply.statusCode, reply.getHeader('content-type'))) return
    const visit = this.#visitOf(request)
    for (const active of this.#hearing) {
      if (!active.isOn()) continue
      try {
        const result: unknown = active.module.definition.visited?.(visit, active.context)
        if (result instanceof Promise) result.catch((error: unknown) => this.#failed(active, error))
      } catch (error) {
        this.#failed(active, error)
      }
    }
  }

  #visitOf({ url, host, ip, headers, method }: FastifyRequest): Visit {
    return Object.freeze({
      path: pathOf(url),
      host,
      ip,
      method,
      at: this.#clock.now(),
      headers: handed(headers),
      isSignedIn: headers.cookie !== undefined && SESSION.test(headers.cookie),
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
  if ((method !== 'GET' && method !== 'HEAD') || routeOptions.url !== '/*') return false
  if (status === 200) return typeof type === 'string' && type.startsWith('text/html')
  return status === 304 && !/\.(?!html$)[^./]*$/.test(pathOf(url))
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/** The headers that modules get. Each page of the site pays for this. */
function handed(headers: FastifyRequest['headers']): Visit['headers'] {
  const others: Record<string, string | undefined> = {}
  for (const name in headers) {
    if (SECRET.has(name)) continue
    const value = headers[name]
    others[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return Object.freeze(others)
}
