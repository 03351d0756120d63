import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MethodNotAllowed, NotFound } from '#lib/errors.ts'
import type { KnownPaths } from './known-paths.ts'

const NO_PARAMETERS = { type: 'object', additionalProperties: false, properties: {} } as const

/**
 * Holds every route to the rules: one without a response schema does not boot, one of the API that names no parameters takes
 * none.
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
  const refuse = (request: FastifyRequest): never => {
    throw failureOf(request, known)
  }
  app.setNotFoundHandler(refuse)
  const nothing = { schema: { hide: true, response: { 404: { type: 'object' } }, querystring: { type: 'object' } } }
  // Else a site that answers every path would answer these with a page.
  for (const url of ['/api', '/api/*']) app.get(url, nothing, refuse)
}

/** Returns the error for a request that no route answers. */
export function failureOf(request: FastifyRequest, known: KnownPaths): MethodNotAllowed | NotFound {
  return known.failure(request.method, pathOf(request))
}

/** The refusal of a method that the address of a request does not answer, though a route took it. */
export function refusalOf(request: FastifyRequest, known: KnownPaths): MethodNotAllowed | undefined {
  return known.refusal(request.method, pathOf(request))
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? ''
}
