import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { type Key, type Kind, keyText } from '#core/key.ts'
import { BadConfig, Unreadable } from '#lib/errors.ts'

/** Private kinds that hold secrets to sign with: read access to the database alone must not be enough to sign. */
const SEALED: ReadonlySet<Kind> = new Set(['.keys', '.webhook-secrets'])

const MIN_SECRET = 32

/**
 * The layout of sealed bytes: one byte for the method, eight for the secret, a nonce, the bytes themselves, a tag of 16 bytes.
 */
const WAY = 1
const MARK_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const HEAD_BYTES = 1 + MARK_BYTES
const CIPHER = 'aes-256-gcm'

/**
 * Seals bytes with a secret that is not in the database (AES-256-GCM, by a key made of the secret), so that they can be read only
 * with it, only unchanged, and only as the document they were sealed for.
 */
export class Sealing {
  readonly #key: Buffer
  /** The method and an identifier of the secret, so that another secret is told from bytes that were changed. */
  readonly #head: Buffer

  /** Throws BadConfig for a secret of less than 32 bytes. */
  constructor(secret: string) {
    if (Buffer.byteLength(secret) < MIN_SECRET) {
      throw new BadConfig(
        secret === '' ? 'CMS_SECRET is not set.' : `CMS_SECRET has less than ${MIN_SECRET} bytes.`,
        undefined,
        'Make one with `openssl rand -base64 32`, give it to every node, and keep it: what is sealed with it is lost without it.',
      )
    }
    this.#key = derived(secret, 'key', 32)
    this.#head = Buffer.concat([Buffer.of(WAY), derived(secret, 'mark', MARK_BYTES)])
  }

  /** Returns whether documents of a kind are sealed in the database. */
  isSealed(kind: Kind): boolean {
    return SEALED.has(kind)
  }

  /** Seals the bytes of the document of `key`. The same bytes are sealed differently each time. */
  seal(key: Key, bytes: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(this.#bound(key))
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([this.#head, nonce, ...sealed, cipher.getAuthTag()])
  }

  /**
   * The bytes that were sealed for `key`. Throws BadConfig where the secret was another, Unreadable where they were changed or
   * are another document's.
   */
  open(key: Key, sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    const body = bytes.subarray(HEAD_BYTES + NONCE_BYTES, -TAG_BYTES)
    if (bytes.length < HEAD_BYTES + NONCE_BYTES + TAG_BYTES || bytes[0] !== WAY) throw damaged(key)
    if (!bytes.subarray(0, HEAD_BYTES).equals(this.#head)) throw otherSecret(key)
    const nonce = bytes.subarray(HEAD_BYTES, HEAD_BYTES + NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(this.#bound(key)).setAuthTag(bytes.subarray(-TAG_BYTES))
    try {
      return Buffer.concat([decipher.update(body), decipher.final()])
    } catch {
      throw damaged(key)
    }
  }

  #bound(key: Key): Buffer {
    return Buffer.concat([this.#head, Buffer.from(keyText(key))])
  }
}

function derived(secret: string, use: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, 'quire sealing', use, length))
}

function otherSecret(key: Key): BadConfig {
  return new BadConfig(
    `CMS_SECRET is another than the one that ${keyText(key)} was sealed with.`,
    undefined,
    'Set it to the secret that the site has had until now; every node has the same.',
  )
}

function damaged(key: Key): Unreadable {
  return new Unreadable(`What the database holds of ${keyText(key)} was changed by another hand, or damaged.`)
}
