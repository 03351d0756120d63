import type { IncomingMessage } from 'node:http'
import type { Clock } from '#lib/clock.ts'
import { type Allowing, addressFault, guardedRequest } from '#lib/net/guarded-request.ts'
import type { Answer, Sent } from '../delivery-store.ts'
import { type Secrets, signatureOf } from '../secrets.ts'

/** Milliseconds that a receiver has to answer. */
export const PATIENCE_MS = 10_000
/** Bytes of an answer that are read: the rest is left unread. */
const READ = 1024

/** The dependencies of a sender. */
export interface SenderDeps {
  readonly clock: Clock
  /** Returns whether events may be sent to an address of the network. */
  readonly isAllowed: Allowing
  readonly patience: number
}

/** The receiver of a message, and the secrets that it is signed with. */
export interface Receiver {
  readonly url: string
  readonly secrets: Secrets
  readonly mayBePrivate: boolean
}

/** Sends events by the rules of Standard Webhooks 1. */
export class Sender {
  readonly #deps: SenderDeps

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** Returns the reason why nothing is sent to an address that somebody gave, as the end of a sentence; undefined where it may be. */
  faultOf(url: string): string | undefined {
    return addressFault(new URL(url), this.#deps.isAllowed) && 'must not be an address in a private network.'
  }

  /**
   * Sends an event, and resolves with what was answered, or why nothing was; redirects are answers, and not followed. Rejects
   * where `signal` is aborted.
   */
  async send({ event }: Sent, { url, secrets, mayBePrivate }: Receiver, signal: AbortSignal): Promise<Answer> {
    const { clock, isAllowed, patience } = this.#deps
    const body = JSON.stringify(event)
    const at = clock.now()
    const timeout = AbortSignal.timeout(patience)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Quire',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signatureOf(secrets, { id: event.id, at, body }),
    }
    const allowing = mayBePrivate ? () => true : isAllowed
    const asked = { url: new URL(url), isAllowed: allowing, signal: AbortSignal.any([signal, timeout]), headers, body, patience }
    try {
      const answer = await guardedRequest(asked)
      if ('reason' in answer) return { status: null, body: `Nothing was sent: ${answer.reason}.` }
      return { status: answer.statusCode ?? null, body: await beginningOf(answer) }
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) return { status: null, body: `There was no answer within ${patience / 1000} seconds.` }
      return { status: null, body: `There was no answer: ${error instanceof Error ? error.message : String(error)}` }
    }
  }
}

/** Returns whether a receiver has taken an event. */
export function isTaken({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300
}

/** The first KiB of an answer, as far as it comes in time; the connection ends with it. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, READ - length))
      length += part.length
      if (length >= READ) break
    }
  } catch {
    // The status has come: that is what counts.
  } finally {
    answer.destroy()
  }
  // A letter that is cut in two is left out.
  return new TextDecoder().decode(Buffer.concat(parts), { stream: true })
}
