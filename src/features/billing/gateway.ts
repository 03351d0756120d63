import type { Author } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { Conflict } from '#lib/errors.ts'
import type { Customer } from '../customers.ts'
import type { KeptInvoice } from './invoice.ts'
import type { InvoiceView } from './schema.ts'
import { BY_CLOCK, type GatewayName, type KeptSubscription, type Pending } from './stored.ts'
import type { Plan } from './subscription.ts'

/** The person that something is done for, and the request that it was asked by. */
export interface Requester {
  readonly author: Author
  readonly asked?: Asked | undefined
}

/** The requester of what nobody asks for. */
export const NOBODY: Requester = { author: BY_CLOCK }

/** The party that takes the money. What needs another's server throws Unavailable while that is away. */
export interface Gateway {
  readonly name: GatewayName
  /**
   * Begins a subscription, or gives the address where it is begun. Throws Conflict where the customer has one or is about to, and
   * Stale where the customer was another meanwhile.
   */
  checkout(customer: Customer, plan: Plan, by: Requester): Promise<string | undefined>
  /** Has a subscription end with its period. Throws Conflict where it has ended or is cancelled. */
  cancel(id: string, by: Requester): Promise<void>
  /** Takes that back. Throws Conflict where it has ended or is not cancelled. */
  resume(id: string, by: Requester): Promise<void>
  /** Does what is due of a subscription. */
  settle(id: string): Promise<void>
  /** Notes that letters of a subscription were sent. */
  sent(id: string, letters: readonly Pending[]): Promise<void>
  /** Returns the invoice that opens next, as a draft; null where none does. */
  next(of: KeptSubscription, customer: Pick<Customer, 'id' | 'name'>): InvoiceView | null
  /** Does what else is due, until a time in milliseconds since 1970. */
  work?(until: number): Promise<void>
  /** Throws Conflict while the customer is about to begin a subscription. */
  mustBeginNone?(customer: string): Promise<void>
  /** Returns the address of an invoice's page, where that is elsewhere. */
  pageOf?(invoice: KeptInvoice): Promise<string>
  /** Notes that an open invoice was paid, or that it is void. Throws Conflict for one that is not open. Absent where the gateway itself knows. */
  close?(id: string, status: 'paid' | 'void', by: Requester): Promise<KeptInvoice>
  /** Makes sure that it can work at all. Throws BadConfig where it can't. */
  begin?(): Promise<void>
  /** Ends what it is at. */
  end?(): Promise<void>
}

/** Returns the refusal of what was begun with another gateway than the one that is there now. */
export function anothers(): Conflict {
  return new Conflict('The subscription was begun with another gateway. It is changed there.')
}
