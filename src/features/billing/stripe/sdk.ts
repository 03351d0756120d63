import type { Stripe } from 'stripe'
import { BadConfig, BadRequest, type Placed, Unavailable } from '#lib/errors.ts'

/** Milliseconds that a request to Stripe may take, and how often one that failed on its way is sent again. */
const TIMEOUT_MS = 10_000
const RETRIES = 1
/** Seconds after which a caller may try again: where Stripe is away, and where it takes no request of this site. */
const AWAY_SECONDS = 10
const REFUSED_SECONDS = 60
/** Seconds that a signature of Stripe's is good for. */
const SIGNATURE_SECONDS = 300

/** The settings of Stripe. */
export interface StripeSettings {
  readonly secret_key: string
  readonly webhook_secret: string
  /** The address of another server than Stripe's, that speaks as it does; null for Stripe's. */
  readonly api_base: string | null
}

/** Loads the package `stripe`, which is installed beside Quire by who needs it. */
export type LoadStripe = () => Promise<{ readonly default: typeof Stripe }>

/** The failure of a request that Stripe does not take, however often it is sent. */
export class StripeRefusal extends Unavailable {}

/**
 * Stripe's own client, loaded when it is first used. What it throws, which may hold keys and what was sent, stays in here: all that
 * comes out is Unavailable and its code.
 */
export class StripeSdk {
  readonly #settings: StripeSettings
  readonly #load: LoadStripe
  readonly #chosenAt: () => Placed
  #made: Promise<Stripe> | undefined

  /** `chosenAt` is where the configuration names Stripe. By default the package that is installed is loaded. */
  constructor(settings: StripeSettings, chosenAt: () => Placed, load: LoadStripe = () => import('stripe')) {
    this.#settings = settings
    this.#chosenAt = chosenAt
    this.#load = load
  }

  /** Asks Stripe. Throws Unavailable while it is away, and StripeRefusal for what it does not take. */
  async call<T>(ask: (stripe: Stripe) => Promise<T>): Promise<T> {
    const stripe = await this.ready()
    return ask(stripe).catch((error: unknown) => {
      throw failureOf(error)
    })
  }

  /** Asks Stripe for one thing; undefined where there is none for the key of this site. */
  async find<T>(ask: (stripe: Stripe) => Promise<T>): Promise<T | undefined> {
    const stripe = await this.ready()
    return ask(stripe).catch((error: unknown) => {
      if (partsOf(error).statusCode === 404) return undefined
      throw failureOf(error)
    })
  }

  /** Returns the event that Stripe signed at most five minutes before `now`, in milliseconds since 1970. Throws BadRequest for any other. */
  async eventOf(bytes: Buffer, signature: string, now: number): Promise<unknown> {
    const stripe = await this.ready()
    try {
      return stripe.webhooks.constructEvent(bytes, signature, this.#settings.webhook_secret, SIGNATURE_SECONDS, undefined, now)
    } catch {
      throw new BadRequest('The signature is none of Stripe’s from the last five minutes: look at billing.stripe.webhook_secret.')
    }
  }

  /** Loads the client. Throws BadConfig where it is not installed. */
  ready(): Promise<Stripe> {
    this.#made ??= this.#make().catch((error: unknown) => {
      // It may be installed the next time.
      this.#made = undefined
      throw error
    })
    return this.#made
  }

  async #make(): Promise<Stripe> {
    const { secret_key: key, api_base: base } = this.#settings
    const { default: Client } = await this.#load().catch((error: unknown) => {
      throw isMissing(error) ? notInstalled(this.#chosenAt()) : error
    })
    return new Client(key, { timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false, ...placeOf(base) })
  }
}

/** Returns the id of what Stripe gives as an id, or whole. */
export function idOf(thing: string | { readonly id: string } | null | undefined): string | undefined {
  return typeof thing === 'string' ? thing : thing?.id
}

function placeOf(base: string | null) {
  if (base === null) return {}
  const { protocol, hostname, port } = new URL(base)
  const isPlain = protocol === 'http:'
  return { protocol: isPlain ? 'http' : 'https', host: hostname, port: port || (isPlain ? 80 : 443) } as const
}

interface Parts {
  readonly type?: unknown
  readonly code?: unknown
  readonly param?: unknown
  readonly statusCode?: unknown
}

function partsOf(error: unknown): Parts {
  return typeof error === 'object' && error !== null ? error : {}
}

/** Stripe's messages are left out: they repeat what was sent, and parts of keys. */
function failureOf(error: unknown): unknown {
  const { type, code, param } = partsOf(error)
  if (typeof type !== 'string' || !type.startsWith('Stripe')) return error
  switch (type) {
    case 'StripeConnectionError':
    case 'StripeAPIError':
    case 'StripeRateLimitError':
      return new Unavailable('Stripe is away. Nothing was changed for all that is known; try again.', AWAY_SECONDS)
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return new StripeRefusal('Stripe does not take the key of this site: look at billing.stripe.secret_key.', REFUSED_SECONDS)
    default: {
      const named = [code, param].filter((part) => typeof part === 'string' && part !== '').join(', ')
      const says = `Stripe does not take the request${named === '' ? '' : ` (${named})`}: look at billing.plans, whose stripe_price are ids of prices there.`
      return new StripeRefusal(says, REFUSED_SECONDS)
    }
  }
}

function isMissing(error: unknown): boolean {
  const { code } = partsOf(error)
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}

function notInstalled(at: Placed): BadConfig {
  const how = 'Run npm install stripe where Quire is installed, or write gateway: manual.'
  return new BadConfig('billing.gateway is stripe, but the package stripe is not installed.', at, how)
}
