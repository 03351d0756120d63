import { isDeepStrictEqual } from 'node:util'
import type { Stripe } from 'stripe'
import { type Key, parseKey } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, Stale } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Customers } from '../../customers.ts'
import { again } from '../again.ts'
import { NOBODY, type Requester } from '../gateway.ts'
import type { KeptInvoice, Seller } from '../invoice.ts'
import type { Kept } from '../kept.ts'
import {
  INVOICES,
  invoiceFields,
  type KeptSubscription,
  type Pending,
  readInvoice,
  SUBSCRIPTIONS,
  subscriptionFields,
} from '../stored.ts'
import type { Subscription } from '../subscription.ts'
import { invoiceView } from '../views.ts'
import { invoiceOf, keptInvoiceOf, type OfOurs, subscriptionIdOf, subscriptionOf } from './mapping.ts'
import { idOf, StripeRefusal, type StripeSdk } from './sdk.ts'

/** Milliseconds after which a subscription is read again, whatever was told. */
const DAY = 86_400_000
/** Most lines of an invoice, and invoices of a subscription, that are read. */
const MOST = 100

/** The metadata by which a subscription at Stripe is known: the address of the site, and the customer there. */
export const SITE_NAME = 'quire_site'
export const CUSTOMER_NAME = 'quire_customer'

/** The dependencies of what reads from Stripe. */
export interface FetcherDeps {
  readonly store: Store
  readonly kept: Kept
  readonly sdk: StripeSdk
  readonly customers: Customers
  readonly clock: Clock
  readonly plans: OfOurs['plans']
  readonly seller: Seller
  /** The address of the site. */
  readonly site: string
}

/**
 * Reads subscriptions and invoices from Stripe, and puts them in the place of ours. Ours is looked at first, then Stripe is asked,
 * and what it says is written only onto what was seen, or else read again: of two that read at once, on whatever nodes, what was
 * read later stays. Each write counts, so that no version comes back.
 */
export class Fetcher {
  readonly #deps: FetcherDeps

  constructor(deps: FetcherDeps) {
    this.#deps = deps
  }

  /** Brings a subscription to what Stripe has now; undefined for one that is none of this site's, or has not begun. */
  subscription(id: string, by: Requester = NOBODY): Promise<KeptSubscription | undefined> {
    return again(() => this.#subscription(id, by))
  }

  /** Brings an invoice to what Stripe has now, and gives it; undefined for one that is none of this site's, or a draft. */
  invoice(id: string): Promise<KeptInvoice | undefined> {
    const key = parseKey(INVOICES, id)
    return key ? again(() => this.#invoice(key)) : Promise.resolve(undefined)
  }

  /** Brings the last invoices of a subscription to what Stripe has now. */
  async invoicesOf(subscription: string): Promise<void> {
    const { sdk, kept } = this.#deps
    const found = await sdk.find((stripe) => stripe.invoices.list({ subscription, limit: MOST }))
    for (const { id, status, amount_paid } of found?.data ?? []) {
      const known = await kept.invoice(id)
      const isSame = known?.status === status && (status !== 'open' || amount_paid === 0)
      if (!isSame) await this.invoice(id)
    }
  }

  /** Notes that letters of a subscription were sent. */
  async sent(id: string, letters: readonly Pending[]): Promise<void> {
    const isSent = ({ letter, invoice }: Pending) => letters.some((one) => one.letter === letter && one.invoice === invoice)
    await again(async () => {
      const of = await this.#deps.kept.subscription(id)
      if (of) await this.#write(of, of.subscription, { letters: of.letters.filter((one) => !isSent(one)) }, NOBODY)
    })
  }

  async #subscription(id: string, by: Requester): Promise<KeptSubscription | undefined> {
    const { kept, sdk, clock, plans } = this.#deps
    const of = await kept.subscription(id)
    const fetched = await sdk.find((stripe) => stripe.subscriptions.retrieve(id))
    if (of && !fetched) await this.#write(of, of.subscription, {}, by)
    const customer = of?.subscription.customer ?? (await this.#customerOf(fetched?.metadata))
    if (!fetched || customer === undefined) return of
    const before = of && { subscription: of.subscription, price: textOf(of.head.fields.price) }
    const next = subscriptionOf(fetched, { customer, plans, before, now: clock.now() })
    if (!next) return undefined
    const fields = {
      price: fetched.items.data[0]?.price.id ?? null,
      payer: idOf(fetched.customer) ?? null,
      next: await this.#nextInvoice(next),
    }
    const letters = lettersOf(of, next, idOf(fetched.latest_invoice))
    try {
      await this.#write(of, next, { letters, fields }, by)
    } catch (error) {
      if (of || !(error instanceof Conflict)) throw error
      if (await this.#isTaken(next)) return undefined
      throw new Stale()
    }
    return kept.subscription(id)
  }

  async #write(
    of: KeptSubscription | undefined,
    next: Subscription,
    { letters = of?.letters ?? [], fields = {} }: { readonly letters?: readonly Pending[]; readonly fields?: Fields },
    { author, asked }: Requester,
  ): Promise<void> {
    const { store, kept, clock } = this.#deps
    const now = clock.now()
    const isLeft = next.status !== 'canceled' || (await kept.owed(next.id)).length > 0
    const due = letters.length > 0 ? now : isLeft ? now + DAY : undefined
    const set = { ...subscriptionFields(next, letters, due), gateway: 'stripe', ...fields, ...counted(of?.head.fields) }
    const key = of?.head.key ?? parseKey(SUBSCRIPTIONS, next.id)
    if (!key) return
    const isLive = next.status !== 'canceled'
    const change = of
      ? { key, put: { set }, expects: of.head.version }
      : { key, put: { set }, expects: 'absent' as const, ...(isLive && { unique: [{ field: 'live', value: next.customer }] }) }
    await store.write([change], author, asked)
  }

  /** Returns whether another subscription of the customer goes on, at Stripe too: this one waits until that has ended. */
  async #isTaken({ id, customer }: Subscription): Promise<boolean> {
    const other = (await this.#deps.kept.latest([customer])).get(customer)
    if (!other || other.subscription.id === id || other.subscription.status === 'canceled') return false
    if (other.gateway !== 'stripe') return true
    return (await this.subscription(other.subscription.id))?.subscription.status !== 'canceled'
  }

  /** The customer that a subscription at Stripe was begun for by this site. */
  async #customerOf(metadata: Stripe.Metadata | undefined): Promise<string | undefined> {
    const { [SITE_NAME]: site, [CUSTOMER_NAME]: customer = '' } = metadata ?? {}
    if (site !== this.#deps.site) return undefined
    return (await this.#deps.customers.byId(customer))?.id
  }

  /** The next invoice, as it is shown: with tax and proration, which Stripe knows alone. */
  async #nextInvoice(next: Subscription): Promise<Json> {
    const { sdk } = this.#deps
    if (next.cancelAtPeriodEnd || (next.status !== 'active' && next.status !== 'trialing')) return null
    const found = await sdk
      .find((stripe) => stripe.invoices.createPreview({ subscription: next.id }))
      .catch((error: unknown) => {
        if (error instanceof StripeRefusal) return undefined
        throw error
      })
    if (!found) return null
    const draft = invoiceOf(found, found.lines.data, await this.#about(next))
    const issuedAt = draft.periodStart
    return invoiceView({ ...draft, status: 'draft', paidAt: undefined, issuedAt, dueAt: issuedAt }) as unknown as Json
  }

  async #invoice(key: Key): Promise<KeptInvoice | undefined> {
    const { store, kept, sdk } = this.#deps
    const document = await store.get(key)
    const before = document && readInvoice(document)
    const fetched = await sdk.find((stripe) => stripe.invoices.retrieve(key.id))
    const subscription = fetched && subscriptionIdOf(fetched)
    if (!fetched || !subscription) return before
    const of = (await kept.subscription(subscription)) ?? (await this.subscription(subscription))
    if (of?.gateway !== 'stripe') return before
    const about = { ...(await this.#about(of.subscription)), ...(before && { seller: before.seller }) }
    const made = keptInvoiceOf(fetched, invoiceOf(fetched, await this.#linesOf(fetched), about))
    if (!made || (before && isDeepStrictEqual(invoiceFields(before), invoiceFields(made)))) return before
    const set = { ...invoiceFields(made), ...counted(document?.fields) }
    await store.write([{ key, put: { set }, expects: document?.version ?? 'absent' }], NOBODY.author).catch((error: unknown) => {
      throw error instanceof Conflict ? new Stale() : error
    })
    return made
  }

  async #linesOf({ id, lines }: Stripe.Invoice): Promise<readonly Stripe.InvoiceLineItem[]> {
    if (!lines.has_more) return lines.data
    return (await this.#deps.sdk.call((stripe) => stripe.invoices.listLineItems(id, { limit: MOST }))).data
  }

  async #about({ id, customer }: Subscription) {
    const buyer = (await this.#deps.customers.byId(customer)) ?? { id: customer, name: customer }
    return { subscription: id, buyer, seller: this.#deps.seller }
  }
}

/** The letters that are to be sent: one when a subscription comes to be past due. */
function lettersOf(of: KeptSubscription | undefined, next: Subscription, invoice: string | undefined): readonly Pending[] {
  const waiting = of?.letters ?? []
  const isNew = next.status === 'past_due' && of?.subscription.status !== 'past_due'
  return isNew && invoice !== undefined ? [...waiting, { letter: 'past-due', invoice }] : waiting
}

function counted(before: Fields | undefined): Fields {
  return { fetches: fetchesOf(before) + 1 }
}

/** Returns how often a document was written with what Stripe had. */
export function fetchesOf(fields: Fields | undefined): number {
  return typeof fields?.fetches === 'number' ? fields.fetches : 0
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
