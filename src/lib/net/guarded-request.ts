import { lookup } from 'node:dns'
import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

/** Returns whether a connection may be made to an IP address. */
export type Allowing = (address: string) => boolean

/** An HTTP request to an address that somebody else wrote. */
export interface GuardedRequest {
  readonly url: URL
  readonly isAllowed: Allowing
  readonly signal: AbortSignal
  readonly headers?: OutgoingHttpHeaders
  /** By default POST with a body, and GET without one. */
  readonly method?: string | undefined
  readonly body?: string | Uint8Array
  /** Milliseconds without a byte after which the connection ends. */
  readonly patience: number
}

const PRIVATE_NAME = 'its name stands for a private address'

/**
 * Sends a request over http or https, and resolves with the answer once its headers are there, or with the reason why none was
 * sent. Each address that the name stands for is looked at, and the connection goes to those very addresses: a name that stands
 * for another address a moment later is of no use (DNS rebinding). Redirects are not followed. Rejects where the network fails.
 */
export function guardedRequest(asked: GuardedRequest): Promise<IncomingMessage | { readonly reason: string }> {
  const { url, isAllowed, signal, headers, body, patience } = asked
  const reason = addressFault(url, isAllowed)
  if (reason !== undefined) return Promise.resolve({ reason })
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const method = asked.method ?? (body === undefined ? 'GET' : 'POST')
    const sent = request(url, { method, lookup: lookupOf(isAllowed), signal, headers, agent: false })
    sent.setTimeout(patience, () => sent.destroy(new Error('It takes too long.')))
    sent.on('response', resolve)
    sent.on('error', (error) => (error.message === PRIVATE_NAME ? resolve({ reason: PRIVATE_NAME }) : reject(error)))
    sent.end(body)
  })
}

/** Returns the reason why nothing would be sent to an address, as far as it is seen without a look at its name's addresses. */
export function addressFault({ protocol, hostname, username, password }: URL, isAllowed: Allowing): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'only http and https are fetched'
  if (username !== '' || password !== '') return 'the address has a password'
  // An address in place of a name is not looked up.
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || isAllowed(host) ? undefined : 'the address is a private one'
}

/** Looks a name up for a connection, and refuses it where one of its addresses is not allowed. */
function lookupOf(isAllowed: Allowing): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const [one] = found ?? []
      if (error || !one) return callback(error ?? new Error('The name is not known.'), '', 0)
      if (!found.every(({ address }) => isAllowed(address))) return callback(new Error(PRIVATE_NAME), '', 0)
      return options.all ? callback(null, found) : callback(null, one.address, one.family)
    })
  }
}
