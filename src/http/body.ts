import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequest, UnsupportedMediaType } from '../core/errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that takes a body, and does without. */
    bodyOptional?: boolean
  }
}

const MAX_DEPTH = 32
const MAX_KEYS = 1000
const REFUSED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Takes bodies of `application/json` alone: forms of other sites send text/plain, which no route here reads. */
export function useJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') return done(new UnsupportedMediaType('Send the body as it is, without Content-Encoding.'))
    // Clients that set the header for all they send do so without a body too.
    if (bytes.length === 0 && mayBeEmpty(request)) return done(null, undefined)
    try {
      done(null, parseBody(bytes))
    } catch (error) {
      done(error instanceof Error ? error : new BadRequest('The body is not JSON.'))
    }
  })
}

function mayBeEmpty({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || routeOptions.config.bodyOptional === true
}

/** The value of a JSON text in UTF-8; BadRequest where it is none, is over 32 levels deep or 1,000 keys, or has a key that objects inherit. */
export function parseBody(bytes: Buffer): unknown {
  const value = parse(bytes)
  checkTree(value, 1, { keys: 0 })
  return value
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new BadRequest('The body is empty; send a JSON object.')
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new BadRequest('The body is not well-formed JSON in UTF-8.')
  }
}

function checkTree(value: unknown, depth: number, count: { keys: number }): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new BadRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
  if (Array.isArray(value)) {
    for (const item of value) checkTree(item, depth + 1, count)
    return
  }
  for (const key of Object.keys(value)) {
    if (REFUSED.has(key)) throw new BadRequest(`The key "${key}" is not allowed.`)
    if (++count.keys > MAX_KEYS) throw new BadRequest(`The body has more than ${MAX_KEYS} keys.`)
    checkTree((value as Record<string, unknown>)[key], depth + 1, count)
  }
}
