import { type Customer, SITE } from '../customers.ts'
import type { SubscriptionView } from '../subscription-view.ts'
import { upcoming } from './course.ts'
import { type Invoice, type InvoiceTerms, invoiceOf, type KeptInvoice } from './invoice.ts'
import type { InvoiceView, PlanView } from './schema.ts'
import type { Agreed, Plan, Subscription } from './subscription.ts'

/** Returns a plan as it is shown; one that was agreed on says no more of trials. */
export function planView(plan: Plan | Agreed, currency: string): PlanView {
  const { id, name, amount, interval, seats } = plan
  return { id, name, amount, currency, interval, trial_days: 'trial_days' in plan ? plan.trial_days : 0, seats }
}

/** Returns a subscription as it is shown. */
export function viewOf(subscription: Subscription): SubscriptionView {
  const { id, customer, plan, status, periodStart, periodEnd, cancelAtPeriodEnd, trialEndsAt, canceledAt } = subscription
  return {
    ...{ id, team: customer === SITE ? null : customer, plan: plan.id, status },
    ...{ current_period_start: iso(periodStart), current_period_end: iso(periodEnd) },
    cancel_at_period_end: cancelAtPeriodEnd,
    ...{ trial_ends_at: isoOrNull(trialEndsAt), canceled_at: isoOrNull(canceledAt) },
  }
}

/** Returns an invoice as it is shown. */
export function invoiceView(invoice: Invoice & Partial<Pick<KeptInvoice, 'id' | 'number'>>): InvoiceView {
  const { id = null, number = null, status, issuedAt, dueAt, paidAt, periodStart, periodEnd } = invoice
  const { buyer, seller, lines, subtotal, tax, total, paid, currency } = invoice
  return {
    ...{ id, number, status, issued_at: iso(issuedAt), due_at: iso(dueAt), paid_at: isoOrNull(paidAt) },
    period: { start: iso(periodStart), end: iso(periodEnd) },
    ...{ customer: { ...buyer }, seller: { ...seller }, lines: lines.map((line) => ({ ...line })) },
    ...{ subtotal, tax, amount_due: total, amount_paid: paid, currency },
  }
}

/** Returns the invoice that opens next, as a draft; null where none does. */
export function nextInvoice(
  subscription: Subscription,
  { id, name }: Pick<Customer, 'id' | 'name'>,
  terms: InvoiceTerms,
): InvoiceView | null {
  const next = upcoming(subscription, terms.timezone)
  if (!next) return null
  const team = id === SITE ? null : id
  const draft = invoiceOf(next, { team, name }, next.periodStart, terms)
  return invoiceView({ ...draft, status: 'draft', paidAt: undefined })
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function isoOrNull(time: number | undefined): string | null {
  return time === undefined ? null : iso(time)
}
