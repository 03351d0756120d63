import type { IncomingMessage } from 'node:http'
import { type Allowing, guardedRequest } from '#lib/net/guarded-request.ts'
import type { Http, HttpAnswer, HttpRequest, Json } from '#module/context.ts'
import { type Granted, notGranted } from '../granted.ts'

/** The most milliseconds of a request, and bytes of an answer. */
const MOST_MS = 10_000
const MOST_BYTES = 1024 * 1024

const METHOD = /^[A-Z]{1,20}$/

/** Makes the requests that a module may send: to the hosts that it names, and to no private address. */
export function httpOf(granted: Granted, isAllowed: Allowing): Http {
  return {
    request: async (address, asked = {}) => {
      const url = new URL(address)
      mustBeNamed(granted, url)
      const answer = await guardedRequest({ ...requestOf(url, asked), isAllowed })
      if ('reason' in answer) throw new Error(`Nothing was sent to ${url.host}: ${answer.reason}.`)
      return answerOf(answer, await bytesOf(answer, url))
    },
  }
}

function mustBeNamed(granted: Granted, { hostname, host, port, protocol }: URL): void {
  const whole = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host
  const isNamed = granted.hosts.some((named) => named === whole || (named === hostname && port === ''))
  if (!isNamed) throw notGranted(granted.module, `http:${host}`, `http with ${host}`)
}

function requestOf(url: URL, { method, headers = {}, body, timeout = MOST_MS }: HttpRequest) {
  if (method !== undefined && !METHOD.test(method)) throw new TypeError('The method of a request is in capital letters.')
  const patience = Math.min(MOST_MS, Math.max(1, timeout))
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  return {
    ...{ url, method, patience, signal: AbortSignal.timeout(patience) },
    headers: { 'user-agent': 'Quire', ...headers, ...length },
    ...(body !== undefined && { body }),
  }
}

async function bytesOf(answer: IncomingMessage, url: URL): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length
      if (length > MOST_BYTES) throw new Error(`The answer of ${url.host} is larger than 1 MiB.`)
      parts.push(part)
    }
  } finally {
    answer.destroy()
  }
  return Buffer.concat(parts)
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: Buffer): HttpAnswer {
  const plain = Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
  return {
    ...{ status: statusCode, headers: Object.fromEntries(plain), body },
    text: () => body.toString(),
    json: () => JSON.parse(body.toString()) as Json,
  }
}
