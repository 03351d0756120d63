import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { JSON_UTF8 } from '../answers/answers.ts'
import { type ErrorAnswer, plainError } from './errors.ts'

/** The property that Node keeps on a socket while a request on it is answered. */
interface Answering {
  readonly _httpMessage?: ServerResponse | null
}

/**
 * Answers what Node's parser refuses before there is a request (malformed HTTP, time-outs, large headers) in the shape of all
 * errors.
 */
export function onClientError(nextId: () => string): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // An answer that has begun can't be followed by another to the same request: Node itself tells it so.
    const begun = (socket as Answering)._httpMessage?.headersSent
    if (!socket.writable || begun) socket.destroy()
    else socket.end(rawAnswer(answerTo(error.code), nextId()), () => socket.destroy())
  }
}

/** Refuses what a client expects beyond `100-continue`, in the shape of all errors. */
export function refuseExpectations(server: Server, nextId: () => string): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = plainError(417, 'Nothing but 100-continue can be expected.')
    const text = JSON.stringify(body)
    const length = Buffer.byteLength(text)
    response.writeHead(status, {
      'content-type': JSON_UTF8,
      'content-length': length,
      'x-request-id': nextId(),
      connection: 'close',
    })
    response.end(text)
  })
}

/** Refuses to be a proxy (CONNECT), in the shape of all errors; Node would hang up without a word. */
export function refuseTunnels(server: Server, nextId: () => string): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => undefined)
    socket.end(rawAnswer(plainError(405, 'This server is no proxy.'), nextId(), ['Allow: GET, HEAD']), () => socket.destroy())
  })
}

function answerTo(code: string | undefined): ErrorAnswer {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return plainError(408, 'The request took too long to arrive.')
  if (code === 'HPE_HEADER_OVERFLOW') return plainError(431, 'The headers are too large.')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return plainError(413, 'The body is too large.')
  return plainError(400, 'The request is not HTTP that can be understood.')
}

function rawAnswer({ status, body }: ErrorAnswer, id: string, more: readonly string[] = []): string {
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    `Content-Type: ${JSON_UTF8}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    ...more,
  ]
  return `${head.join('\r\n')}\r\n\r\n${text}`
}
