import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './etag.ts'

/** The content type of every answer of the API. */
export const JSON_UTF8 = 'application/json; charset=utf-8'

/** Bytes with the ETag that stands for them. */
export interface Tagged {
  readonly body: Buffer
  readonly etag: string
}

/** Answers JSON that is bytes already; 304 without them to who has them. */
export function sendTagged(request: FastifyRequest, reply: FastifyReply, { body, etag }: Tagged): FastifyReply {
  reply.header('etag', etag)
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', JSON_UTF8).send(body)
}
