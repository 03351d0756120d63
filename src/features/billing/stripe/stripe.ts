import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, NotFound, type Placed } from '#lib/errors.ts'
import type { Customer, Customers } from '../../customers.ts'
import type { Gateway, Requester } from '../gateway.ts'
import type { KeptInvoice, Seller } from '../invoice.ts'
import type { Kept } from '../kept.ts'
import type { InvoiceView } from '../schema.ts'
import type { KeptSubscription, Pending } from '../stored.ts'
import type { Plan } from '../subscription.ts'
import { Checkouts } from './checkouts.ts'
import { Fetcher, fetchesOf } from './fetcher.ts'
import type { OfOurs } from './mapping.ts'
import { type Noticed, Notices } from './notices.ts'
import { idOf, type LoadStripe, StripeSdk, type StripeSettings } from './sdk.ts'

/** The dependencies of the gateway. */
export interface StripeDeps {
  readonly store: Store
  readonly kept: Kept
  readonly clock: Clock
  readonly customers: Customers
  readonly plans: OfOurs['plans']
  readonly seller: Seller
  readonly settings: StripeSettings
  /** The address of the site, and where people see what they pay for. */
  readonly site: string
  readonly home: string
  /** The place where the configuration names Stripe. */
  readonly chosenAt: () => Placed
  /** By default the package that is installed. */
  readonly load?: LoadStripe | undefined
}

/**
 * The gateway of who has Stripe take the money. Ours are copies: whatever is told or asked, a subscription and its invoices are
 * read from Stripe and written as they are there.
 */
export class StripeGateway implements Gateway {
  readonly name = 'stripe'
  readonly #sdk: StripeSdk
  readonly #fetcher: Fetcher
  readonly #checkouts: Checkouts
  readonly #notices: Notices
  readonly #clock: Clock

  constructor({ settings, chosenAt, load, ...deps }: StripeDeps) {
    this.#sdk = new StripeSdk(settings, chosenAt, load)
    this.#fetcher = new Fetcher({ ...deps, sdk: this.#sdk })
    this.#checkouts = new Checkouts({ ...deps, sdk: this.#sdk, fetcher: this.#fetcher })
    this.#notices = new Notices({ ...deps, take: (noticed) => this.#take(noticed) })
    this.#clock = deps.clock
  }

  checkout(customer: Customer, plan: Plan, by: Requester): Promise<string> {
    return this.#checkouts.begin(customer, plan, by)
  }

  async cancel(id: string, by: Requester): Promise<void> {
    const of = await this.#fresh(id)
    if (of.subscription.cancelAtPeriodEnd) throw new Conflict('The subscription is cancelled already.')
    const options = { idempotencyKey: `quire-cancel-${id}-${fetchesOf(of.head.fields)}` }
    await this.#sdk.call((stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: true }, options))
    await this.#fetcher.subscription(id, by)
  }

  async resume(id: string, by: Requester): Promise<void> {
    const of = await this.#fresh(id)
    if (!of.subscription.cancelAtPeriodEnd) throw new Conflict('The subscription is not cancelled.')
    const options = { idempotencyKey: `quire-resume-${id}-${fetchesOf(of.head.fields)}` }
    await this.#sdk.call(async (stripe) => {
      const { cancel_at_period_end: isAtEnd } = await stripe.subscriptions.retrieve(id)
      // At Stripe it may have been said by a day.
      await stripe.subscriptions.update(id, isAtEnd ? { cancel_at_period_end: false } : { cancel_at: '' }, options)
    })
    await this.#fetcher.subscription(id, by)
  }

  async settle(id: string): Promise<void> {
    await this.#fetcher.subscription(id)
    await this.#fetcher.invoicesOf(id)
  }

  sent(id: string, letters: readonly Pending[]): Promise<void> {
    return this.#fetcher.sent(id, letters)
  }

  next({ head }: KeptSubscription): InvoiceView | null {
    // Written as it is shown, by what reads it from Stripe.
    return (head.fields.next ?? null) as InvoiceView | null
  }

  mustBeginNone(customer: string): Promise<void> {
    return this.#checkouts.mustBeNone(customer)
  }

  async pageOf({ id }: KeptInvoice): Promise<string> {
    // Such an address ends after some weeks: the one of today is asked for.
    const found = await this.#sdk.find((stripe) => stripe.invoices.retrieve(id))
    if (!found?.hosted_invoice_url) throw new NotFound('Stripe has no page of this invoice.')
    return found.hosted_invoice_url
  }

  async work(until: number): Promise<void> {
    const done = [this.#notices.work(until), this.#checkouts.work(until), this.#notices.forget()]
    const failed = (await Promise.allSettled(done)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  async begin(): Promise<void> {
    await this.#sdk.ready()
  }

  end(): Promise<void> {
    return this.#notices.end()
  }

  /**
   * Keeps what Stripe tells, and takes it when it can: it is kept when this resolves. Throws BadRequest where the signature is not
   * Stripe's, or is older than five minutes.
   */
  async hear(bytes: Buffer, signature: string): Promise<void> {
    await this.#notices.keep(await this.#sdk.eventOf(bytes, signature, this.#clock.now()))
    // What fails is tried again by the sweep.
    this.#notices.work().catch(() => undefined)
  }

  async #take({ sort, id }: Noticed): Promise<void> {
    if (sort === 'invoice') return this.#takeInvoice(id)
    const subscription = sort === 'subscription' ? id : await this.#subscriptionOf(id)
    if (subscription !== undefined) await this.#takeSubscription(subscription)
  }

  async #takeSubscription(id: string): Promise<void> {
    const of = await this.#fetcher.subscription(id)
    if (of) await this.#checkouts.look(of.subscription.customer)
  }

  async #takeInvoice(id: string): Promise<void> {
    const invoice = await this.#fetcher.invoice(id)
    if (invoice) await this.#takeSubscription(invoice.subscription)
  }

  async #subscriptionOf(session: string): Promise<string | undefined> {
    return idOf((await this.#sdk.find((stripe) => stripe.checkout.sessions.retrieve(session)))?.subscription)
  }

  /** A subscription as Stripe has it now. Throws Conflict where it has ended. */
  async #fresh(id: string): Promise<KeptSubscription> {
    const of = await this.#fetcher.subscription(id)
    if (!of) throw new NotFound('There is no subscription.')
    if (of.subscription.status === 'canceled') throw new Conflict('The subscription has ended. Begin another one.')
    return of
  }
}
