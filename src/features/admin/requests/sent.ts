import type { FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, Forbidden } from '#lib/errors.ts'
import type { FormBody } from '../forms/body.ts'

/** Names of fields that are never shown again, and the routes that they are sent to: elsewhere a field may be called so. */
const SECRET = /^(?:password|current|code|token)$/
const SECRET_AT = /^\/admin\/(?:login|verify|setup|account)(?:\/|$)/

/** Names of fields that the panel itself adds. */
const OWN: ReadonlySet<string> = new Set(['_csrf', '_method'])

/** Returns the form that came with a request; undefined where none did. */
export function sentOf({ body }: FastifyRequest): FormBody | undefined {
  return typeof body === 'object' && body !== null && 'doubled' in body && body.doubled instanceof Set
    ? (body as FormBody)
    : undefined
}

/** The text of a field; empty where there is none. */
export function textOf(request: FastifyRequest, name: string): string {
  const value = sentOf(request)?.values[name]
  return typeof value === 'string' ? value : ''
}

/** The proof that came with a form, or in the header of a script's request. Throws Forbidden where it is there twice. */
export function tokenOf(request: FastifyRequest): string | undefined {
  const header = request.headers['x-csrf-token']
  if (typeof header === 'string') return header
  const form = sentOf(request)
  if (form?.doubled.has('_csrf')) throw new Forbidden('The form has _csrf twice, and nothing was done.')
  const value = form?.values._csrf
  return typeof value === 'string' ? value : undefined
}

/** The method that a request means: a form's field `_method` says PUT or DELETE, and nothing else. */
export function methodOf(request: FastifyRequest): string {
  const sent = sentOf(request)?.values._method
  if (sent === undefined || sent === '') return request.method
  if (sent !== 'PUT' && sent !== 'DELETE') throw new BadRequest('The field _method of a form is PUT or DELETE.')
  return sent
}

/** The fields of a form, to be shown again: no passwords, and nothing that the panel itself adds but the method. */
export function keptOf(request: FastifyRequest): { name: string; value: string }[] {
  const pairs = sentOf(request)?.pairs ?? []
  const isAt = SECRET_AT.test(request.routeOptions.url ?? '')
  const isSecret = (name: string) => isAt && SECRET.test(name)
  return pairs.filter(([name]) => name !== '_csrf' && !isSecret(name)).map(([name, value]) => ({ name, value }))
}

/** The fields of a form beside those that the panel itself adds. */
export function fieldsSent(request: FastifyRequest): FormBody['values'] {
  const values = sentOf(request)?.values ?? {}
  return Object.fromEntries(Object.entries(values).filter(([name]) => !OWN.has(name)))
}

/** Returns whether a script asks, and not a browser that shows a page: it takes JSON, and says no word of HTML. */
export function isForScript({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/html')
}

/** Answers a script; nothing of it is kept by a cache. */
export function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return reply
    .code(status)
    .headers(headers)
    .send(Buffer.from(JSON.stringify(body)))
}
