import type { FastifyInstance } from 'fastify'

const EXPOSED = ['ETag', 'Location', 'X-Request-Id', 'Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']

/**
 * Lets pages of these origins (`*`: of all) ask and read the answers; with none, no CORS header is ever sent. Cookies are never
 * meant.
 */
export function useCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.register(import('@fastify/cors'), {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: 600,
    strictPreflight: false,
  })
}
