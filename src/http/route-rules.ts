import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MethodNotAllowed, NotFound } from '../core/errors.ts'
import type { KnownPaths } from './known-paths.ts'

const NO_PARAMETERS = { type: 'object', additionalProperties: false, properties: {} } as const

/**
 * Holds every route to the rules: one without a response schema does not boot, one of the API that names no parameters takes none. What no
 * route answers is 404 or 405, before its body is looked at.
 */
export function useRouteRules(app: FastifyInstance, known: KnownPaths): void {
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat()
    known.add(route.url, methods)
    if (methods.includes('OPTIONS')) return
    const { schema } = route
    if (!schema?.response) throw new Error(`The route ${methods.join(', ')} ${route.url} has no response schema.`)
    if (route.url.startsWith('/api/') && !schema.querystring) route.schema = { ...schema, querystring: NO_PARAMETERS }
  })
  const failure = (request: FastifyRequest): MethodNotAllowed | NotFound =>
    known.failure(request.method, request.url.split('?', 1)[0] ?? '')
  app.addHook('onRequest', (request, _reply, done) => (request.is404 ? done(failure(request)) : done()))
  // For routes that find out by themselves that they have nothing to say.
  app.setNotFoundHandler((request) => {
    throw failure(request)
  })
  const nothing = { schema: { response: { 404: { type: 'object' } }, querystring: { type: 'object' } } }
  // Else a site that answers every path would answer these with a page.
  for (const url of ['/api', '/api/*']) {
    app.get(url, nothing, async (request) => {
      throw failure(request)
    })
  }
}
