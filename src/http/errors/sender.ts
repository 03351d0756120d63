import type { FastifyReply, FastifyRequest } from 'fastify'
import { NotFound } from '#lib/errors.ts'
import { JSON_UTF8 } from '../answers/answers.ts'
import type { KnownPaths } from '../known-paths.ts'
import { failureOf, refusalOf } from '../route-rules.ts'
import { errorAnswer } from './errors.ts'
import type { ErrorLog } from './log.ts'

/**
 * Answers whatever was thrown; where there is no route, what is wrong with the body does not matter. A route that takes a name
 * for a parameter's value (POST `/api/cms/types`) finds nothing under it: then the method is what is wrong.
 */
export function errorSender(
  known: KnownPaths,
  log: ErrorLog,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    if (request.is404) return sendError(failureOf(request, known), request, reply, log)
    sendError((error instanceof NotFound && refusalOf(request, known)) || error, request, reply, log)
  }
}

/** Answers an error in the shape of all errors; what is no client's fault is logged with the id of its request. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: ErrorLog): void {
  const { status, headers, body, isFault } = errorAnswer(error)
  if (isFault) log(error, request.id)
  // A malformed address is answered before any hook has set the headers of every answer.
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  reply.code(status).headers(headers).header('content-type', JSON_UTF8).send(JSON.stringify(body))
}
