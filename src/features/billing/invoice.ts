import { taxOn } from './money.ts'
import { after } from './periods.ts'
import type { Subscription } from './subscription.ts'

/** The states of an invoice; a draft is one that is still to come. */
export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void'] as const

/** Those of invoices that are there. */
export const LISTED_STATUSES = INVOICE_STATUSES.filter((status) => status !== 'draft')

export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]

/** The seller, as invoices name them. */
export interface Seller {
  readonly name: string
  readonly address: string
  readonly tax_id: string
}

/** The buyer, as an invoice names them. */
export interface Buyer {
  /** The id of the team; null for the site. */
  readonly team: string | null
  readonly name: string
}

/** A line of an invoice: `amount` is that of the whole line, net, in minor units. */
export interface Line {
  readonly text: string
  readonly quantity: number
  readonly amount: number
}

/** An invoice. Times are milliseconds since 1970, amounts minor units of the currency. */
export interface Invoice {
  readonly subscription: string
  /** As in `Subscription`. */
  readonly customer: string
  readonly status: InvoiceStatus
  readonly issuedAt: number
  readonly dueAt: number
  readonly paidAt: number | undefined
  readonly periodStart: number
  readonly periodEnd: number
  readonly buyer: Buyer
  readonly seller: Seller
  readonly lines: readonly Line[]
  readonly subtotal: number
  readonly taxPercent: number
  readonly tax: number
  /** With tax. */
  readonly total: number
  readonly paid: number
  readonly currency: string
}

/** An invoice that is kept. */
export interface KeptInvoice extends Invoice {
  readonly id: string
  readonly number: string
}

/** The settings that invoices are made by. */
export interface InvoiceTerms {
  readonly seller: Seller
  readonly taxPercent: number
  /** Days from the opening in which it is to be paid. */
  readonly termsDays: number
  readonly timezone: string
}

/**
 * Returns the invoice on the period that a subscription is in: dated by the beginning of that, due so many days after `now`, when
 * it opens. One of nothing is paid.
 */
export function invoiceOf(subscription: Subscription, buyer: Buyer, now: number, terms: InvoiceTerms): Invoice {
  const { id, customer, plan, periodStart, periodEnd } = subscription
  const { seller, taxPercent, termsDays, timezone } = terms
  const tax = taxOn(plan.amount, taxPercent)
  const total = plan.amount + tax
  return {
    subscription: id,
    ...{ customer, buyer, seller, periodStart, periodEnd },
    status: total === 0 ? 'paid' : 'open',
    issuedAt: periodStart,
    dueAt: after(now, { count: termsDays, interval: 'day' }, timezone),
    paidAt: total === 0 ? periodStart : undefined,
    lines: [{ text: plan.name, quantity: 1, amount: plan.amount }],
    subtotal: plan.amount,
    ...{ taxPercent, tax, total },
    paid: 0,
    currency: plan.currency,
  }
}

/** Returns the number of the nth invoice of a year: `2026-00001`. */
export function invoiceNumber(year: number, n: number): string {
  return `${year}-${String(n).padStart(5, '0')}`
}
