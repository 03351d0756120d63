import { randomBytes } from 'node:crypto'
import type { Stripe } from 'stripe'
import type { Head } from '#core/document.ts'
import { keyOf } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Customer, Customers } from '../../customers.ts'
import { SITE } from '../../customers.ts'
import { again } from '../again.ts'
import { NOBODY, type Requester } from '../gateway.ts'
import type { Kept } from '../kept.ts'
import { written } from '../stored.ts'
import type { Plan } from '../subscription.ts'
import { CUSTOMER_NAME, type Fetcher, SITE_NAME } from './fetcher.ts'
import { idOf, StripeRefusal, type StripeSdk } from './sdk.ts'

/** The private kind of checkouts that are open: each has the id of its customer, so that there is one. */
const KIND = '.checkouts'

/** Milliseconds that a checkout keeps others away from the moment it is begun: longer than Stripe may take to answer. */
const HELD_MS = 60_000
/** Seconds that people have to pay. Stripe takes half an hour at least. */
const LIFE_SECONDS = 3600
/** Milliseconds after which Stripe is asked how a checkout goes, whatever was told. */
const LOOK_MS = 600_000
/** Milliseconds after the end of a checkout that was paid in which its subscription is waited for. */
const PATIENCE_MS = 2 * 86_400_000
/** Most that are looked at in a row. */
const AT_ONCE = 100

/** The dependencies of checkouts. */
export interface CheckoutsDeps {
  readonly store: Store
  readonly kept: Kept
  readonly sdk: StripeSdk
  readonly fetcher: Fetcher
  readonly customers: Customers
  readonly clock: Clock
  /** The address of the site, and where people see what they pay for. */
  readonly site: string
  readonly home: string
}

/** A checkout that was begun. */
interface Open {
  readonly head: Head
  /** The name of the request to Stripe, the same when it is sent again. */
  readonly name: string
  readonly price: string
  readonly trialDays: number
  /** The customer at Stripe, where there was a subscription before. */
  readonly payer: string | undefined
  /** Seconds since 1970. */
  readonly ends: number
  /** The time until which another one is refused at once, in milliseconds since 1970. */
  readonly heldUntil: number
  readonly session: string | undefined
}

/**
 * The sessions of Stripe's checkout. A customer has one: it is claimed in the store before Stripe is asked, and asked for under a
 * name that stays, so that whoever goes on after a crash, or when no answer came, gets the same session.
 */
export class Checkouts {
  readonly #deps: CheckoutsDeps

  constructor(deps: CheckoutsDeps) {
    this.#deps = deps
  }

  /**
   * Returns the address where a customer pays. Throws Conflict where that was asked for a moment ago, or is paid; Stale where the
   * customer has changed meanwhile.
   */
  async begin(customer: Customer, plan: Plan & { readonly stripe_price?: string | undefined }, by: Requester): Promise<string> {
    const open = await this.#open(customer.id)
    const url = open && (await this.#goOn(open, plan.stripe_price ?? ''))
    return url ?? this.#make(await this.#claim(customer, plan, by))
  }

  /** Throws Conflict while a customer may be paying. */
  async mustBeNone(customer: string): Promise<void> {
    if (await this.#open(customer))
      throw new Conflict('A checkout of the team is open. It ends within the hour, unless it is paid.')
  }

  /** Asks Stripe how a checkout goes, where there is one: what is paid becomes a subscription, and what is over is forgotten. */
  async look(customer: string): Promise<void> {
    const { clock, sdk, kept } = this.#deps
    const open = await this.#open(customer)
    if (!open) return
    const { session: id } = open
    const session = id === undefined ? undefined : await sdk.find((stripe) => stripe.checkout.sessions.retrieve(id))
    const isWaited = clock.now() < open.ends * 1000 + PATIENCE_MS
    if (session?.status === 'complete' && isWaited && !(await this.#isTaken(session))) return this.#later(customer)
    if (session?.status === 'open') {
      const latest = (await kept.latest([customer])).get(customer)
      if (!latest || latest.subscription.status === 'canceled') return this.#later(customer)
      await this.#expire(session.id)
    }
    if (id !== undefined || clock.now() >= open.ends * 1000) await this.#remove(customer, open.name)
  }

  /**
   * Looks at those that nothing was heard of for a while, until a time in milliseconds since 1970. Rejects with the first error, once all
   * that can be done is done.
   */
  async work(until: number): Promise<void> {
    const { store, clock } = this.#deps
    const where = [{ field: 'due', op: 'lte', value: written(clock.now()), as: 'text' } as const]
    const { items } = await store.heads(KIND, { where, limit: AT_ONCE })
    const failures: unknown[] = []
    for (const { key } of items) if (clock.now() < until) await this.look(key.id).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  /** Goes on with a checkout that was begun earlier: its address where it is for the same price; else it is ended. */
  async #goOn(open: Open, price: string): Promise<string | undefined> {
    const { clock, sdk, fetcher } = this.#deps
    const { head, session: id } = open
    if (clock.now() < open.heldUntil) throw begunAlready()
    await this.#set(head, { held: written(clock.now() + HELD_MS) })
    const session = id === undefined ? await this.#again(open) : await sdk.find((stripe) => stripe.checkout.sessions.retrieve(id))
    if (session?.status === 'open' && session.url && open.price === price) {
      await this.#note(head.key.id, session)
      return session.url
    }
    if (session?.status === 'complete') {
      const paid = idOf(session.subscription)
      if (paid !== undefined) await fetcher.subscription(paid)
      throw new Conflict('It was subscribed to already. Stripe may take a moment to say so.')
    }
    if (session?.status === 'open') await this.#expire(session.id)
    await this.#remove(head.key.id, open.name)
    return undefined
  }

  async #claim(customer: Customer, plan: Plan & { readonly stripe_price?: string | undefined }, by: Requester): Promise<Open> {
    const { store, kept, customers, clock } = this.#deps
    const before = (await kept.latest([customer.id])).get(customer.id)
    const now = clock.now()
    const ends = Math.floor(now / 1000) + LIFE_SECONDS
    const payer = before?.gateway === 'stripe' ? before.head.fields.payer : undefined
    const set: Fields = {
      ...{ name: randomBytes(16).toString('hex'), price: plan.stripe_price ?? '', ends, payer: payer ?? null, session: null },
      // Who cancels within a trial would begin the next one for ever.
      trial: before ? 0 : plan.trial_days,
      ...{ held: written(now + HELD_MS), due: written(ends * 1000) },
    }
    const key = keyOf(KIND, customer.id)
    const beginning = await customers.beginning(customer, String(set.name))
    await store.write([{ key, put: { set }, expects: 'absent' }, ...beginning], by.author, by.asked).catch((error: unknown) => {
      throw error instanceof Conflict ? begunAlready() : error
    })
    return (await this.#open(customer.id)) ?? Promise.reject(begunAlready())
  }

  async #make(open: Open): Promise<string> {
    const customer = open.head.key.id
    try {
      const session = await this.#create(open)
      await this.#note(customer, session)
      if (session.url) return session.url
    } catch (error) {
      // What came to nothing is forgotten; where no answer came, the next one asks under the same name, and need not wait.
      if (error instanceof StripeRefusal) await this.#remove(customer, open.name)
      else await again(async () => this.#set((await this.#open(customer))?.head, { held: null }))
      throw error
    }
    throw new Conflict('The checkout has ended. Begin another one.')
  }

  /** The session of a checkout of which no answer came. */
  #again(open: Open): Promise<Stripe.Checkout.Session | undefined> {
    return this.#create(open).catch((error: unknown) => {
      if (error instanceof StripeRefusal) return undefined
      throw error
    })
  }

  #create({ head, name, price, trialDays, payer, ends }: Open): Promise<Stripe.Checkout.Session> {
    const { sdk, site, home } = this.#deps
    const customer = head.key.id
    const metadata = { [SITE_NAME]: site, [CUSTOMER_NAME]: customer }
    const back = customer === SITE ? home : `${home}?team=${encodeURIComponent(customer)}`
    const params: Stripe.Checkout.SessionCreateParams = {
      ...{ mode: 'subscription', line_items: [{ price, quantity: 1 }], client_reference_id: customer, metadata },
      subscription_data: { metadata, ...(trialDays > 0 && { trial_period_days: trialDays }) },
      ...(payer !== undefined && { customer: payer }),
      ...{ success_url: back, cancel_url: back, expires_at: ends },
    }
    return sdk.call((stripe) => stripe.checkout.sessions.create(params, { idempotencyKey: `quire-checkout-${name}` }))
  }

  async #expire(session: string): Promise<void> {
    const options = { idempotencyKey: `quire-expire-${session}` }
    await this.#deps.sdk
      .call((stripe) => stripe.checkout.sessions.expire(session, {}, options))
      .catch((error: unknown) => {
        throw error instanceof StripeRefusal ? begunAlready() : error
      })
  }

  /** Returns whether the subscription of a session that is paid is one of ours now, or never will be. */
  async #isTaken({ subscription }: Stripe.Checkout.Session): Promise<boolean> {
    const id = idOf(subscription)
    return id === undefined || (await this.#deps.fetcher.subscription(id)) !== undefined
  }

  async #note(customer: string, { id, url }: Stripe.Checkout.Session): Promise<void> {
    const due = written(this.#deps.clock.now() + LOOK_MS)
    await again(async () => this.#set((await this.#open(customer))?.head, { session: id, url, due }))
  }

  async #later(customer: string): Promise<void> {
    const due = written(this.#deps.clock.now() + LOOK_MS)
    await again(async () => this.#set((await this.#open(customer))?.head, { due }))
  }

  async #remove(customer: string, name: string): Promise<void> {
    await again(async () => {
      const open = await this.#open(customer)
      if (open?.name !== name) return
      await this.#deps.store.write([{ key: open.head.key, remove: true, expects: open.head.version }], NOBODY.author)
    })
  }

  async #set(head: Head | undefined, set: Fields): Promise<void> {
    if (head) await this.#deps.store.write([{ key: head.key, put: { set }, expects: head.version }], NOBODY.author)
  }

  async #open(customer: string): Promise<Open | undefined> {
    const head = await this.#deps.store.get(keyOf(KIND, customer))
    if (!head) return undefined
    const { name, price, trial, payer, ends, held, session } = head.fields
    return {
      ...{ head, name: String(name), price: String(price), trialDays: Number(trial), ends: Number(ends) },
      payer: typeof payer === 'string' ? payer : undefined,
      heldUntil: typeof held === 'string' ? Date.parse(held) : 0,
      session: typeof session === 'string' ? session : undefined,
    }
  }
}

function begunAlready(): Conflict {
  return new Conflict('A checkout was begun a moment ago. Go on with that, or try again in a minute.')
}
