import type { Author } from '#core/document.ts'
import type { Customer } from '../customers.ts'
import type { KeptInvoice } from './invoice.ts'
import type { Plan } from './subscription.ts'

/** The party that takes the money. */
export interface Gateway {
  /** Begins a subscription. Throws Conflict where the customer has one, and Stale where the customer was another meanwhile. */
  checkout(customer: Customer, plan: Plan, by: Author): Promise<void>
  /** Has a subscription end with its period. Throws Conflict where it has ended or is cancelled. */
  cancel(id: string, by: Author): Promise<void>
  /** Takes that back. Throws Conflict where it has ended or is not cancelled. */
  resume(id: string, by: Author): Promise<void>
  /** Notes that an open invoice was paid, or that it is void. Throws Conflict for one that is not open. */
  close(id: string, status: 'paid' | 'void', by: Author): Promise<KeptInvoice>
}
