import type { Stripe } from 'stripe'
import { type Customer, SITE } from '../../customers.ts'
import type { Invoice, InvoiceStatus, KeptInvoice, Seller } from '../invoice.ts'
import { INTERVALS } from '../periods.ts'
import type { Agreed, Plan, Status, Subscription } from '../subscription.ts'
import { idOf } from './sdk.ts'

/** Currencies that Stripe counts in other units than ISO 4217 has, and how many of Stripe's make one. */
const UNITS: Readonly<Record<string, number>> = { isk: 100, ugx: 100, mga: 0.01 }

/** Returns an amount of Stripe's in minor units of ISO 4217. */
export function amountOf(amount: number, currency: string): number {
  return Math.round(amount / (UNITS[currency] ?? 1))
}

const STATUS: Readonly<Record<string, Status>> = {
  ...{ trialing: 'trialing', active: 'active', past_due: 'past_due', canceled: 'canceled' },
  // Stripe has given up asking for the money, or the trial is over and there is nobody to ask.
  ...{ unpaid: 'past_due', paused: 'past_due' },
}

/** The parts of a subscription that Stripe does not know. */
export interface OfOurs {
  readonly customer: string
  readonly plans: readonly (Plan & { readonly stripe_price?: string | undefined })[]
  /** As it was, with the price that it had at Stripe. */
  readonly before: { readonly subscription: Subscription; readonly price: string | undefined } | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Returns a subscription as Stripe has it now; undefined for one that has not begun, or never did. */
export function subscriptionOf(fetched: Stripe.Subscription, { customer, plans, before, now }: OfOurs): Subscription | undefined {
  // One that was there and came to nothing has ended.
  const status = STATUS[fetched.status] ?? (before ? 'canceled' : undefined)
  const item = fetched.items.data[0]
  if (!status || !item) return undefined
  const { subscription: known } = before ?? {}
  const ends = time(item.current_period_end)
  return {
    ...{ id: fetched.id, customer, status },
    plan: known && before?.price === item.price.id ? known.plan : agreedOn(item.price, plans, known?.plan),
    anchor: time(fetched.billing_cycle_anchor),
    invoiced: 0,
    periodStart: time(item.current_period_start),
    periodEnd: ends,
    cancelAtPeriodEnd: status !== 'canceled' && (fetched.cancel_at_period_end || fetched.cancel_at !== null),
    trialEndsAt: timeOf(fetched.trial_end),
    canceledAt: status === 'canceled' ? (timeOf(fetched.ended_at) ?? known?.canceledAt ?? now) : undefined,
    pastDueSince: status === 'past_due' ? (known?.pastDueSince ?? now) : undefined,
    isReminded: false,
    createdAt: time(fetched.created),
  }
}

/** Returns the plan that a price is of; of one that the configuration does not name, what Stripe says of it. */
function agreedOn(
  { id, nickname, currency, unit_amount, recurring }: Stripe.Price,
  plans: OfOurs['plans'],
  before?: Agreed,
): Agreed {
  const plan = plans.find(({ stripe_price }) => stripe_price === id)
  const amount = unit_amount === null ? undefined : amountOf(unit_amount, currency)
  const interval = INTERVALS.find((one) => one === recurring?.interval) ?? 'month'
  if (!plan) return { id, name: nickname ?? id, amount: amount ?? 0, interval, seats: before?.seats ?? null, currency }
  return { id: plan.id, name: plan.name, amount: amount ?? plan.amount, interval, seats: plan.seats, currency }
}

/** Returns the id of the subscription that an invoice of Stripe's is on. */
export function subscriptionIdOf({ parent }: Pick<Stripe.Invoice, 'parent'>): string | undefined {
  return idOf(parent?.subscription_details?.subscription)
}

/** The parts of an invoice that Stripe does not know. */
export interface AboutInvoice {
  readonly subscription: string
  readonly buyer: Pick<Customer, 'id' | 'name'>
  readonly seller: Seller
}

const INVOICE_STATUS: Readonly<Record<string, InvoiceStatus>> = {
  ...{ draft: 'draft', open: 'open', paid: 'paid', void: 'void' },
  // Nobody waits for the money any more.
  uncollectible: 'void',
}

/** Returns an invoice as Stripe has it now. `lines` are all of it. */
export function invoiceOf(fetched: Stripe.Invoice, lines: readonly Stripe.InvoiceLineItem[], about: AboutInvoice): Invoice {
  const { currency, status_transitions: when } = fetched
  const { subscription, buyer, seller } = about
  const of = (amount: number) => amountOf(amount, currency)
  const tax = (fetched.total_taxes ?? []).reduce((sum, one) => sum + one.amount, 0)
  const issuedAt = time(when.finalized_at ?? fetched.created)
  const status = INVOICE_STATUS[fetched.status ?? 'draft'] ?? 'open'
  return {
    ...{ subscription, currency, status, seller, issuedAt, taxPercent: 0 },
    customer: buyer.id,
    dueAt: timeOf(fetched.due_date) ?? issuedAt,
    paidAt: status === 'paid' ? (timeOf(when.paid_at) ?? issuedAt) : undefined,
    ...periodOf(fetched, lines),
    buyer: { team: buyer.id === SITE ? null : buyer.id, name: fetched.customer_name || buyer.name },
    lines: lines.map(({ description, quantity, amount }) => ({
      text: description ?? '',
      quantity: quantity ?? 1,
      amount: of(amount),
    })),
    subtotal: of(fetched.subtotal_excluding_tax ?? fetched.subtotal),
    tax: of(tax),
    total: of(fetched.amount_due),
    paid: of(fetched.amount_paid),
  }
}

/** Returns an invoice as it is kept: one that has a number. */
export function keptInvoiceOf(fetched: Stripe.Invoice, invoice: Invoice): KeptInvoice | undefined {
  const { id, number } = fetched
  return invoice.status === 'draft' || !number ? undefined : { ...invoice, id, number }
}

/** The period that is paid for: that of the invoice itself is the one before, in which what is used up was counted. */
function periodOf({ period_start, period_end }: Stripe.Invoice, lines: readonly Stripe.InvoiceLineItem[]) {
  const line = lines.find(({ parent }) => parent?.subscription_item_details?.proration === false)
  const { start, end } = line?.period ?? { start: period_start, end: period_end }
  return { periodStart: time(start), periodEnd: time(end) }
}

function time(seconds: number): number {
  return seconds * 1000
}

function timeOf(seconds: number | null): number | undefined {
  return seconds === null ? undefined : time(seconds)
}
