import type { SendMailOptions } from 'nodemailer'
import type { Mailbox } from '#core/address.ts'
import type { RenderedMessage } from './transport.ts'

/**
 * A message as nodemailer takes it: text and HTML as alternatives (RFC 2046, 5.1.4), one recipient in the envelope and in `To`.
 * `Auto-Submitted` (RFC 3834) keeps other programs from answering.
 */
export function mimeOf({ id, date, from, to, subject, text, html }: RenderedMessage): SendMailOptions {
  return {
    from: addressOf(from),
    to: addressOf(to),
    envelope: { from: from.address, to: [to.address] },
    messageId: `<${id}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    // Nothing in a message may name a file, or an address to fetch it from.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...{ date, subject, text, html },
  }
}

/** Never a text: nodemailer reads as many addresses out of one as it can find. */
function addressOf({ name, address }: Mailbox): { name: string; address: string } {
  return { name: name ?? '', address }
}
