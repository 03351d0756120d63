import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^cms_[0-9A-Za-z]{46}$/
const SECRET = 40
const CHECK = 6

/** Gives a whole number from 0 to below `max`, from a secure source unless a test brings another. */
export type RandomInt = (max: number) => number

/** The machine's secure source. */
export const secureRandom: RandomInt = (max) => randomInt(max)

/** A new token: `cms_`, 40 random base62 characters, and their CRC-32 (as zlib has it) as a base62 number of 6 places. */
export function makeToken(random: RandomInt): string {
  let secret = ''
  while (secret.length < SECRET) secret += ALPHABET.charAt(random(ALPHABET.length))
  return `cms_${secret}${checksum(secret)}`
}

/** Returns whether a text has a token's form and a valid checksum. Any other text needs no look-up. */
export function isToken(text: string): boolean {
  return FORM.test(text) && checksum(text.slice(4, 4 + SECRET)) === text.slice(-CHECK)
}

/** SHA-256 of a token, 64 hex digits: all that is ever stored of it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

function checksum(secret: string): string {
  let rest = crc32(secret)
  let digits = ''
  while (digits.length < CHECK) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
