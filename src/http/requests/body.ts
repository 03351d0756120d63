import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequest, InvalidInput, UnsupportedMediaType } from '#lib/errors.ts'
import { type JsonFault, readStrictJson } from '#lib/strict-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for a route that takes a body, and does without. */
    bodyOptional?: boolean
    /** The most keys of its bodies, where that is not as everywhere. */
    mostKeys?: number
  }
}

const MAX_DEPTH = 32
const MAX_KEYS = 1000
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
      done(null, parseBody(bytes, request.routeOptions.config.mostKeys))
    } catch (error) {
      done(error instanceof Error ? error : new BadRequest('The body is not JSON.'))
    }
  })
}

function mayBeEmpty({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || routeOptions.config.bodyOptional === true
}

/**
 * Parses a JSON text in UTF-8. Throws BadRequest if it is none, is over 32 levels deep or has more than `keys` keys, has a key twice, or one
 * that objects inherit; InvalidInput for values that can't be stored as they are sent: a number that a double can't hold, half of
 * a surrogate pair.
 */
export function parseBody(bytes: Buffer, keys = MAX_KEYS): unknown {
  const read = parse(bytes, keys)
  if ('fault' in read) throw failureOf(read.fault, keys)
  return read.value
}

function parse(bytes: Buffer, keys: number): ReturnType<typeof readStrictJson> {
  if (bytes.length === 0) throw new BadRequest('The body is empty; send a JSON object.')
  try {
    return readStrictJson(utf8.decode(bytes), { depth: MAX_DEPTH, keys })
  } catch {
    throw new BadRequest('The body is not well-formed JSON in UTF-8.')
  }
}

function failureOf({ kind, path }: JsonFault, keys: number): BadRequest | InvalidInput {
  return FAILURES[kind](path.slice(0, LONGEST_PATH), keys)
}

/** Longest part of a value's path that is shown in a message. */
const LONGEST_PATH = 200
const NUMBERS = `must be a number that can be kept as it is: at most 1.7e308, a whole one at most ${Number.MAX_SAFE_INTEGER}. Send it as a text.`

const FAILURES = {
  depth: () => new BadRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`),
  keys: (_, most) => new BadRequest(`The body has more than ${most} keys.`),
  unsafe: (name) =>
    new BadRequest(`The keys __proto__, constructor and prototype are not allowed${name === '' ? '' : ` in ${name}`}.`),
  twice: (name) => new BadRequest(`The key "${name}" is there twice.`),
  number: (name) => new InvalidInput({ [name || 'body']: [`The ${name || 'body'} ${NUMBERS}`] }),
  text: (name) => new InvalidInput({ [name || 'body']: [`The ${name || 'body'} must be valid Unicode.`] }),
} satisfies Record<JsonFault['kind'], (name: string, keys: number) => BadRequest | InvalidInput>
