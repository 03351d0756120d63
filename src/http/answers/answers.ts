import type { OutgoingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from '#core/media/blobs.ts'
import { rangeIn } from '../requests/ranges.ts'
import { type ETag, isKnown, type Tagged } from './etag.ts'

/** The content type of every answer of the API. */
export const JSON_UTF8 = 'application/json; charset=utf-8'

/** A function that answers with bytes, of JSON unless told otherwise; 304 without them to a client that has them. */
export type Send = (request: FastifyRequest, reply: FastifyReply, tagged: Tagged, contentType?: string) => void

/**
 * Answers through Fastify, with its hooks and the headers that were set before: 304 to a client that has the bytes (RFC 9110
 * §13.2.2).
 */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, tagged: Tagged, contentType = JSON_UTF8): FastifyReply {
  const { body, etag } = tagged
  reply.header('etag', etag)
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', contentType).send(body)
}

/** Answers a change: whole, also to who says that they know it. */
export function sendFresh(reply: FastifyReply, { body, etag }: Tagged): FastifyReply {
  return reply.header('etag', etag).header('content-type', JSON_UTF8).send(body)
}

/** Answers 304 to a client that has the bytes of an ETag; false, with nothing sent, to any other. */
export function sendKnown(request: FastifyRequest, reply: FastifyReply, etag: ETag): boolean {
  if (!isKnown(request.headers['if-none-match'], etag)) return false
  reply.header('etag', etag).code(304).send()
  return true
}

/** Bytes that are streamed, and the ETag that stands for them. */
export interface StreamedBytes {
  readonly size: number
  readonly etag: ETag
  readonly contentType: string
  /** Headers of an answer with these bytes, and of no other answer at their address. */
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes, or those of a range; undefined where they are not there any more. */
  open(range?: ByteRange): Promise<Readable | undefined>
}

/**
 * Answers bytes, or the part that is asked for (RFC 9110 §14): 304 to a client that has them, 416 where there is no such part.
 * False, with nothing sent, where they are gone.
 */
export async function sendStreamed(request: FastifyRequest, reply: FastifyReply, bytes: StreamedBytes): Promise<boolean> {
  const { size, etag, contentType, headers = {} } = bytes
  const { 'if-none-match': ifNoneMatch, 'if-range': ifRange, range: asked } = request.headers
  if (isKnown(ifNoneMatch, etag)) {
    reply.headers(headers).header('etag', etag).code(304).send()
    return true
  }
  const isWhole = request.method !== 'GET' || (ifRange !== undefined && ifRange !== etag)
  const range = isWhole ? undefined : rangeIn(asked, size)
  if (range === 'none') {
    const error = { error: 'Range not satisfiable', message: `There is nothing at that place: the file has ${size} bytes.` }
    reply.code(416).header('content-range', `bytes */${size}`).header('content-type', JSON_UTF8)
    reply.send(Buffer.from(JSON.stringify(error)))
    return true
  }
  // An answer to HEAD would read the stream to its end.
  const content = await bytes.open(request.method === 'HEAD' ? { start: 0, end: 0 } : range)
  if (!content) return false
  const { start, end } = range ?? { start: 0, end: size }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${size}`)
  reply.headers(headers).header('etag', etag).header('accept-ranges', 'bytes').header('content-type', contentType)
  reply.header('content-length', end - start).send(content)
  return true
}

/** Answers what a promise gives, or what it fails with. */
export function answerWith(send: Send, request: FastifyRequest, reply: FastifyReply, made: Promise<Tagged>): void {
  made.then(
    (tagged) => send(request, reply, tagged),
    (error: unknown) => reply.send(error),
  )
}

/** Functions that answer by handing the bytes to Node, where an answer is such that it can be. */
export interface DirectSends {
  readonly send: Send
  /** Answers with JSON that has no ETag. */
  readonly sendJson: (request: FastifyRequest, reply: FastifyReply, json: Buffer | string) => void
}

/**
 * Answers by handing the bytes to Node, which saves a few percent of such an answer: with the headers that were set before, and those
 * that every answer bears. For routes of a scope without `onSend` hooks of its own, and answers with status 200.
 */
export function directSends(draining: { readonly begun: boolean }): DirectSends {
  const isDirect = ({ raw }: FastifyRequest) => raw.method === 'GET' && !draining.begun
  return {
    send: (request, reply, tagged, contentType = JSON_UTF8) => {
      const { body, etag } = tagged
      if (isDirect(request) && request.raw.headers['if-none-match'] === undefined) hand(request, reply, body, contentType, etag)
      else sendTagged(request, reply, tagged, contentType)
    },
    sendJson: (request, reply, json) => {
      if (isDirect(request)) hand(request, reply, json, JSON_UTF8)
      else reply.header('content-type', JSON_UTF8).send(json)
    },
  }
}

/** The headers are the reply's own: to make another object of them takes longer than what Fastify does. */
function hand({ id }: FastifyRequest, reply: FastifyReply, body: Buffer | string, contentType: string, etag?: ETag): void {
  if (etag !== undefined) reply.header('etag', etag)
  reply.header('content-type', contentType).header('x-request-id', id).header('x-content-type-options', 'nosniff')
  reply.header('content-length', Buffer.byteLength(body)).hijack()
  reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders).end(body)
}
