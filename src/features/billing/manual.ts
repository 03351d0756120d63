import { randomInt } from 'node:crypto'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, NotFound, Stale } from '#lib/errors.ts'
import { type Customer, type Customers, SITE } from '../customers.ts'
import { again } from './again.ts'
import { begun, nextStep, type Step } from './course.ts'
import { anothers, type Gateway, NOBODY, type Requester } from './gateway.ts'
import { type InvoiceTerms, invoiceOf, type KeptInvoice } from './invoice.ts'
import type { Kept } from './kept.ts'
import type { InvoiceView } from './schema.ts'
import type { KeptSubscription, Pending } from './stored.ts'
import type { Agreed, Owed, Plan, Subscription } from './subscription.ts'
import { nextInvoice } from './views.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 16

/** The dependencies of the gateway. */
export interface ManualDeps {
  readonly store: Store
  readonly kept: Kept
  readonly clock: Clock
  readonly customers: Customers
  readonly terms: InvoiceTerms
  /** ISO 4217, lower case. */
  readonly currency: string
}

/**
 * The gateway of who takes the money themselves: invoices by the clock, paid or void where an owner of the site says so. Each step
 * is one batch that starts from the versions it was worked out from, so that several nodes, and one that is killed, make each once.
 */
export class Manual implements Gateway {
  readonly name = 'manual'
  readonly #deps: ManualDeps

  constructor(deps: ManualDeps) {
    this.#deps = deps
  }

  async checkout(customer: Customer, plan: Plan, by: Requester): Promise<undefined> {
    const { store, kept, customers, clock, terms, currency } = this.#deps
    const before = (await kept.latest([customer.id])).get(customer.id)
    const { id, name, amount, interval, seats } = plan
    const agreed: Agreed = { id, name, amount, interval, seats, currency }
    // Who cancels within a trial would begin the next one for ever.
    const trialDays = before ? 0 : plan.trial_days
    const moment = { now: clock.now(), timezone: terms.timezone }
    const subscription = begun({ id: newId(), customer: customer.id, plan: agreed }, { ...moment, trialDays })
    const beginning = await customers.beginning(customer, subscription.id)
    const changes = [kept.making(subscription, subscription.periodEnd), ...beginning]
    await store.write(changes, by.author, by.asked).catch((error: unknown) => {
      throw error instanceof Conflict ? new Conflict('There is a subscription already.') : error
    })
    await this.settle(subscription.id)
    return undefined
  }

  async cancel(id: string, by: Requester): Promise<void> {
    await this.#change(id, by, (subscription, now) => {
      if (subscription.status === 'canceled') throw new Conflict('The subscription has ended.')
      if (subscription.cancelAtPeriodEnd) throw new Conflict('The subscription is cancelled already.')
      // While nothing is paid no period begins: it may be over.
      if (subscription.periodEnd <= now) return { ...subscription, status: 'canceled', canceledAt: now }
      return { ...subscription, cancelAtPeriodEnd: true }
    })
  }

  async resume(id: string, by: Requester): Promise<void> {
    await this.#change(id, by, (subscription) => {
      if (subscription.status === 'canceled') throw new Conflict('The subscription has ended. Begin another one.')
      if (!subscription.cancelAtPeriodEnd) throw new Conflict('The subscription is not cancelled.')
      return { ...subscription, cancelAtPeriodEnd: false }
    })
  }

  /** Notes that letters of a subscription were sent. */
  async sent(id: string, letters: readonly Pending[]): Promise<void> {
    const { kept, store } = this.#deps
    const isSent = ({ letter, invoice }: Pending) => letters.some((one) => one.letter === letter && one.invoice === invoice)
    await again(async () => {
      const of = await kept.subscription(id)
      if (!of) return
      const left = of.letters.filter((one) => !isSent(one))
      await store.write([kept.changing(of, of.subscription, left, await kept.owed(id), this.#moment())], NOBODY.author)
    })
  }

  async close(id: string, status: 'paid' | 'void', by: Requester): Promise<KeptInvoice> {
    const { store, kept, clock } = this.#deps
    const subscription = await again(async () => {
      const invoice = await kept.invoice(id)
      if (!invoice) throw new NotFound('The invoice was not found.')
      if (invoice.status !== 'open') throw new Conflict(`The invoice is ${invoice.status}. Only an open one can be ${status}.`)
      const set = status === 'paid' ? { status, paidAt: clock.now(), paid: invoice.total } : { status }
      const of = await kept.subscription(invoice.subscription)
      if (of && of.gateway !== this.name) throw anothers()
      const owed = await kept.owed(invoice.subscription)
      const left = owed.filter((one) => one.id !== id)
      const looked = of ? [kept.changing(of, of.subscription, of.letters, left, this.#moment())] : []
      await store.write([kept.settling(invoice, set), ...looked], by.author, by.asked)
      return invoice.subscription
    })
    await this.settle(subscription)
    const invoice = await kept.invoice(id)
    if (!invoice) throw new NotFound('The invoice was not found.')
    return invoice
  }

  next({ subscription }: KeptSubscription, customer: Pick<Customer, 'id' | 'name'>): InvoiceView | null {
    return nextInvoice(subscription, customer, this.#deps.terms)
  }

  /** Does what is due of a subscription, one step after the other. */
  async settle(id: string): Promise<void> {
    while (await again(() => this.#step(id)));
  }

  #moment() {
    return { now: this.#deps.clock.now(), timezone: this.#deps.terms.timezone }
  }

  /** Does the next step that is due; false where none is. */
  async #step(id: string): Promise<boolean> {
    const { kept, store } = this.#deps
    const of = await kept.subscription(id)
    if (!of) return false
    const owed = await kept.owed(id)
    const moment = this.#moment()
    const step = nextStep(of.subscription, owed, moment)
    if (step) await store.write(await this.#changesOf(of, step, owed), NOBODY.author).catch(isMet)
    else if (of.letters.length === 0) {
      // A look that found nothing to do is to find the next time.
      await store.write([kept.changing(of, of.subscription, [], owed, moment)], NOBODY.author)
    }
    return step !== undefined
  }

  async #changesOf(of: KeptSubscription, step: Step, owed: readonly Owed[]) {
    const { kept, customers, terms } = this.#deps
    const moment = this.#moment()
    if (step.does === 'change') {
      const about = owed.toSorted((a, b) => a.dueAt - b.dueAt)[0]
      const letters: readonly Pending[] =
        step.letter && about ? [...of.letters, { letter: step.letter, invoice: about.id }] : of.letters
      return [kept.changing(of, step.next, letters, owed, moment)]
    }
    const { customer } = step.next
    const buyer = { team: customer === SITE ? null : customer, name: (await customers.byId(customer))?.name ?? customer }
    const { invoice, changes } = await kept.numbered(invoiceOf(step.next, buyer, moment.now, terms), terms.timezone)
    const isOpen = invoice.status === 'open'
    const letters: readonly Pending[] = isOpen ? [...of.letters, { letter: 'invoice', invoice: invoice.id }] : of.letters
    return [kept.changing(of, step.next, letters, isOpen ? [...owed, invoice] : owed, moment), ...changes]
  }

  async #change(id: string, by: Requester, edit: (subscription: Subscription, now: number) => Subscription): Promise<void> {
    const { kept, store, clock } = this.#deps
    await this.settle(id)
    await again(async () => {
      const of = await kept.subscription(id)
      if (!of) throw new NotFound('There is no subscription.')
      const next = edit(of.subscription, clock.now())
      await store.write([kept.changing(of, next, of.letters, await kept.owed(id), this.#moment())], by.author, by.asked)
    })
  }
}

/** The first invoice of a year may be made twice at once. */
function isMet(error: unknown): never {
  throw error instanceof Conflict ? new Stale(error.message) : error
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}
