import type { FastifyInstance } from 'fastify'
import { BadRequest } from '../core/errors.ts'

/** Sets what every answer bears; and from the moment the server is to end (`begun`), that its connection does: kept-alive ones would hold it up. */
export function useHeaders(app: FastifyInstance): { readonly begun: boolean } {
  const draining = { begun: false }
  // Node itself would refuse it with an empty answer (RFC 9112 §3.2 asks for a 400).
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const isMissing = raw.headers.host === undefined && raw.httpVersion === '1.1'
    done(isMissing ? new BadRequest('The Host header is missing.') : undefined)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (draining.begun) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('preClose', (done) => {
    draining.begun = true
    done()
  })
  return draining
}
