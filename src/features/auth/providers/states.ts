import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ledger } from '#core/ledger.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { Dance } from './provider.ts'

/** Maximum duration of a sign-in, in milliseconds. */
export const STATE_LIFE = 10 * 60 * 1000

const SECRET = /^[A-Za-z0-9_-]{43}$/

/** A sign-in under way at a provider: with what it is spoken to, where it is to lead, until when. */
export interface Begun {
  readonly dance: Dance
  readonly to: string | undefined
  /** The id of the sign-in in the panel that it is part of; undefined for one of the API. */
  readonly panel?: string | undefined
  readonly ends: number
}

/**
 * Sign-ins under way. Each is known by its state, good once and for ten minutes, and only to the browser that began it, which
 * keeps a secret (RFC 9700 §4.7). Verifier and nonce are made of that secret, so that what the ledger has is of no use to
 * anybody.
 */
export class States {
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor({ ledger, clock }: { ledger: Ledger; clock: Clock }) {
    this.#ledger = ledger
    this.#clock = clock
  }

  /** Begins one, and gives the secret that the browser is to keep. Nothing is remembered before `keep`. */
  begin(to: string | undefined, panel?: string): { begun: Begun; secret: string } {
    const [state, secret] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
    return { begun: { dance: danceOf(state, secret), to, panel, ends: this.#clock.now() + STATE_LIFE }, secret }
  }

  /** Remembers a sign-in at a provider, for what is left of its time. */
  async keep(provider: string, { dance, to, panel, ends }: Begun, secret: string): Promise<void> {
    const left = ends - this.#clock.now()
    const fact = { provider, browser: hash('sha256', secret, 'base64url'), to: to ?? null, panel: panel ?? null, ends }
    if (left > 0) await this.#ledger.put(nameOf(dance.state), fact, left)
  }

  /**
   * The sign-in of a state, which is over with that; undefined for one that is unknown, over, of another provider or of another
   * browser: then it stays, so that who saw a state can't end what it is of.
   */
  async take(provider: string, state: string | undefined, secret: string | undefined): Promise<Begun | undefined> {
    if (state === undefined || secret === undefined || !SECRET.test(state) || !SECRET.test(secret)) return undefined
    const isTheirs = isOf(await this.#ledger.peek(nameOf(state)), provider, secret)
    const fact = isTheirs ? await this.#ledger.take(nameOf(state)) : undefined
    if (!isFact(fact)) return undefined
    const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)
    return { dance: danceOf(state, secret), to: textOf(fact.to), panel: textOf(fact.panel), ends: Number(fact.ends) }
  }
}

function danceOf(state: string, secret: string): Dance {
  const made = (use: string) => createHmac('sha256', secret).update(`${use}.${state}`).digest('base64url')
  return { state, verifier: made('verifier'), nonce: made('nonce') }
}

function isOf(fact: Json | undefined, provider: string, secret: string): boolean {
  if (!isFact(fact) || fact.provider !== provider || typeof fact.browser !== 'string') return false
  const [kept, shown] = [Buffer.from(fact.browser), Buffer.from(hash('sha256', secret, 'base64url'))]
  return kept.length === shown.length && timingSafeEqual(kept, shown)
}

function isFact(fact: Json | undefined): fact is { [name: string]: Json } {
  return typeof fact === 'object' && fact !== null && !Array.isArray(fact)
}

function nameOf(state: string): string {
  return `signin.${hash('sha256', state, 'base64url')}`
}
