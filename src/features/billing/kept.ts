import { keyOf, parseKey } from '#core/key.ts'
import type { Condition, Page } from '#core/queries/query.ts'
import type { Change, Part, Store } from '#core/store.ts'
import { dueOf, type Moment } from './course.ts'
import { type Invoice, type InvoiceStatus, invoiceNumber, type KeptInvoice } from './invoice.ts'
import { yearAt } from './periods.ts'
import {
  INVOICES,
  invoiceFields,
  type KeptSubscription,
  NUMBERS,
  type Pending,
  readInvoice,
  readSubscription,
  SUBSCRIPTIONS,
  stateCondition,
  subscriptionFields,
  written,
} from './stored.ts'
import type { Owed, Subscription } from './subscription.ts'

/** Invoices of some customers, or of all, in one status or any. */
export interface InvoiceFilter {
  readonly customers?: readonly string[] | undefined
  readonly status?: InvoiceStatus | undefined
}

/** Subscriptions and invoices as documents, and the changes that write them. */
export class Kept {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async subscription(id: string): Promise<KeptSubscription | undefined> {
    const key = parseKey(SUBSCRIPTIONS, id)
    const document = key && (await this.#store.get(key))
    return document && readSubscription(document)
  }

  /** The last subscription of each of these customers, by them: the one that is live, where there is one. */
  async latest(customers: readonly string[]): Promise<ReadonlyMap<string, KeptSubscription>> {
    const where = [{ field: 'customer', op: 'in', value: [...customers], as: 'text' } satisfies Condition]
    const sort = [{ field: 'begun', descending: false, as: 'text' } as const]
    const { items } = await this.#store.heads(SUBSCRIPTIONS, { where, sort })
    const read = items.flatMap((head) => readSubscription(head) ?? [])
    const byLife = read.sort((a, b) => Number(isLive(a)) - Number(isLive(b)))
    return new Map(byLife.map((one) => [one.subscription.customer, one]))
  }

  /** The ids of subscriptions that something is to be done about by now, the longest due first. */
  async due(now: number, part: Part): Promise<readonly string[]> {
    const where = [{ field: 'due', op: 'lte', value: written(now), as: 'text' } as const]
    const sort = [{ field: 'due', descending: false, as: 'text' } as const]
    const { items } = await this.#store.heads(SUBSCRIPTIONS, { where, sort, ...part })
    return items.map(({ key }) => key.id)
  }

  async invoice(id: string): Promise<(KeptInvoice & { readonly version: string }) | undefined> {
    const key = parseKey(INVOICES, id)
    const document = key && (await this.#store.get(key))
    const invoice = document && readInvoice(document)
    return invoice && { ...invoice, version: document.version }
  }

  /** The invoice of that id, if it is of one of these customers: all of theirs are looked through, and no other. */
  async invoiceOf(customers: readonly string[], id: string): Promise<KeptInvoice | undefined> {
    const where: readonly Condition[] = [
      { field: 'customer', op: 'in', value: [...customers], as: 'text' },
      { field: 'id', op: 'eq', value: id, as: 'text' },
    ]
    const { items } = await this.#store.heads(INVOICES, { where, limit: 1 })
    return items[0] && readInvoice(items[0])
  }

  /** A part of the list of invoices, the newest first. */
  async invoices({ customers, status }: InvoiceFilter, part: Part): Promise<Page<KeptInvoice>> {
    const where: readonly Condition[] = [
      ...(customers ? [{ field: 'customer', op: 'in', value: [...customers], as: 'text' } satisfies Condition] : []),
      ...(status ? [stateCondition(status)] : []),
    ]
    const sort = ['issued', 'number'].map((field) => ({ field, descending: true, as: 'text' }) as const)
    const { items, total } = await this.#store.heads(INVOICES, { where, sort, ...part })
    return { items: items.flatMap((head) => readInvoice(head) ?? []), total }
  }

  /** The invoices of a subscription that are open. */
  async owed(subscription: string): Promise<readonly Owed[]> {
    const where = [{ field: 'subscription', op: 'eq', value: subscription, as: 'text' } as const, stateCondition('open')]
    const { items } = await this.#store.heads(INVOICES, { where })
    return items.flatMap((head) => readInvoice(head) ?? [])
  }

  /** The change that makes a subscription. It fails with Conflict where its customer has one that is live. */
  making(of: Subscription, due: number): Change {
    const key = keyOf(SUBSCRIPTIONS, of.id)
    const unique = [{ field: 'live', value: of.customer }]
    return { key, put: { set: subscriptionFields(of, [], due) }, expects: 'absent', unique }
  }

  /** The change of a subscription that was read: letters that wait are due at once. */
  changing(
    { head }: KeptSubscription,
    next: Subscription,
    letters: readonly Pending[],
    owed: readonly Owed[],
    at: Moment,
  ): Change {
    const due = letters.length > 0 ? at.now : dueOf(next, owed, at)
    return { key: head.key, put: { set: subscriptionFields(next, letters, due) }, expects: head.version }
  }

  /** The invoice with its number, the next one of its year, and the changes that make it: they fail where that was given to another. */
  async numbered(invoice: Invoice, timezone: string): Promise<{ readonly invoice: KeptInvoice; readonly changes: Change[] }> {
    const year = yearAt(invoice.issuedAt, timezone)
    const key = keyOf(NUMBERS, String(year))
    const counter = await this.#store.get(key)
    const last = counter?.fields.last
    const n = (typeof last === 'number' ? last : 0) + 1
    const number = invoiceNumber(year, n)
    const made = { ...invoice, id: number, number }
    const changes: Change[] = [
      { key, put: { set: { last: n } }, expects: counter?.version ?? 'absent' },
      { key: keyOf(INVOICES, number), put: { set: invoiceFields(made) }, expects: 'absent' },
    ]
    return { invoice: made, changes }
  }

  /** The change of an invoice that was read. */
  settling(invoice: KeptInvoice & { readonly version: string }, set: Partial<KeptInvoice>): Change {
    const { version, ...kept } = invoice
    return { key: keyOf(INVOICES, kept.id), put: { set: invoiceFields({ ...kept, ...set }) }, expects: version }
  }
}

function isLive({ subscription }: KeptSubscription): boolean {
  return subscription.status !== 'canceled'
}
