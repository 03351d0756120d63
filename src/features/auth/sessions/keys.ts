import { randomBytes } from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import type { Author, Document } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'
import type { AuditedThing } from '../../audited-thing.ts'

const KIND = '.keys'

/** Keys as the audit log tells of them. */
export const AUDITED_KEYS: AuditedThing = { kind: KIND, sort: 'key', names: {} }

/** The one algorithm that is signed with and read: EdDSA over Ed25519 (RFC 8037). */
export const ALGORITHM = 'EdDSA'

/** Lifetime of an access token, in seconds. */
export const TOKEN_LIFE = 15 * 60

/**
 * Milliseconds that a replaced key still verifies tokens: the lifetime of what it signed, plus the difference between the clocks
 * of nodes.
 */
const AFTERLIFE = (TOKEN_LIFE + 60) * 1000

/** Milliseconds that cached keys are trusted, since other processes of the same site may change them. */
const TRUST = 500

/** The author of the first key. */
const BY: Author = { name: 'Quire', email: 'quire@localhost' }

/** A key to sign with, and to read what it signed. */
export interface SigningKey {
  /** Its name in the headers of tokens: `kid`. */
  readonly id: string
  readonly created: number
  readonly publicJwk: JWK
  readonly publicKey: CryptoKey
  readonly privateKey: CryptoKey
}

/**
 * The keys of a site (jose is loaded when one is needed): the newest signs, those before are read by until all they signed is
 * over. The first is made when it is needed.
 */
export class Keys {
  readonly #store: Store
  readonly #clock: Clock
  readonly #imported = new Map<string, SigningKey>()
  #known: { readonly keys: readonly SigningKey[]; readonly until: number } | undefined
  #making: Promise<SigningKey> | undefined
  #reading: Promise<readonly SigningKey[]> | undefined

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** The key that signs now. */
  async signing(): Promise<SigningKey> {
    const [newest] = await this.#all()
    if (newest) return newest
    // Of many that find none at once, one makes it.
    this.#making ??= this.#make(BY, [], []).finally(() => {
      this.#making = undefined
    })
    return this.#making
  }

  /** The key of that name, if what it signed may still be good. */
  async find(id: string): Promise<SigningKey | undefined> {
    const known = (await this.#all()).find((key) => key.id === id)
    // Another node may have made it a moment ago.
    return known ?? (await this.#read()).find((key) => key.id === id)
  }

  /** Resolves with the keys that others need to verify tokens of this site (RFC 7517): public parts only. */
  async published(): Promise<JWK[]> {
    const keys = await this.#all()
    return (keys.length > 0 ? keys : [await this.signing()]).map(({ publicJwk }) => publicJwk)
  }

  /**
   * Makes the key that signs from now on, and gives its name. With `revoke`, what was signed before is refused from now on; else
   * it lives out its time.
   */
  async rotate(by: Author, revoke = false): Promise<string> {
    const before = await this.#documents()
    const over = revoke ? before : before.filter((_, n) => !this.#mayHaveSigned(before, n))
    return (await this.#make(by, before, over)).id
  }

  /** Makes the newest key, and takes `over` away, in one step. */
  async #make(by: Author, before: readonly Document[], over: readonly Document[]): Promise<SigningKey> {
    const { exportJWK, generateKeyPair } = await import('jose')
    const pair = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true })
    const id = randomBytes(8).toString('hex')
    const newest = Number(before[0]?.fields.created ?? 0)
    const set: Fields = {
      algorithm: ALGORITHM,
      // It is the newest also where another node's clock is ahead.
      created: Math.max(this.#clock.now(), newest + 1),
      public: stated(await exportJWK(pair.publicKey)),
      private: stated(await exportJWK(pair.privateKey)),
    }
    const removals = over.map(({ key }) => ({ key, remove: true as const }))
    const [document] = await this.#store.write([{ key: keyOf(KIND, id), put: { set }, expects: 'absent' }, ...removals], by)
    this.#known = undefined
    if (!document) throw new Error('The store gave no document back for a new key.')
    return this.#import(document)
  }

  /** Returns whether tokens signed by the nth key, newest first, may still be valid. A key signs until the next one is made. */
  #mayHaveSigned(documents: readonly Document[], n: number): boolean {
    return n === 0 || this.#clock.now() <= Number(documents[n - 1]?.fields.created) + AFTERLIFE
  }

  #all(): Promise<readonly SigningKey[]> {
    const known = this.#known
    return known && performance.now() < known.until ? Promise.resolve(known.keys) : this.#read()
  }

  #read(): Promise<readonly SigningKey[]> {
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #look(): Promise<readonly SigningKey[]> {
    const until = performance.now() + TRUST
    const documents = await this.#documents()
    const live = documents.filter((_, n) => this.#mayHaveSigned(documents, n))
    const keys = await Promise.all(live.map((document) => this.#import(document)))
    for (const id of this.#imported.keys()) if (!keys.some((key) => key.id === id)) this.#imported.delete(id)
    this.#known = { keys, until }
    return keys
  }

  /** Newest first. */
  async #documents(): Promise<Document[]> {
    const { items } = await this.#store.browse(KIND, {})
    const readable = items.filter(({ problem }) => problem?.severity !== 'error')
    return readable.sort((a, b) => Number(b.fields.created) - Number(a.fields.created) || (a.key.id < b.key.id ? 1 : -1))
  }

  async #import({ key, fields }: Document): Promise<SigningKey> {
    const known = this.#imported.get(key.id)
    if (known) return known
    const { importJWK } = await import('jose')
    const [open, secret] = [fields.public as JWK, fields.private as JWK]
    const imported = {
      id: key.id,
      created: Number(fields.created),
      publicJwk: {
        kty: 'OKP',
        crv: 'Ed25519',
        ...(open.x !== undefined && { x: open.x }),
        kid: key.id,
        use: 'sig',
        alg: ALGORITHM,
      },
      publicKey: (await importJWK(open, ALGORITHM)) as CryptoKey,
      privateKey: (await importJWK(secret, ALGORITHM)) as CryptoKey,
    }
    this.#imported.set(key.id, imported)
    return imported
  }
}

/** A JWK as a document can hold it. */
function stated(jwk: JWK): Fields {
  return JSON.parse(JSON.stringify(jwk)) as Fields
}
