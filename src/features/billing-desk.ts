import type { Access } from '#core/access/access.ts'
import type { Asked } from '#core/history/revision.ts'
import type { ListMeta, Paging } from '#http/requests/paging.ts'
import type { Customer } from './customers.ts'
import type { SubscriptionView } from './subscription-view.ts'

/** A plan as the panel shows it; `amount` is in minor units. */
export interface DeskPlan {
  readonly id: string
  readonly name: string
  readonly amount: number
  readonly currency: string
  readonly interval: string
  readonly trial_days: number
  readonly seats: number | null
}

/** An invoice as the panel lists it; times are RFC 3339, amounts in minor units. */
export interface DeskInvoice {
  readonly id: string | null
  readonly number: string | null
  readonly status: string
  readonly issued_at: string
  readonly due_at: string
  readonly customer: { readonly name: string }
  readonly amount_due: number
  readonly currency: string
}

/** The plan, the subscription, the seats and the next invoice of a customer. */
export interface DeskOverview {
  readonly plan: DeskPlan | null
  readonly subscription: SubscriptionView | null
  readonly seats: { readonly used: number; readonly of: number | null }
  readonly next_invoice: DeskInvoice | null
}

/** Billing as the panel works with it. Each method calls what the API's route calls, and throws what that throws. */
export interface BillingDesk {
  /** The customers that the caller acts for, at most so many. */
  customers(access: Access, most: number): Promise<readonly Customer[]>
  plans(): { readonly data: readonly DeskPlan[] }
  overview(access: Access, team?: string): Promise<DeskOverview>
  /** Begins a subscription; `url` is where it goes on, if that is elsewhere. */
  checkout(
    access: Access,
    asked: { readonly plan: string; readonly team?: string | undefined },
    from: Asked,
  ): Promise<{ readonly url: string | undefined }>
  cancel(access: Access, team: string | undefined, from: Asked): Promise<unknown>
  resume(access: Access, team: string | undefined, from: Asked): Promise<unknown>
  invoices(
    access: Access,
    of: { readonly team?: string | undefined },
    paging: Paging,
  ): Promise<{ readonly data: readonly DeskInvoice[]; readonly meta: ListMeta }>
  /** The page of an invoice, and its content security policy; or its address, if that is elsewhere. */
  page(access: Access, id: string): Promise<{ readonly html: string; readonly policy: string } | { readonly url: string }>
  /** The origins elsewhere where people may be led to pay. */
  readonly formsTo: readonly string[]
  /** True where people say which invoices are paid, or void. */
  readonly isClosing: boolean
  close(access: Access, id: string, status: 'paid' | 'void', from: Asked): Promise<unknown>
  /** Returns an amount of minor units in words. */
  money(amount: number, currency: string): string
}
