import type { Fields } from '#lib/json.ts'
import type { HealthProblem } from './backend.ts'
import type { Workers } from './jobs/jobs.ts'

/**
 * The values of each message's templates, `templates/mail/<name>.*`, besides those that all have: the site, and the name of the
 * recipient.
 */
export interface MessageValues {
  readonly code: { readonly code: string; readonly minutes: number }
  readonly link: { readonly link: string; readonly minutes: number }
  readonly invitation: { readonly link: string; readonly days: number }
  readonly 'password-changed': Readonly<Record<never, never>>
  /** `amount` and `due` (a day) are words of the site's language; `link` leads to the invoice. */
  readonly invoice: { readonly number: string; readonly amount: string; readonly due: string; readonly link: string }
  /** As of an invoice, and the day on which the subscription ends where it stays unpaid; empty where that is not known. */
  readonly 'past-due': MessageValues['invoice'] & { readonly ends: string }
  readonly 'past-due-reminder': MessageValues['past-due']
  /** `host` is that of the receiver; `link` leads to what it answered. */
  readonly 'webhook-disabled': { readonly host: string; readonly link: string }
  /** A letter of a module, in its own words. */
  readonly module: { readonly subject: string; readonly text: string }
}

/** The name of a message's templates. */
export type MessageName = keyof MessageValues

/**
 * A message to be sent. It is stored until it was sent, so it holds no secret: a code or a link is made when it is composed.
 * `template` names a set of templates, and the composer; `to` is one plain address; `data` is for the composer.
 */
export interface Message {
  readonly template: MessageName
  readonly to: string
  readonly data: Fields
  /**
   * The time, in milliseconds since 1970, after which the message is of no use and is dropped if it has not been sent. If absent,
   * it is dropped after about a day of trying.
   */
  readonly until?: number
}

/** The content of a message: the values for its templates. */
export interface Composed<N extends MessageName = MessageName> {
  /** The display name for the address. */
  readonly name?: string
  readonly values: MessageValues[N]
  /**
   * The code or link that the message is for. It is shown on the terminal of a server that has no mail server and that only this
   * machine reaches.
   */
  readonly shown: string
}

/**
 * Composes a message at the time it is sent; undefined if nothing is to be sent (nobody has the address, or it is too late). It
 * is called again if the message could not be delivered: what it made before is then void.
 */
export type Compose<N extends MessageName = MessageName> = (message: Message) => Promise<Composed<N> | undefined>

/** The composers of all messages. */
export type Composers = { readonly [N in MessageName]: Compose<N> }

/** The queue of messages. */
export interface Mailer {
  /** Queues a message: stored when this resolves, and sent after. Throws InvalidInput if `to` is not one plain address. */
  send(message: Message): Promise<void>
}

/** A message that was sent, and where it is now, for a person to read. */
export interface Delivered {
  readonly place: string
}

/** The mail of a site: what is queued, who composes it, and what sends it. */
export interface Mail extends Mailer {
  /** The workers that send what is queued. */
  readonly workers: Workers
  /** Registers composers of messages by the names of their templates. */
  composes(composers: Partial<Composers>): void
  /**
   * Composes a message and delivers it at once; undefined if nothing is to be sent. Throws InvalidInput as `send` does, and
   * Unavailable if it was not accepted.
   */
  deliver(message: Message): Promise<Delivered | undefined>
  /** Reports on what sends messages, for an operator. It sends nothing. */
  examine(): Promise<HealthProblem>
}
