import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Signed } from '../rendering/pages.ts'

/** Milliseconds in which the page that shows a secret has to be opened. */
const LIFE = 2 * 60_000

/** A secret that a page shows, once. */
export interface ShownSecret {
  readonly name: string
  readonly key: string
}

/** Hands a new secret to the next list of its resource, in the session that made it: sealed by the session's own secret, and read once. */
export class ShownOnce {
  readonly #ledger: Ledger

  constructor({ ledger }: { ledger: Ledger }) {
    this.#ledger = ledger
  }

  /** Keeps a secret for the next page. */
  async keep(signed: Signed, resource: string, secret: ShownSecret): Promise<void> {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', keyOf(signed), iv)
    const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(secret)), cipher.final(), cipher.getAuthTag()])
    await this.#ledger.put(nameOf(signed, resource), sealed.toString('base64url'), LIFE)
  }

  /** Takes out what was kept for this session; undefined where there is nothing. */
  async take(signed: Signed, resource: string): Promise<ShownSecret | undefined> {
    const kept = await this.#ledger.take(nameOf(signed, resource))
    if (typeof kept !== 'string') return undefined
    const bytes = Buffer.from(kept, 'base64url')
    const decipher = createDecipheriv('aes-256-gcm', keyOf(signed), bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(-16))
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString())
  }
}

function keyOf({ secret }: Signed): Buffer {
  return createHmac('sha256', secret).update('shown once').digest()
}

function nameOf({ session }: Signed, resource: string): string {
  return `panel.shown.${session.id}.${resource}`
}
