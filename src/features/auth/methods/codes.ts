import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Composed, Mailer, Message } from '#core/mail.ts'
import type { User } from '#features/users/user.ts'
import type { Users } from '#features/users/users.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import { type Attempts, hashed, MESSAGE_LIFE } from '../attempts.ts'
import { addressOf, notSignedIn, type Registration } from '../registration.ts'

const DIGITS = 6

/** Number of times a code may be tried before it is invalid. */
const TRIES = 5

/** The dependencies of codes. `life` is their lifetime in milliseconds: `auth.otp.ttl`. */
export interface CodeDeps {
  readonly users: Users
  readonly ledger: Ledger
  readonly clock: Clock
  readonly mailer: Mailer
  readonly attempts: Attempts
  readonly registration: Registration
  readonly life: number
}

/** The stored form of a code. It never contains the code itself. */
interface Kept {
  readonly id: string
  readonly salt: string
  readonly proof: string
}

/**
 * Sign-in with a code of six digits that comes by mail. An address without an account takes the same steps as any other, with the
 * same answers: only the message is not composed, later, where nobody sees it.
 */
export class Codes {
  readonly #deps: CodeDeps
  /** A dummy to compare codes with if there is no code. */
  readonly #none: Kept

  constructor(deps: CodeDeps) {
    this.#deps = deps
    this.#none = keep('', randomBytes(16).toString('base64url'))
  }

  /** Lifetime of a code, in seconds. */
  get seconds(): number {
    return Math.floor(this.#deps.life / 1000)
  }

  /**
   * Has a code sent to an address; without a word, where one was within the last minute, or five within the hour. With `panel`, the
   * sign-in of a browser there and its network address, the code is good in that browser alone.
   */
  async send(email: string, panel?: { readonly browser: string; readonly client: string }): Promise<void> {
    const { attempts, mailer, clock } = this.#deps
    const address = addressOf(email)
    if (!(await attempts.maySend('code', address, panel?.client))) return
    const data = panel ? { browser: panel.browser } : {}
    await mailer.send({ template: 'code', to: address, data, until: clock.now() + MESSAGE_LIFE })
  }

  /** Makes the code for a message; it replaces the one before. Returns nothing for a user who may not sign in by code. */
  async compose({ to, data }: Message): Promise<Composed<'code'> | undefined> {
    const { users, registration, attempts, ledger, life } = this.#deps
    const user = await users.byEmail(to)
    if (!registration.admits(user) || (await attempts.areCodesOff(to))) return undefined
    const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
    const browser = typeof data.browser === 'string' ? data.browser : undefined
    await ledger.put(nameOf(to, browser), { ...keep(code, randomBytes(16).toString('base64url')) }, life)
    return { ...(user && { name: user.name }), values: { code, minutes: Math.round(life / 60_000) }, shown: code }
  }

  /**
   * Verifies a code, resolves with its user and spends the code. Throws Unauthorized for any other code, TooMany after too many
   * tries. `client` is the network address of the request, `browser` that of `panel` in `send`.
   */
  async verify(email: string, code: string, client: string, browser?: string): Promise<User> {
    const { users, registration, attempts, ledger, life } = this.#deps
    const address = addressOf(email)
    const user = await users.byEmail(address)
    const areOn = await attempts.beginCode({ address, client, isKnown: user !== undefined })
    const name = nameOf(address, browser)
    const kept = read(await ledger.peek(name))
    // Counted before it is looked at: else of many at once all would be looked at.
    const tries = await ledger.add(triesName(kept, address), 1, life)
    const isRight = proves(kept ?? this.#none, code.replaceAll(/[\s-]/g, ''))
    if (!kept || !isRight || !areOn || tries > TRIES || !registration.admits(user)) throw notSignedIn()
    if (read(await ledger.take(name))?.id !== kept.id) throw notSignedIn()
    const owner = await registration.admit(address)
    if (!owner) throw notSignedIn()
    await attempts.signedIn(address, 'code', client)
    return owner
  }
}

function keep(code: string, salt: string): Kept {
  return { id: randomBytes(9).toString('base64url'), salt, proof: proofOf(code, salt).toString('base64url') }
}

function proves({ salt, proof }: Kept, code: string): boolean {
  const [one, other] = [proofOf(code, salt), Buffer.from(proof, 'base64url')]
  return one.length === other.length && timingSafeEqual(one, other)
}

function proofOf(code: string, salt: string): Buffer {
  return createHmac('sha256', salt).update(code).digest()
}

function nameOf(address: string, browser: string | undefined): string {
  return browser === undefined ? `code.${hashed(address)}` : `code.${hashed(address)}.${browser}`
}

function triesName(kept: Kept | undefined, address: string): string {
  return `code.tries.${kept?.id ?? hashed(address)}`
}

function read(fact: Json | undefined): Kept | undefined {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return undefined
  const { id, salt, proof } = fact
  if (typeof id !== 'string' || typeof salt !== 'string' || typeof proof !== 'string') return undefined
  return { id, salt, proof }
}
