import { randomInt } from 'node:crypto'
import type { Author } from '#core/document.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, NotFound, Stale } from '#lib/errors.ts'
import { type Customer, type Customers, SITE } from '../customers.ts'
import { begun, nextStep, type Step } from './course.ts'
import type { Gateway } from './gateway.ts'
import { type InvoiceTerms, invoiceOf, type KeptInvoice } from './invoice.ts'
import type { Kept } from './kept.ts'
import { BY_CLOCK, type KeptSubscription, type Pending } from './stored.ts'
import type { Agreed, Owed, Plan, Subscription } from './subscription.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 16

/** Number of times a change is tried again because another came in between. */
const TRIES = 1000

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
  readonly #deps: ManualDeps

  constructor(deps: ManualDeps) {
    this.#deps = deps
  }

  async checkout(customer: Customer, plan: Plan, by: Author): Promise<void> {
    const { store, kept, customers, clock, terms, currency } = this.#deps
    const before = (await kept.latest([customer.id])).get(customer.id)
    const { id, name, amount, interval, seats } = plan
    const agreed: Agreed = { id, name, amount, interval, seats, currency }
    // Who cancels within a trial would begin the next one for ever.
    const trialDays = before ? 0 : plan.trial_days
    const moment = { now: clock.now(), timezone: terms.timezone }
    const subscription = begun({ id: newId(), customer: customer.id, plan: agreed }, { ...moment, trialDays })
    const beginning = await customers.beginning(customer, subscription.id)
    await store.write([kept.making(subscription, subscription.periodEnd), ...beginning], by)
    await this.settle(subscription.id)
  }

  async cancel(id: string, by: Author): Promise<void> {
    await this.#change(id, by, (subscription, now) => {
      if (subscription.status === 'canceled') throw new Conflict('The subscription has ended.')
      if (subscription.cancelAtPeriodEnd) throw new Conflict('The subscription is cancelled already.')
      // While nothing is paid no period begins: it may be over.
      if (subscription.periodEnd <= now) return { ...subscription, status: 'canceled', canceledAt: now }
      return { ...subscription, cancelAtPeriodEnd: true }
    })
  }

  async resume(id: string, by: Author): Promise<void> {
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
      await store.write([kept.changing(of, of.subscription, left, await kept.owed(id), this.#moment())], BY_CLOCK)
    })
  }

  async close(id: string, status: 'paid' | 'void', by: Author): Promise<KeptInvoice> {
    const { store, kept, clock } = this.#deps
    const subscription = await again(async () => {
      const invoice = await kept.invoice(id)
      if (!invoice) throw new NotFound('The invoice was not found.')
      if (invoice.status !== 'open') throw new Conflict(`The invoice is ${invoice.status}. Only an open one can be ${status}.`)
      const set = status === 'paid' ? { status, paidAt: clock.now(), paid: invoice.total } : { status }
      const of = await kept.subscription(invoice.subscription)
      const owed = await kept.owed(invoice.subscription)
      const left = owed.filter((one) => one.id !== id)
      const looked = of ? [kept.changing(of, of.subscription, of.letters, left, this.#moment())] : []
      await store.write([kept.settling(invoice, set), ...looked], by)
      return invoice.subscription
    })
    await this.settle(subscription)
    const invoice = await kept.invoice(id)
    if (!invoice) throw new NotFound('The invoice was not found.')
    return invoice
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
    if (step) await store.write(await this.#changesOf(of, step, owed), BY_CLOCK).catch(isMet)
    else if (of.letters.length === 0) {
      // A look that found nothing to do is to find the next time.
      await store.write([kept.changing(of, of.subscription, [], owed, moment)], BY_CLOCK)
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

  async #change(id: string, by: Author, edit: (subscription: Subscription, now: number) => Subscription): Promise<void> {
    const { kept, store, clock } = this.#deps
    await this.settle(id)
    await again(async () => {
      const of = await kept.subscription(id)
      if (!of) throw new NotFound('There is no subscription.')
      const next = edit(of.subscription, clock.now())
      await store.write([kept.changing(of, next, of.letters, await kept.owed(id), this.#moment())], by)
    })
  }
}

/** Works until nothing came in between. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Stale) || tries === TRIES) throw error
    }
  }
}

/** The first invoice of a year may be made twice at once. */
function isMet(error: unknown): never {
  throw error instanceof Conflict ? new Stale(error.message) : error
}

function newId(): string {
  return Array.from({ length: ID_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}
