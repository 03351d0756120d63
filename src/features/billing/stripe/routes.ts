import type { FastifyInstance } from 'fastify'
import { STRIPE_EVENT } from '../operations.ts'
import type { StripeGateway } from './stripe.ts'

/** Most bytes of an event. */
const MOST_BYTES = 1024 * 1024

/** `/api/billing/webhook/stripe`. Its bodies are taken as they came: the signature is of their bytes. */
export function stripeRoutes(app: FastifyInstance, gateway: StripeGateway): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: MOST_BYTES } as const
    scope.addContentTypeParser<Buffer>('*', options, (_request, bytes, done) => done(null, bytes))
    scope.post('/api/billing/webhook/stripe', { schema: STRIPE_EVENT }, async (request) => {
      const { body, headers } = request
      await gateway.hear(Buffer.isBuffer(body) ? body : Buffer.alloc(0), String(headers['stripe-signature'] ?? ''))
      return { received: true }
    })
  })
}
