import { domainToASCII } from 'node:url'

/** RFC 5321, 4.5.3.1: the most octets of what stands before the @, and of an address that fits between the angle brackets of a path. */
const LONGEST_LOCAL = 64
const LONGEST = 254

/** A dot-atom of RFC 5322, 3.2.3, letters beyond ASCII as RFC 6532 has it: no quotes, comments, groups, brackets, no sign that parts addresses, no space. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A text as one plain address (`ada@example.org`): in small letters, in NFC, its domain as ASCII (IDNA). Undefined for anything else: what some program
 * might read as two addresses, or as another, is none.
 */
export function plainAddress(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  const [local = '', domain = '', ...more] = text.toLowerCase().normalize('NFC').split('@')
  if (more.length > 0 || !LOCAL.test(local) || Buffer.byteLength(local) > LONGEST_LOCAL) return undefined
  const host = plainDomain(domain)
  const address = `${local}@${host}`
  return host === undefined || Buffer.byteLength(address) > LONGEST ? undefined : address
}

/** What a browser would also read as a host, such as `%65xample.org` or `0x7f.1`, is no domain. */
function plainDomain(text: string): string | undefined {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined
  const host = domainToASCII(text)
  const labels = host.split('.')
  return labels.every((label) => LABEL.test(label)) && /[a-z]/.test(labels.at(-1) ?? '') ? host : undefined
}
