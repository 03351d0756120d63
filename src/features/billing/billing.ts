import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import { type ListMeta, metaOf, type Paging } from '#http/requests/paging.ts'
import { Conflict, Forbidden, InvalidInput, NotFound, Stale } from '#lib/errors.ts'
import type { Customer, Customers } from '../customers.ts'
import type { SubscriptionView } from '../subscription-view.ts'
import { anothers, type Gateway } from './gateway.ts'
import { type InvoiceStatus, type KeptInvoice, LISTED_STATUSES } from './invoice.ts'
import type { Kept } from './kept.ts'
import type { InvoiceView, Overview, PlanView } from './schema.ts'
import { mustHaveSeats } from './seats.ts'
import type { KeptSubscription } from './stored.ts'
import type { Plan } from './subscription.ts'
import { invoiceView, planView, viewOf } from './views.ts'

/** Number of times a checkout is tried again because its customer changed meanwhile. */
const TRIES = 100

/** Most teams of one owner whose invoices are listed together. */
const MOST_OWNED = 1000

/** The dependencies of billing. */
export interface BillingDeps {
  readonly kept: Kept
  readonly gateway: Gateway
  readonly customers: Customers
  readonly plans: readonly Plan[]
  readonly currency: string
  /** The address at which people see what they pay for. */
  readonly home: string
}

/** Subscriptions and invoices, for one caller at a time: all for owners of the site, else those of the teams that they own. */
export class Billing {
  readonly #deps: BillingDeps

  constructor(deps: BillingDeps) {
    this.#deps = deps
  }

  /** The customers that the caller acts for, at most so many. */
  customers(access: Access, most: number): Promise<readonly Customer[]> {
    const { customers } = this.#deps
    return access.may('billing:write') ? customers.some(most) : customers.ownedBy(access, most)
  }

  /** Returns whether the caller acts for the customer of a subscription. */
  async isOwner(access: Access, subscription: string): Promise<boolean> {
    if (access.may('billing:write')) return true
    const found = await this.#deps.kept.subscription(subscription)
    return found !== undefined && (await this.#deps.customers.standings(access)).get(found.subscription.customer) === 'owner'
  }

  /** The plans, in the order of the configuration. */
  plans(): { data: PlanView[]; meta: ListMeta } {
    const { plans, currency } = this.#deps
    const data = plans.map((plan) => planView(plan, currency))
    return { data, meta: metaOf(data.length, { page: 1, perPage: Math.max(1, data.length) }) }
  }

  /** The plan, the subscription, the seats and the next invoice of a customer. */
  async overview(access: Access, team?: string): Promise<Overview> {
    const { gateway } = this.#deps
    const customer = await this.#customer(access, team)
    const latest = await this.#latest(customer)
    const subscription = latest?.subscription
    const live = subscription?.status === 'canceled' ? undefined : subscription
    return {
      plan: live ? planView(live.plan, live.plan.currency) : null,
      subscription: subscription ? viewOf(subscription) : null,
      seats: { used: customer.members, of: live?.plan.seats ?? null },
      next_invoice: latest && live && latest.gateway === gateway.name ? gateway.next(latest, customer) : null,
    }
  }

  /** Begins a subscription, and gives the address where it goes on. Throws Conflict where there is one that has not ended. */
  async checkout(
    access: Access,
    asked: { readonly plan: string; readonly team?: string | undefined },
    from?: Asked,
  ): Promise<{ url: string }> {
    const { plans, gateway, home } = this.#deps
    for (let tries = 1; ; tries++) {
      const customer = await this.#customer(access, asked.team)
      const plan = plans.find(({ id }) => id === asked.plan)
      if (!plan) throw new InvalidInput({ plan: ['There is no such plan.'] })
      const before = await this.#latest(customer)
      if (before && before.subscription.status !== 'canceled') throw new Conflict('There is a subscription already.')
      mustHaveSeats(plan, customer.members, plans)
      try {
        return { url: (await gateway.checkout(customer, plan, { author: access.author, asked: from })) ?? home }
      } catch (error) {
        if (!(error instanceof Stale) || tries === TRIES) throw error
      }
    }
  }

  /** Has the subscription end with its period. */
  async cancel(access: Access, team?: string, from?: Asked): Promise<SubscriptionView> {
    return this.#change(access, team, (id) => this.#deps.gateway.cancel(id, { author: access.author, asked: from }))
  }

  /** Takes that back. */
  async resume(access: Access, team?: string, from?: Asked): Promise<SubscriptionView> {
    return this.#change(access, team, (id) => this.#deps.gateway.resume(id, { author: access.author, asked: from }))
  }

  /** A part of the invoices that the caller may see, the newest first. */
  async invoices(
    access: Access,
    { team, status }: { readonly team?: string | undefined; readonly status?: string | undefined },
    paging: Paging,
  ): Promise<{ data: InvoiceView[]; meta: ListMeta }> {
    const [customers, kept] = [await this.#listed(access, team), statusOf(status)]
    const part = { offset: (paging.page - 1) * paging.perPage, limit: paging.perPage }
    const { items, total } = await this.#deps.kept.invoices({ customers, status: kept }, part)
    return { data: items.map(invoiceView), meta: metaOf(total, paging) }
  }

  /**
   * An invoice that the caller may see, as it is kept. It is looked for among those of their teams alone: one of others takes the
   * time of one that is not there.
   */
  async invoice(access: Access, id: string): Promise<KeptInvoice> {
    const { kept, customers } = this.#deps
    const standings = access.may('billing:write') ? undefined : await customers.standings(access)
    const invoice = standings ? await kept.invoiceOf([...standings.keys()], id) : await kept.invoice(id)
    if (!invoice) throw noInvoice()
    if (standings?.get(invoice.customer) === 'member') throw mustOwn()
    return invoice
  }

  /** Notes that an open invoice was paid, or that it is void. For owners of the site. Throws NotFound where the gateway knows by itself. */
  async close(access: Access, id: string, status: 'paid' | 'void', from?: Asked): Promise<InvoiceView> {
    await this.invoice(access, id)
    if (!access.may('billing:write')) throw new Forbidden('This needs the right billing:write.')
    const closed = await this.#deps.gateway.close?.(id, status, { author: access.author, asked: from })
    if (!closed) throw new NotFound('There is no such thing.')
    return invoiceView(closed)
  }

  /** True where people say which invoices are paid, or void. */
  get isClosing(): boolean {
    return this.#deps.gateway.close !== undefined
  }

  /** The address of an invoice's page, where that is elsewhere. */
  async pageOf(invoice: KeptInvoice): Promise<string | undefined> {
    const { gateway, kept } = this.#deps
    const of = await kept.subscription(invoice.subscription)
    return of?.gateway === gateway.name ? gateway.pageOf?.(invoice) : undefined
  }

  async #change(access: Access, team: string | undefined, change: (id: string) => Promise<void>): Promise<SubscriptionView> {
    const customer = await this.#customer(access, team)
    const found = await this.#latest(customer)
    if (!found) throw new Conflict('There is no subscription.')
    if (found.gateway !== this.#deps.gateway.name) throw anothers()
    await change(found.subscription.id)
    const changed = await this.#deps.kept.subscription(found.subscription.id)
    return viewOf((changed ?? found).subscription)
  }

  /** The customer whom a request is about; `team` is needed where there are several. */
  async #customer(access: Access, team: string | undefined): Promise<Customer> {
    const { customers } = this.#deps
    const isOwner = access.may('billing:write')
    if (team !== undefined) {
      const standing = isOwner ? 'owner' : (await customers.standings(access)).get(team)
      if (standing === 'member') throw mustOwn()
      const customer = customers.areTeams && standing === 'owner' ? await customers.byId(team) : undefined
      if (!customer) throw new NotFound('The team was not found.')
      return customer
    }
    const [customer, another] = await this.customers(access, 2)
    if (another) throw new InvalidInput({ team: ['Say which team: there are several.'] })
    if (customer) return customer
    throw isOwner ? new NotFound('There is no team yet.') : mustOwn()
  }

  /** The ids of the customers whose invoices a list has; undefined for all. */
  async #listed(access: Access, team: string | undefined): Promise<readonly string[] | undefined> {
    if (team !== undefined) return [(await this.#customer(access, team)).id]
    if (access.may('billing:write')) return undefined
    const owned = await this.#deps.customers.ownedBy(access, MOST_OWNED)
    if (owned.length === 0) throw mustOwn()
    return owned.map(({ id }) => id)
  }

  async #latest({ id }: Customer): Promise<KeptSubscription | undefined> {
    return (await this.#deps.kept.latest([id])).get(id)
  }
}

function statusOf(text: string | undefined): InvoiceStatus | undefined {
  const status = LISTED_STATUSES.find((one) => one === text)
  if (text === undefined || status !== undefined) return status
  throw new InvalidInput({ status: [`The status is one of ${LISTED_STATUSES.join(', ')}.`] })
}

function noInvoice(): NotFound {
  return new NotFound('The invoice was not found.')
}

function mustOwn(): Forbidden {
  return new Forbidden('This needs to be an owner of the team, or the right billing:write.')
}
