import { hash } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import { TooMany } from '#lib/errors.ts'
import type { Json } from '#lib/json.ts'
import { networkOf } from '#lib/net/network.ts'
import type { How } from './sessions/sessions.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * Lifetime of the counters "in a row", which have no end of their own. For an address without an account nothing is kept that
 * long.
 */
const IN_A_ROW = { known: 3650 * DAY, unknown: 30 * DAY }

/** The most wrong codes in an hour for one address from one network, and in a row for one address from anywhere. */
const CODES_IN_AN_HOUR = 10
const CODES_IN_A_ROW = 100

/**
 * Number of wrong passwords without delay, for an account and a network. Longest wait for the next tries. Time until wrong
 * passwords are forgotten.
 */
const FREE_PASSWORDS = 5
const LONGEST_WAIT = 15 * MINUTE
const PASSWORDS_KEPT = DAY

/** The most messages of one sort in an hour to one address; two of them are a minute apart. */
const MESSAGES_IN_AN_HOUR = 5

/** The most in an hour that all networks together may ask for, where each has its own. */
const MESSAGES_OF_ALL = 20

/** Milliseconds after a request in which the message it asked for may still be sent. */
export const MESSAGE_LIFE = 10 * MINUTE

/** A try to sign in: the address that is signed in with, in its plain form, and the client's network address. */
export interface Try {
  readonly address: string
  readonly client: string
  /** True if the address has an account. This only changes the lifetime of counters, and nothing visible. */
  readonly isKnown: boolean
}

/**
 * Counts attempts to sign in, so that nobody can guess their way in, nor lock others out for good: a delay holds for one network
 * only, and a user who signs in with a link or a provider can use codes again. Addresses without an account are counted like
 * others. An attempt counts as a failure from its beginning until it is known to be right, so that many at once are not free.
 */
export class Attempts {
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor({ ledger, clock }: { ledger: Ledger; clock: Clock }) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /**
   * Returns whether a message of this sort may be sent to the address now: one a minute, five an hour. Each call counts. With
   * `client`, where a message is of use to who asked for it alone, that is for each network, so that others can't use it up; and
   * there are twenty an hour for all.
   */
  async maySend(sort: string, address: string, client?: string): Promise<boolean> {
    const all = `letters.${hashed(address)}.${sort}`
    const name = client === undefined ? all : `${all}.${hashed(networkOf(client))}`
    if (client !== undefined && (await this.#ledger.add(`${all}.all`, 1, HOUR)) > MESSAGES_OF_ALL) return false
    if ((await this.#ledger.add(`${name}.minute`, 1, MINUTE)) > 1) return false
    return (await this.#ledger.add(`${name}.hour`, 1, HOUR)) <= MESSAGES_IN_AN_HOUR
  }

  /**
   * Counts a try with a code. False where codes are off for the address, after too many wrong ones in a row: then the try is
   * wrong whatever the code. Throws TooMany after ten an hour.
   */
  async beginCode(one: Try): Promise<boolean> {
    const name = codeName(one)
    const inAnHour = await this.#ledger.add(name, 1, HOUR)
    if (inAnHour === 1) await this.#ledger.put(`${name}.until`, this.#clock.now() + HOUR, HOUR)
    if (inAnHour > CODES_IN_AN_HOUR) throw tooMany('codes', this.#left(await this.#ledger.peek(`${name}.until`)))
    const life = one.isKnown ? IN_A_ROW.known : IN_A_ROW.unknown
    return (await this.#ledger.add(rowName(one.address), 1, life)) <= CODES_IN_A_ROW
  }

  /** Returns whether codes are off for the address. */
  async areCodesOff(address: string): Promise<boolean> {
    return numberOf(await this.#ledger.peek(rowName(address))) >= CODES_IN_A_ROW
  }

  /**
   * Counts a try with a password. Throws TooMany where the ones before have it wait: after five failures 1 s, 2, 4 … up to 15
   * minutes.
   */
  async beginPassword(one: Pick<Try, 'address' | 'client'>): Promise<void> {
    const name = passwordName(one)
    const before = numberOf(await this.#ledger.peek(name))
    if (before >= FREE_PASSWORDS) await this.#wait(name, before)
    const level = await this.#ledger.add(name, 1, PASSWORDS_KEPT)
    if (level >= FREE_PASSWORDS) await this.#setWait(name, level)
    // A request in between took the one attempt there was.
    if (level > Math.max(FREE_PASSWORDS, before + 1)) throw tooMany('passwords', waitOf(level))
  }

  /**
   * Forgets the failures of a user who has signed in; `client` is the network that a code or a password came from. Codes are
   * possible again after any sign-in.
   */
  async signedIn(address: string, how: How, client?: string): Promise<void> {
    const forgotten: Promise<unknown>[] = [this.#ledger.take(rowName(address))]
    if (client !== undefined && how === 'code') forgotten.push(this.#ledger.add(codeName({ address, client }), -1, HOUR))
    if (client !== undefined && how === 'password') forgotten.push(this.#forget(passwordName({ address, client })))
    // At once, so that they share the wait for the disk.
    await Promise.all(forgotten)
  }

  /** Forgets all that counts against an address, on every network. */
  async unlock(address: string): Promise<void> {
    const prefix = prefixOf(address)
    const names: string[] = []
    for await (const { name } of this.#ledger.facts()) if (name.startsWith(prefix)) names.push(name)
    for (const name of names) await this.#ledger.take(name)
  }

  /** A level whose wait is not known, since who reached it is just about to set it or died before, has all of it to wait. */
  async #wait(name: string, level: number): Promise<void> {
    const fact = await this.#ledger.peek(`${name}.wait`)
    const { until, of } = typeof fact === 'object' && fact !== null && !Array.isArray(fact) ? fact : {}
    if (numberOf(of) < level) {
      await this.#setWait(name, level)
      throw tooMany('passwords', waitOf(level))
    }
    if (numberOf(until) > this.#clock.now()) throw tooMany('passwords', this.#left(until))
  }

  #setWait(name: string, level: number): Promise<void> {
    return this.#ledger.put(`${name}.wait`, { until: this.#clock.now() + waitOf(level), of: level }, PASSWORDS_KEPT)
  }

  async #forget(name: string): Promise<void> {
    await Promise.all([this.#ledger.take(name), this.#ledger.take(`${name}.wait`)])
  }

  #left(until: Json | undefined): number {
    return Math.max(0, numberOf(until) - this.#clock.now())
  }
}

/** An address as the names of facts have it: what is counted names nobody. */
export function hashed(address: string): string {
  return hash('sha256', address, 'base64url')
}

function waitOf(level: number): number {
  return Math.min(LONGEST_WAIT, SECOND * 2 ** (level - FREE_PASSWORDS))
}

function tooMany(what: string, ms: number): TooMany {
  const seconds = Math.max(1, Math.ceil(ms / SECOND))
  return new TooMany(`There were too many wrong ${what}. Try again later, or sign in another way.`, seconds)
}

function prefixOf(address: string): string {
  return `attempts.${hashed(address)}.`
}

function rowName(address: string): string {
  return `${prefixOf(address)}row`
}

function codeName({ address, client }: Pick<Try, 'address' | 'client'>): string {
  return `${prefixOf(address)}code.${hashed(networkOf(client))}`
}

function passwordName({ address, client }: Pick<Try, 'address' | 'client'>): string {
  return `${prefixOf(address)}password.${hashed(networkOf(client))}`
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}
