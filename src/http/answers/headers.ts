import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { BadRequest } from '#lib/errors.ts'

/**
 * Sets the headers of every answer; and once the server is to end (`begun`), `Connection: close`: kept-alive connections would
 * hold it up.
 */
export function useHeaders(app: FastifyInstance): { readonly begun: boolean } {
  const draining = { begun: false }
  // Node leaves out what comes after 2,000 lines, which may be what a proxy adds, or a second Host; all of them have 16 KiB at
  // most.
  app.server.maxHeadersCount = 0
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const fault = hostFault(raw)
    // Proxies in between may have read this request otherwise, and so see another beginning of the next one on this connection.
    if (fault !== undefined) reply.header('connection', 'close')
    done(fault === undefined ? undefined : new BadRequest(fault))
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

/** A name or an address, and a port: what follows `//` in an address, without a user (RFC 9110 §7.2). Empty is one, too. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?$/

/** A request target that names its host, as clients send it to proxies (RFC 9112 §3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i

/**
 * Returns the path and the query of a request's target. Where that names a host, it is the request's, whatever its Host header
 * says.
 */
export function originForm({ url = '/', headers }: IncomingMessage): string {
  const [whole, host] = ABSOLUTE.exec(url) ?? []
  if (whole === undefined || host === undefined) return url
  headers.host = host
  const rest = url.slice(whole.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Describes the problem with the host of a request (RFC 9112 §3.2) in a sentence. Node itself answers a request without one with
 * an empty body, and takes the first of two.
 */
function hostFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const sent: string[] = []
  for (let n = 0; n < rawHeaders.length; n += 2)
    if (rawHeaders[n]?.length === 4 && rawHeaders[n]?.toLowerCase() === 'host') sent.push(rawHeaders[n + 1] ?? '')
  if (sent.length === 0 && httpVersion === '1.1') return 'The Host header is missing.'
  if (sent.length > 1) return 'The Host header is there twice.'
  const { host = '' } = headers
  return [...sent, host].every((one) => HOST.test(one)) ? undefined : 'The Host header is not a name with or without a port.'
}
