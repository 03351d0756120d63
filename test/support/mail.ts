import type { AddressInfo } from 'node:net'
import { domainToASCII } from 'node:url'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/** A message as a mail server got it. */
export interface ReceivedMessage {
  /** The envelope. */
  readonly from: string
  readonly to: readonly string[]
  readonly isSecure: boolean
  /** The user that signed in; undefined if nobody did. */
  readonly user: string | undefined
  readonly raw: string
  /** The headers by their names in small letters, unfolded, in UTF-8 (RFC 6532); of two of a name, both. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly text: string
  readonly html: string
}

/** Answers to give before messages are taken: for each, the next `RCPT` is refused with this code and sentence. */
export type Refusal = readonly [code: number, sentence: string]

/** The server reads domains of ASCII as what they stand for; this is what went over the wire. */
function asSent(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 0 ? address : `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}

/** A server that greets at once: others first wait a tenth of a second for clients that talk too soon. */
class PromptServer extends SMTPServer {
  override connect(...[socket, options]: Parameters<SMTPServer['connect']>): void {
    super.connect(socket, options)
    const connection = [...this.connections].at(-1)
    connection?.connectionReady()
    if (connection) connection.connectionReady = () => undefined
  }
}

/** A real mail server on loopback. */
export class MailServer {
  readonly messages: ReceivedMessage[] = []
  /** Every recipient that was asked for, also those refused. */
  readonly recipients: string[] = []
  readonly refusals: Refusal[] = []
  readonly #server: SMTPServer
  readonly #waiting = new Set<() => void>()

  constructor(options: SMTPServerOptions) {
    this.#server = new PromptServer({
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      ...options,
      onRcptTo: ({ address }, _, callback) => {
        this.recipients.push(asSent(address))
        this.#wake()
        const refusal = this.refusals.shift()
        callback(refusal && Object.assign(new Error(refusal[1]), { responseCode: refusal[0] }))
      },
      onData: (stream, session, callback) => {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => {
          this.#take(Buffer.concat(parts).toString('latin1'), session)
          callback(null)
        })
      },
    })
    // A client that lets go is what some tests are about.
    this.#server.on('error', () => undefined)
  }

  /** Listens on `port`, else on any that is free. */
  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', () => resolve()))
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port
  }

  /** Resolves with the nth message (from 1), now or when it has come. */
  async message(n = 1): Promise<ReceivedMessage> {
    for (;;) {
      const message = this.messages[n - 1]
      if (message) return message
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /** Resolves when so many recipients have been asked for. */
  async asked(n: number): Promise<void> {
    while (this.recipients.length < n) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async close(): Promise<void> {
    for (const connection of this.#server.connections) connection.close()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #take(raw: string, { envelope, secure, user }: SMTPServerSession): void {
    const { headers, body } = partOf(raw)
    const [text = '', html = ''] = alternativesOf(headers, body)
    const from = envelope.mailFrom ? envelope.mailFrom.address : ''
    const to = envelope.rcptTo.map(({ address }) => asSent(address))
    this.messages.push({ from, to, isSecure: secure, user: user as string | undefined, raw, headers, text, html })
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}

/** Starts a mail server that ends with the test. */
export async function mailServer(
  t: { teardown(work: () => Promise<void>): unknown },
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const server = new MailServer(options)
  await server.listen()
  t.teardown(() => server.close())
  return server
}

function partOf(raw: string): { headers: Map<string, string[]>; body: string } {
  const end = raw.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    const read = Buffer.from(value, 'latin1').toString()
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), read])
  }
  return { headers, body: raw.slice(end + 4) }
}

function alternativesOf(headers: ReadonlyMap<string, readonly string[]>, body: string): string[] {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers.get('content-type')?.[0] ?? '') ?? []
  const parts = body.split(`--${boundary}`).slice(1, -1)
  return parts.map((part) => {
    const { headers, body } = partOf(part.replace(/^\r\n/, ''))
    return decoded(body, headers.get('content-transfer-encoding')?.[0] ?? '7bit')
  })
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString()
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
