import type { FastifyInstance } from 'fastify'

/** Sets what every answer bears; and from the moment the server is to end (`begun`), that its connection does: kept-alive ones would hold it up. */
export function useHeaders(app: FastifyInstance): { readonly begun: boolean } {
  const draining = { begun: false }
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
