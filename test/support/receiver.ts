import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** A message that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // The tests say what they expect of it.
  // biome-ignore lint/suspicious/noExplicitAny: a test's assertions are its types
  readonly event: any
}

/** Answers a message. */
export type Answering = (response: ServerResponse, received: Received) => void

/** A server that events are sent to, which ends with the test. */
export class Receiver {
  /** All that came, in order. */
  readonly got: Received[] = []
  /** Answers what comes from now on. */
  answer: Answering = (response) => response.end()
  readonly url: string

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}/hooks`
  }

  static async listen(t: Test): Promise<Receiver> {
    let receiver: Receiver | undefined
    const server = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      const text = Buffer.concat(parts).toString()
      const received = { headers: request.headers, text, event: JSON.parse(text) }
      receiver?.got.push(received)
      receiver?.answer(response, received)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    receiver = new Receiver((server.address() as AddressInfo).port)
    return receiver
  }

  /** Takes out what came: types and ids of things, in order. */
  take(): string[] {
    return this.got.splice(0).map(({ event }) => `${event.type} ${event.data.id}`)
  }
}

/** The signatures that a secret makes of a message, as Standard Webhooks 1 has it. */
export function signatureBy(secret: string, { headers, text }: Received): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
