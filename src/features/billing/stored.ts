import type { Author, Head } from '#core/document.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { AuditedThing } from '../audited-thing.ts'
import type { PrivateThing } from '../private-thing.ts'
import type { Letter } from './course.ts'
import { INVOICE_STATUSES, type InvoiceStatus, type KeptInvoice, type Line } from './invoice.ts'
import { INTERVALS } from './periods.ts'
import { type Agreed, STATUSES, type Subscription } from './subscription.ts'

/** The private kinds of billing: the last document has the number of the last invoice of each year. */
export const SUBSCRIPTIONS = '.subscriptions'
export const INVOICES = '.invoices'
export const NUMBERS = '.invoice-numbers'

/** The author of what the clock brings about. */
export const BY_CLOCK: Author = { name: 'Billing', email: 'billing@localhost' }

/** Subscriptions as events tell of them. */
export const TOLD_SUBSCRIPTIONS: PrivateThing = {
  kind: SUBSCRIPTIONS,
  sort: 'subscription',
  names: {
    ...{ plan: 'plan', state: 'status', starts: 'current_period_start', ends: 'current_period_end' },
    ...{ cancels: 'cancel_at_period_end', trial_ends: 'trial_ends_at', ended: 'canceled_at' },
  },
  byClock: BY_CLOCK,
}

/** Subscriptions and invoices as the audit log tells of them. */
export const AUDITED_SUBSCRIPTIONS: AuditedThing = { kind: SUBSCRIPTIONS, sort: 'subscription', names: TOLD_SUBSCRIPTIONS.names }
export const AUDITED_INVOICES: AuditedThing = {
  kind: INVOICES,
  sort: 'invoice',
  names: { state: 'status', paid_on: 'paid_at' },
  title: 'number',
}

/** A letter that is still to be sent, and the invoice that it is about. */
export interface Pending {
  readonly letter: Letter
  readonly invoice: string
}

/** The gateways there are. */
export type GatewayName = 'manual' | 'stripe'

/** A subscription as it is kept. */
export interface KeptSubscription {
  readonly head: Head
  /** The one that it was begun with. */
  readonly gateway: GatewayName
  readonly subscription: Subscription
  readonly letters: readonly Pending[]
}

/** The subscription that a document holds; undefined where it can't be read as one. */
export function readSubscription(head: Head): KeptSubscription | undefined {
  const { key, fields, problem } = head
  const plan = readPlan(fields.plan)
  const status = STATUSES.find((one) => one === fields.state)
  const [anchor, starts, ends] = [instant(fields.anchor), instant(fields.starts), instant(fields.ends)]
  if (problem?.severity === 'error' || !plan || !status || typeof fields.customer !== 'string') return undefined
  if (anchor === undefined || starts === undefined || ends === undefined) return undefined
  const subscription: Subscription = {
    ...{ id: key.id, customer: fields.customer, plan, status, anchor, periodStart: starts, periodEnd: ends },
    invoiced: typeof fields.invoiced === 'number' ? fields.invoiced : 0,
    cancelAtPeriodEnd: fields.cancels === true,
    trialEndsAt: instant(fields.trial_ends),
    canceledAt: instant(fields.ended),
    pastDueSince: instant(fields.past_due),
    isReminded: fields.reminded === true,
    createdAt: instant(fields.begun) ?? starts,
  }
  const gateway = fields.gateway === 'stripe' ? 'stripe' : 'manual'
  return { head, gateway, subscription, letters: list(fields.letters).flatMap((one) => readPending(one) ?? []) }
}

/**
 * A subscription as a document has it. `due` is when it is to be looked at again; `live` has its customer until it has ended, who
 * can have one such.
 */
export function subscriptionFields(of: Subscription, letters: readonly Pending[], due: number | undefined): Fields {
  const { plan, customer, status, anchor, invoiced, periodStart, periodEnd, cancelAtPeriodEnd, isReminded } = of
  return {
    ...{ customer, plan: { ...plan }, state: status, invoiced },
    ...{ anchor: written(anchor), starts: written(periodStart), ends: written(periodEnd) },
    ...{ cancels: cancelAtPeriodEnd || null, reminded: isReminded || null },
    ...{ trial_ends: written(of.trialEndsAt), ended: written(of.canceledAt), past_due: written(of.pastDueSince) },
    begun: written(of.createdAt),
    due: written(due),
    live: status === 'canceled' ? null : customer,
    letters: letters.length === 0 ? null : letters.map(({ letter, invoice }) => ({ letter, invoice })),
  }
}

/** The invoice that a document holds; undefined where it can't be read as one. */
export function readInvoice({ key, fields, problem }: Head): KeptInvoice | undefined {
  const status = INVOICE_STATUSES.find((one) => one === fields.state)
  const { number, customer, subscription, currency } = fields
  if (problem?.severity === 'error' || !status || typeof number !== 'string' || typeof customer !== 'string') return undefined
  const issuedAt = instant(fields.issued)
  if (issuedAt === undefined || typeof subscription !== 'string' || typeof currency !== 'string') return undefined
  const [buyer, seller] = [object(fields.buyer), object(fields.seller)]
  return {
    ...{ id: key.id, number, customer, subscription, currency, status, issuedAt },
    dueAt: instant(fields.due) ?? issuedAt,
    paidAt: instant(fields.paid_on),
    periodStart: instant(fields.starts) ?? issuedAt,
    periodEnd: instant(fields.ends) ?? issuedAt,
    buyer: { team: typeof buyer.team === 'string' ? buyer.team : null, name: text(buyer.name) },
    seller: { name: text(seller.name), address: text(seller.address), tax_id: text(seller.tax_id) },
    lines: list(fields.lines).map(readLine),
    ...{ subtotal: amount(fields.subtotal), taxPercent: amount(fields.tax_percent), tax: amount(fields.tax) },
    ...{ total: amount(fields.total), paid: amount(fields.paid) },
  }
}

/** An invoice as a document has it. */
export function invoiceFields(of: KeptInvoice): Fields {
  const { number, customer, subscription, currency, status, buyer, seller, lines, subtotal, taxPercent, tax, total, paid } = of
  return {
    ...{ number, customer, subscription, currency, state: status, buyer: { ...buyer }, seller: { ...seller } },
    ...{ issued: written(of.issuedAt), due: written(of.dueAt), paid_on: written(of.paidAt) },
    ...{ starts: written(of.periodStart), ends: written(of.periodEnd), lines: lines.map((line) => ({ ...line })) },
    ...{ subtotal, tax_percent: taxPercent, tax, total, paid },
  }
}

/** Returns an instant as documents have it. */
export function written(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}

function readPlan(value: Json | undefined): Agreed | undefined {
  const { id, name, currency, seats, amount: price, interval } = object(value)
  const known = INTERVALS.find((one) => one === interval)
  if (typeof id !== 'string' || typeof name !== 'string' || typeof currency !== 'string' || !known) return undefined
  return { id, name, currency, interval: known, amount: amount(price), seats: typeof seats === 'number' ? seats : null }
}

function readPending(value: Json): Pending | undefined {
  const { letter, invoice } = object(value)
  const known = LETTERS.find((one) => one === letter)
  return known && typeof invoice === 'string' ? { letter: known, invoice } : undefined
}

const LETTERS: readonly Letter[] = ['invoice', 'past-due', 'past-due-reminder']

function readLine(value: Json): Line {
  const line = object(value)
  return { text: text(line.text), quantity: amount(line.quantity), amount: amount(line.amount) }
}

/** Returns the status of invoices as documents have it, for conditions. */
export function stateCondition(status: InvoiceStatus) {
  return { field: 'state', op: 'eq', value: status, as: 'text' } as const
}

function object(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function amount(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

function instant(value: Json | undefined): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
