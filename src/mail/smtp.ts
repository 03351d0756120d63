import type { NodemailerError, SMTPTransportOptions } from 'nodemailer'
import type { HealthProblem } from '#core/backend.ts'
import { isLoopbackHost } from '#lib/secure-address.ts'
import { mimeOf } from './mime.ts'
import { type RenderedMessage, type Transport, Undelivered } from './transport.ts'

/** `mail.smtp` of the configuration. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** TLS from the start; else by STARTTLS. */
  readonly secure: boolean
  readonly user?: string | undefined
  readonly password?: string | undefined
}

/** Timeouts in milliseconds. */
export interface Patience {
  /** Until there is a connection and the server has said who it is. */
  readonly connection: number
  /** Without a word from the server. */
  readonly silence: number
  /** All in all. */
  readonly whole: number
}

const PATIENCE: Patience = { connection: 15_000, silence: 30_000, whole: 90_000 }
/** The port for who hands in mail (RFC 6409): its servers offer STARTTLS, and one that doesn't is not who it should be. */
const SUBMISSION = 587

/** Sends messages by a mail server. */
export class SmtpTransport implements Transport {
  readonly keeps = false
  readonly #settings: SmtpSettings
  readonly #patience: Patience
  readonly #name: string | undefined

  /** `siteHost` is the client's name for the server's greeting, if it is a domain. */
  constructor(settings: SmtpSettings, siteHost: string, patience: Patience = PATIENCE) {
    this.#settings = settings
    this.#patience = patience
    this.#name = /\.[a-z][a-z0-9-]*$/.test(siteHost) ? siteHost : undefined
  }

  async deliver(message: RenderedMessage, signal: AbortSignal): Promise<string> {
    const { createTransport } = await import('nodemailer')
    const ends = AbortSignal.any([signal, AbortSignal.timeout(this.#patience.whole)])
    try {
      await createTransport(this.#options()).sendMail({ ...mimeOf(message), signal: ends })
      return this.#place
    } catch (error) {
      throw this.#undelivered(error)
    }
  }

  async examine(): Promise<HealthProblem> {
    const { createTransport } = await import('nodemailer')
    try {
      await createTransport(this.#options()).verify()
      return { name: 'mail', state: 'ok', says: `${this.#place} answers${this.#terms()}.` }
    } catch (error) {
      const { message, hint } = this.#undelivered(error)
      return { name: 'mail', state: 'todo', says: message, ...(hint && { hint }) }
    }
  }

  /**
   * True if a message is sent encrypted or not at all: always, except on this machine itself, and from relay to relay if nobody
   * signs in.
   */
  get needsTls(): boolean {
    const { host, port, secure, user } = this.#settings
    return secure || (!isLoopbackHost(host) && (port === SUBMISSION || user !== undefined))
  }

  get #place(): string {
    return `${this.#settings.host}:${this.#settings.port}`
  }

  #terms(): string {
    const { user, secure } = this.#settings
    const tls = this.needsTls ? `, by ${secure ? 'TLS' : 'STARTTLS'}` : ''
    return user === undefined ? tls : `${tls}, and knows ${user}`
  }

  /** Requires TLS over a network, for passwords and messages alike; on the machine itself there is none. */
  #options(): SMTPTransportOptions {
    const { host, port, secure, user, password } = this.#settings
    return {
      ...{ host, port, secure },
      requireTLS: !secure && this.needsTls,
      tls: { rejectUnauthorized: !isLoopbackHost(host) },
      connectionTimeout: this.#patience.connection,
      greetingTimeout: this.#patience.connection,
      dnsTimeout: this.#patience.connection,
      socketTimeout: this.#patience.silence,
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      ...(this.#name !== undefined && { name: this.#name }),
    }
  }

  #undelivered(error: unknown): Undelivered {
    const failure = error as NodemailerError
    const isFinal = isRefused(failure)
    const what = isFinal ? 'refused a message' : 'took no message'
    return new Undelivered(`The mail server ${this.#place} ${what} (${reasonOf(failure)}).`, isFinal, hintFor(failure))
  }
}

const WHERE = 'Look at host, port and secure (true for port 465 alone) of mail.smtp; a firewall may be in the way.'
const HINTS: Readonly<Record<string, string>> = {
  EAUTH: 'Look at mail.smtp.user and mail.smtp.password.',
  ENOAUTH: 'It wants to know who sends: give mail.smtp.user and mail.smtp.password.',
  ETLS: 'It must offer STARTTLS, or with secure: true speak TLS from the start (port 465).',
  EDNS: 'Look at mail.smtp.host.',
  ESOCKET: WHERE,
  ECONNECTION: WHERE,
  ETIMEDOUT: WHERE,
}

function hintFor({ code, responseCode, message }: NodemailerError): string | undefined {
  if (responseCode === undefined && /certificate|altnames/i.test(message)) {
    return 'Its certificate must be good for mail.smtp.host: of an authority that Node knows, or one that NODE_EXTRA_CA_CERTS names.'
  }
  return HINTS[responseCode === 530 ? 'ENOAUTH' : (code ?? '')]
}

/**
 * Returns whether an error is final: replies that begin with 5 are (RFC 5321 §4.2.1). A sign-in that failed or is missing is not
 * the message's problem, and may be mended.
 */
function isRefused({ code, permanent, responseCode }: NodemailerError): boolean {
  return permanent === true && responseCode !== 530 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}

/** The server's own words often hold the address, so of those there are only the codes (RFC 3463). */
function reasonOf({ responseCode, response, originalCode, code, timeoutType, message }: NodemailerError): string {
  if (responseCode !== undefined) {
    const [, enhanced] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? '') ?? []
    return enhanced === undefined ? `${responseCode}` : `${responseCode} ${enhanced}`
  }
  if (code === 'ETLS' || code === 'ESOCKET') return message
  return timeoutType ?? originalCode ?? code ?? message
}
