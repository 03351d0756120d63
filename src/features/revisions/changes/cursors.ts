import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { ClockPlace } from './clock-events.ts'

/**
 * A place in the list of all changes: how many were looked at, from what time on (milliseconds since 1970) all was told, and how
 * much of what the clock did in the instant before that.
 */
export interface Place extends ClockPlace {
  readonly offset: number
}

/** The place of a list that begins with the newest. */
export const BEGINNING: Place = { offset: 0, before: Number.POSITIVE_INFINITY, within: 0 }

const CIPHER = 'aes-256-gcm'
const NAME = 'changes.cursor'
/** The life of a key: a cursor is for the rest of one walk through the list. */
const LIFE = 400 * 86_400_000
const [NONCE, TAG] = [12, 16]

/**
 * Writes places as texts that say nothing: what was looked at may be hidden from who gets the text. All nodes read them, by a key in
 * the ledger.
 */
export class Cursors {
  readonly #ledger: Ledger
  #key: Buffer | undefined

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  async write({ offset, before, within }: Place): Promise<string> {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv(CIPHER, await this.#read(), nonce)
    // Of one length, whatever they are.
    const text = `${String(offset).padStart(12, '0')}${String(before).padStart(15, '0')}${String(within).padStart(12, '0')}`
    return Buffer.concat([nonce, cipher.update(text, 'latin1'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  /** Returns the place of a text; undefined where it is none of this site. */
  async read(text: string): Promise<Place | undefined> {
    const bytes = Buffer.from(text, 'base64url')
    if (bytes.length !== NONCE + TAG + 39 || bytes.toString('base64url') !== text) return undefined
    const cipher = createDecipheriv(CIPHER, await this.#read(), bytes.subarray(0, NONCE))
    cipher.setAuthTag(bytes.subarray(-TAG))
    try {
      const place = `${cipher.update(bytes.subarray(NONCE, -TAG), undefined, 'latin1')}${cipher.final('latin1')}`
      return { offset: Number(place.slice(0, 12)), before: Number(place.slice(12, 27)), within: Number(place.slice(27)) }
    } catch {
      return undefined
    }
  }

  async #read(): Promise<Buffer> {
    if (this.#key) return this.#key
    if (typeof (await this.#ledger.peek(NAME)) !== 'string')
      await this.#ledger.put(NAME, randomBytes(32).toString('base64url'), LIFE)
    // Another node may have put its own.
    const key = await this.#ledger.peek(NAME)
    if (typeof key !== 'string') throw new Error('The ledger gave no key back for cursors.')
    this.#key = Buffer.from(key, 'base64url')
    return this.#key
  }
}
