import { lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Fetcher } from './fetching.ts'

/** Milliseconds that an answer, and each part of it, may take to come. */
const PATIENCE_MS = 20_000
/** Milliseconds for all of it. */
const LONGEST_MS = 5 * 60_000
const MOST_REDIRECTS = 5

/** Addresses that are not of the public internet (IANA's registries of special purpose), those that stand for IPv4 among them. */
const PRIVATE = new BlockList()
for (const [net, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
  ] as const),
  ...([
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
  ] as const),
  ...([
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
])
  PRIVATE.addSubnet(net, bits, 'ipv4')

/** Global unicast, without the parts of it that lead to others: Teredo, 6to4, documentation. */
const PUBLIC_6 = new BlockList()
PUBLIC_6.addSubnet('2000::', 3, 'ipv6')
const APART_6 = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2002::', 16],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const)
  APART_6.addSubnet(net, bits, 'ipv6')

/** Returns whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !PRIVATE.check(address, 'ipv4')
  return family === 6 && PUBLIC_6.check(address, 'ipv6') && !APART_6.check(address, 'ipv6')
}

/** Returns whether a connection may be made to an IP address. */
export type Allowing = (address: string) => boolean

/** Fetches from the public internet alone. */
export const publicFetcher: Fetcher = fetcherTo(isPublicAddress)

/**
 * Returns what fetches over http and https from the addresses that are allowed: each redirect is looked at anew, and a name is
 * connected to at the very address that was looked at.
 */
export function fetcherTo(isAllowed: Allowing): Fetcher {
  const lookup = lookupOf(isAllowed)
  return async (first, asked) => {
    const signal = AbortSignal.any([asked, AbortSignal.timeout(LONGEST_MS)])
    let url = first
    for (let n = 0; n <= MOST_REDIRECTS; n++) {
      const fault = faultOf(url, isAllowed)
      if (fault !== undefined) return { reason: fault }
      const answer = await answerOf(url, signal, lookup)
      if ('reason' in answer) return answer
      if (answer.statusCode === 200) return answer
      answer.destroy()
      const next = redirectOf(answer, url)
      if (!next) return { reason: `the answer is ${answer.statusCode}` }
      url = next
    }
    return { reason: `more than ${MOST_REDIRECTS} redirects` }
  }
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}

function faultOf({ protocol, hostname, username, password }: URL, isAllowed: Allowing): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'only http and https are fetched'
  if (username !== '' || password !== '') return 'the address has a password'
  // An address in place of a name is not looked up.
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 || isAllowed(host) ? undefined : 'the address is a private one'
}

function answerOf(url: URL, signal: AbortSignal, lookup: LookupFunction): Promise<IncomingMessage | { reason: string }> {
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const sent = request(url, { lookup, signal, headers: { accept: 'image/*' }, agent: false })
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error('It takes too long.')))
    sent.on('response', resolve)
    sent.on('error', (error) => (error.message === PRIVATE_NAME ? resolve({ reason: PRIVATE_NAME }) : reject(error)))
    sent.end()
  })
}

const PRIVATE_NAME = 'its name stands for a private address'

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
