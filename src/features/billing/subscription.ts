import type { Interval } from './periods.ts'

/** A plan of the configuration. */
export interface Plan {
  readonly id: string
  readonly name: string
  /** Net, in minor units, for each period. */
  readonly amount: number
  readonly interval: Interval
  readonly trial_days: number
  /** Number of members that it is for; null for any. */
  readonly seats: number | null
}

/** A plan as it was agreed on: a change of the configuration is for those who come later. */
export interface Agreed {
  readonly id: string
  readonly name: string
  readonly amount: number
  readonly interval: Interval
  readonly seats: number | null
  /** ISO 4217, lower case. */
  readonly currency: string
}

/** The states of a subscription. */
export const STATUSES = ['trialing', 'active', 'past_due', 'canceled'] as const

export type Status = (typeof STATUSES)[number]

/** The subscription of a customer. Times are milliseconds since 1970. */
export interface Subscription {
  readonly id: string
  /** The id of a team; `SITE` for the site itself. */
  readonly customer: string
  readonly plan: Agreed
  readonly status: Status
  /** The first day of all: the beginning of the first period that is paid for, which all others are counted from. */
  readonly anchor: number
  /** Number of periods that were invoiced. */
  readonly invoiced: number
  readonly periodStart: number
  readonly periodEnd: number
  readonly cancelAtPeriodEnd: boolean
  readonly trialEndsAt: number | undefined
  readonly canceledAt: number | undefined
  /** The time at which it was found past due. */
  readonly pastDueSince: number | undefined
  /** True once whom it is about was reminded of what is past due. */
  readonly isReminded: boolean
  readonly createdAt: number
}

/** An invoice that is neither paid nor void, as far as it matters to its subscription. */
export interface Owed {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly dueAt: number
}
