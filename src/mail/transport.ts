import type { Mailbox } from '#core/address.ts'
import type { HealthProblem } from '#core/backend.ts'
import { Unavailable } from '#lib/errors.ts'

/** A message as it is sent, to one recipient. Values for headers (names, the subject) are one line without control characters. */
export interface RenderedMessage {
  /** Without the angle brackets of a Message-ID. */
  readonly id: string
  readonly date: Date
  readonly from: Mailbox
  readonly to: Mailbox
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A way to send messages. */
export interface Transport {
  /** True if messages stay on this machine, to be read by its user. */
  readonly keeps: boolean
  /**
   * Delivers a message; returns where it is now, for a person to read. Throws Undelivered if it was not accepted, and stops when
   * `signal` is aborted.
   */
  deliver(message: RenderedMessage, signal: AbortSignal): Promise<string>
  /** Reports on the transport, for an operator. It sends nothing. */
  examine(): Promise<HealthProblem>
}

/** 503: a message was not accepted. The error names no person's address, and nothing of the message's content. */
export class Undelivered extends Unavailable {
  /** True if it would be rejected again. It is then not retried. */
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean, hint?: string) {
    super(message, 60, hint)
    this.isFinal = isFinal
  }
}
