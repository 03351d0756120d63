import { domainToASCII } from 'node:url'
import { composed } from '#lib/text/normal-form.ts'

/** RFC 5321 §4.5.3.1.3: a path has 256 octets, its angle brackets among them. */
const LONGEST = 254

/** RFC 5321 §4.5.3.1.1. */
const LONGEST_LOCAL = 64

/** RFC 5322 §2.1.1: a line of a message, which a mailbox is part of. */
const MOST_MAILBOX = 998

/**
 * A dot-atom (RFC 5322 §3.2.3), with letters of any script (RFC 6532): nothing that a header or a command of SMTP could take for
 * more than one address.
 */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** The domains that may be converted to ASCII: `domainToASCII` would also read escapes and ports. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/
const NUMBER = /^(?:\d+|0x[0-9a-f]*)$/

/**
 * The one mailbox that `text` names, the same however it is written: in small letters and NFC, its domain in ASCII (RFC 5891).
 * Undefined for all that is not one plain address: names, comments, quotes, groups, lists, literals of IP addresses, control
 * characters.
 */
export function plainAddress(text: string): string | undefined {
  if (text.length > 2 * LONGEST) return undefined
  const [written = '', host = '', ...more] = text.replace(/^ +| +$/g, '').split('@')
  if (more.length > 0) return undefined
  const local = normal(written)
  const domain = domainOf(normal(host))
  if (domain === undefined || !LOCAL.test(local) || Buffer.byteLength(local) > LONGEST_LOCAL) return undefined
  const address = `${local}@${domain}`
  return Buffer.byteLength(address) <= LONGEST ? address : undefined
}

/** Twice, for small letters of some capitals have marks that compose. */
function normal(text: string): string {
  return composed(composed(text).toLowerCase())
}

function domainOf(host: string): string | undefined {
  if (!DOMAIN.test(host)) return undefined
  const domain = domainToASCII(host)
  const labels = domain.split('.')
  const isName = labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? '')
  return isName ? domain : undefined
}

/** A name and an address, as a message's `From` has them. */
export interface Mailbox {
  readonly name?: string | undefined
  readonly address: string
}

/** `Quire <quire@localhost>`, `"Quire, Vienna" <quire@localhost>` or an address alone; undefined for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  if (text.length > MOST_MAILBOX) return undefined
  const [, quoted, bare, within] = /^\s*(?:"([^"\\]*)"|([^"<>,;:\\]*?))\s*<([^<>\s]+)>\s*$/.exec(text) ?? []
  const address = plainAddress(within ?? text.trim())
  const name = quoted ?? bare
  if (address === undefined || /\p{Cc}/u.test(name ?? '')) return undefined
  return name ? { name, address } : { address }
}
