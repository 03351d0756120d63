import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Cache } from '#lib/cache.ts'
import { cacheKey } from '#lib/cache-key.ts'
import { type Send, type StreamedBytes, sendKnown, sendStreamed, sendTagged } from './answers.ts'
import { encodedETag, type Tagged } from './etag.ts'

/** A coding of bytes (RFC 9110 §8.4.1). */
export type Coding = 'br' | 'gzip'

/** The codings in the order in which they are taken, where a client likes several equally. */
const CODINGS: readonly Coding[] = ['br', 'gzip']
/** Types of content that are smaller when packed. */
const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|manifest\+json|[a-z.-]+\+(?:xml|json))|image\/svg)/
const LEAST_BYTES = 1024
const MOST_BYTES = 16 * 1024 * 1024
/** The most bytes of a file that is packed: it is read whole for that, where others are streamed. */
const MOST_OF_FILE = 2 * 1024 * 1024
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
  readonly #making = new Map<string, Promise<Buffer | undefined>>()
  readonly #send: Send

  constructor(send: Send = sendTagged) {
    this.#send = send
  }

  /**
   * Answers by the function that sends bytes, packed where the client takes it; each coding has an ETag of its own (RFC 9110
   * §8.8.3.3).
   */
  async send(request: FastifyRequest, reply: FastifyReply, tagged: Tagged, contentType: string): Promise<FastifyReply> {
    const isPacked = isPackable(tagged.body.length, contentType)
    if (isPacked) vary(reply)
    const coding = isPacked ? codingOf(request.headers['accept-encoding']) : undefined
    const packed = coding && (await this.#packed(cacheKey(coding, tagged.etag), coding, async () => tagged.body))
    if (!packed) this.#send(request, reply, tagged, contentType)
    else {
      reply.header('content-encoding', coding)
      this.#send(request, reply, { body: packed, etag: encodedETag(tagged.etag, coding) }, contentType)
    }
    return reply
  }

  /**
   * Answers as `sendStreamed` does, a text packed where the client takes it; a part of it is of the bytes as they are. `name` is that of
   * the file, which tells it from others with its ETag.
   */
  async sendFile(request: FastifyRequest, reply: FastifyReply, file: StreamedBytes, name: string): Promise<boolean> {
    if (file.size > MOST_OF_FILE || !isPackable(file.size, file.contentType)) return sendStreamed(request, reply, file)
    vary(reply)
    const coding = request.headers.range === undefined ? codingOf(request.headers['accept-encoding']) : undefined
    if (!coding) return sendStreamed(request, reply, file)
    const etag = encodedETag(file.etag, coding)
    reply.headers(file.headers ?? {}).header('content-encoding', coding)
    if (sendKnown(request, reply, etag)) return true
    const body = await this.#packed(cacheKey(coding, name, file.etag), coding, () => wholeOf(file).catch(() => undefined))
    if (body) sendTagged(request, reply, { body, etag }, file.contentType)
    // It is gone, or became another while it was read.
    return body !== undefined || sendStreamed(request, reply.removeHeader('content-encoding'), file)
  }

  /** The bytes in a coding; undefined where they are gone. */
  #packed(name: string, coding: Coding, bytes: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const kept = this.#kept.get(name)
    if (kept) return Promise.resolve(kept)
    const making = this.#making.get(name)
    if (making) return making
    const made = bytes()
      .then(async (body) => {
        const packed = body && (await PACK[coding](body))
        if (packed) this.#kept.set(name, packed)
        return packed
      })
      .finally(() => this.#making.delete(name))
    this.#making.set(name, made)
    return made
  }
}

function isPackable(size: number, contentType: string): boolean {
  return TEXT.test(contentType) && size >= LEAST_BYTES && size <= MOST_BYTES
}

function vary(reply: FastifyReply): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], 'Accept-Encoding'].flat().join(', '))
}

/** All bytes of a file; undefined where it is gone. */
async function wholeOf(file: StreamedBytes): Promise<Buffer | undefined> {
  const content = await file.open()
  return content && buffer(content)
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
