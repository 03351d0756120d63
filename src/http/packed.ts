import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Cache } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { sendTagged } from './answers.ts'
import { encodedETag, type Tagged } from './etag.ts'

/** A coding of bytes (RFC 9110 §8.4.1). */
export type Coding = 'br' | 'gzip'

/** The codings in the order in which they are taken, where a client likes several equally. */
const CODINGS: readonly Coding[] = ['br', 'gzip']
/** Types of content that are smaller when packed. */
const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|manifest\+json|[a-z.-]+\+(?:xml|json))|image\/svg)/
const LEAST_BYTES = 1024
const MOST_BYTES = 16 * 1024 * 1024
const KEPT_BYTES = 16 * 1024 * 1024
/** The best that takes about as long as making a page does. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } }

const PACK = {
  br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }),
} as const satisfies Record<Coding, (body: Buffer) => Promise<Buffer>>

/**
 * Packs bytes for who takes them so, in threads of Node: each once, as long as it is kept. For answers that hold no secret: the
 * length of packed bytes tells what is in them (BREACH).
 */
export class Packer {
  readonly #kept = new Cache<Buffer>({ bytes: KEPT_BYTES, sizeOf: ({ length }) => length })
  readonly #making = new Map<string, Promise<Buffer>>()

  /** Answers as `sendTagged` does, packed where the client takes it; each coding has an ETag of its own (RFC 9110 §8.8.3.3). */
  async send(request: FastifyRequest, reply: FastifyReply, tagged: Tagged, contentType: string): Promise<FastifyReply> {
    if (!isPackable(tagged, contentType)) return sendTagged(request, reply, tagged, contentType)
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '))
    const coding = codingOf(request.headers['accept-encoding'])
    if (!coding) return sendTagged(request, reply, tagged, contentType)
    const body = await this.#packed(tagged, coding)
    reply.header('content-encoding', coding)
    return sendTagged(request, reply, { body, etag: encodedETag(tagged.etag, coding) }, contentType)
  }

  #packed({ body, etag }: Tagged, coding: Coding): Promise<Buffer> {
    const name = cacheKey(coding, etag)
    const kept = this.#kept.get(name)
    if (kept) return Promise.resolve(kept)
    const making = this.#making.get(name)
    if (making) return making
    const made = PACK[coding](body)
      .then((packed) => {
        this.#kept.set(name, packed)
        return packed
      })
      .finally(() => this.#making.delete(name))
    this.#making.set(name, made)
    return made
  }
}

function isPackable({ body }: Tagged, contentType: string): boolean {
  return TEXT.test(contentType) && body.length >= LEAST_BYTES && body.length <= MOST_BYTES
}

/** Returns the coding that a client likes best (`Accept-Encoding`, RFC 9110 §12.5.3); undefined for bytes as they are. */
export function codingOf(header: string | string[] | undefined): Coding | undefined {
  const weights = new Map<string, number>()
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (name !== '') weights.set(name, q === undefined ? 1 : Math.min(1, Number(q) || 0))
  }
  const others = weights.get('*') ?? 0
  const weightOf = (coding: Coding) => weights.get(coding) ?? others
  const best = CODINGS.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one))
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}
