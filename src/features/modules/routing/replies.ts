import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '#core/access/access.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Caller } from '#module/context.ts'
import type { ModuleReply, ModuleRequest } from '#module/routing.ts'

/** Headers that say how the bytes go over the wire, and who somebody is: they are not the module's to set. */
const NOT_SET: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'trailer',
  'set-cookie',
])

/** Headers that a module is not handed: what others could act by in the caller's name. */
const NOT_HANDED: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** An answer that a module has made, before it is sent. */
export class MadeReply implements ModuleReply {
  status = 200
  isSent = false
  body: unknown
  contentType: string | undefined
  readonly headers = new Map<string, string>()

  code(status: number): ModuleReply {
    if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError(`${status} is no status of an answer.`)
    this.status = status
    return this
  }

  header(name: string, value: string): ModuleReply {
    const plain = String(name).toLowerCase()
    if (NOT_SET.has(plain)) throw new TypeError(`A module can't set the header ${plain}.`)
    this.headers.set(plain, String(value))
    return this
  }

  type(contentType: string): ModuleReply {
    this.contentType = String(contentType)
    return this
  }

  send(body: Json | string | Uint8Array): ModuleReply {
    this.isSent = true
    this.body = body
    return this
  }

  /** True where the body goes as JSON. */
  get isJson(): boolean {
    return this.contentType === undefined || /^application\/(?:[\w.+-]+\+)?json\b/.test(this.contentType)
  }

  /** True where it is an answer with 200 and no headers of its own. */
  get isPlain(): boolean {
    return this.status === 200 && this.contentType === undefined && this.headers.size === 0
  }

  /** Puts status and headers in place. */
  apply(reply: FastifyReply): void {
    reply.code(this.status)
    for (const [name, value] of this.headers) reply.header(name, value)
    if (this.contentType !== undefined) reply.type(this.contentType)
  }
}

/** Returns a request as a module gets it. */
export function requestOf(request: FastifyRequest, body: Fields, reply: MadeReply): ModuleRequest {
  const { params, query, ip } = request
  return {
    ...{ body, ip, reply, caller: callerOf(request) },
    params: { ...(params as Record<string, string>) },
    query: { ...(query as Record<string, string>) },
    headers: headersOf(request.raw),
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const handed: Record<string, string | undefined> = {}
  for (const name in headers) {
    const value = headers[name]
    if (!NOT_HANDED.has(name)) handed[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return handed
}

/** The caller of a request; nobody where there was no token. */
export function callerOf({ access }: Pick<FastifyRequest, 'access'>): Caller {
  return {
    id: access?.id,
    name: access?.author.name,
    may: (scope, type) => access?.may(scope as Scope, type) ?? false,
  }
}
