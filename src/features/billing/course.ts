import { after } from './periods.ts'
import type { Agreed, Owed, Subscription } from './subscription.ts'

/** Milliseconds from the letter on what is past due to the end of the subscription. */
export const GRACE = 30 * 86_400_000

/** Milliseconds before that end at which a reminder is sent. */
const REMINDER = 7 * 86_400_000

/** The messages about what is to be paid. */
export type Letter = 'invoice' | 'past-due' | 'past-due-reminder'

/** The time that it is, in milliseconds since 1970, and the zone whose calendar counts. */
export interface Moment {
  readonly now: number
  readonly timezone: string
}

/** The next thing that happens to a subscription, and how it is then. `at` is when that was due. */
export type Step =
  | { readonly does: 'open'; readonly at: number; readonly next: Subscription }
  | { readonly does: 'change'; readonly at: number; readonly next: Subscription; readonly letter?: Letter }

/** Returns the subscription that begins now: with a trial of so many days, or at its first period, which is still to be opened. */
export function begun(
  of: { readonly id: string; readonly customer: string; readonly plan: Agreed },
  { now, trialDays, timezone }: Moment & { readonly trialDays: number },
): Subscription {
  const isTrial = trialDays > 0
  const anchor = isTrial ? after(now, { count: trialDays, interval: 'day' }, timezone) : now
  return {
    ...of,
    status: isTrial ? 'trialing' : 'active',
    anchor,
    invoiced: 0,
    periodStart: now,
    periodEnd: anchor,
    cancelAtPeriodEnd: false,
    trialEndsAt: isTrial ? anchor : undefined,
    canceledAt: undefined,
    pastDueSince: undefined,
    isReminded: false,
    createdAt: now,
  }
}

/**
 * Returns the next step of a subscription that is due by now, undefined where none is: of several the one that was due first, so
 * that a downtime changes nothing but when they are made. `owed` are its invoices that are open.
 */
export function nextStep(subscription: Subscription, owed: readonly Owed[], moment: Moment): Step | undefined {
  const step = stepOf(subscription, owed, moment)
  return step && step.at <= moment.now ? step : undefined
}

/** Returns the time of the next step as it is known now; undefined where none comes. */
export function dueOf(subscription: Subscription, owed: readonly Owed[], moment: Moment): number | undefined {
  return stepOf(subscription, owed, moment)?.at
}

function stepOf(subscription: Subscription, owed: readonly Owed[], { now, timezone }: Moment): Step | undefined {
  const { status } = subscription
  if (status === 'canceled') return undefined
  if (status === 'past_due') return pastDueStep(subscription, owed, now)
  const overdue = Math.min(...owed.map(({ dueAt }) => dueAt))
  if (subscription.cancelAtPeriodEnd && subscription.periodEnd <= overdue) return ending(subscription, subscription.periodEnd)
  if (subscription.periodEnd <= overdue) return opening(subscription, timezone)
  // Those who pay late have all of the time from the letter on, however late that is.
  const next: Subscription = { ...subscription, status: 'past_due', pastDueSince: Math.max(now, overdue), isReminded: false }
  return { does: 'change', at: overdue, next, letter: 'past-due' }
}

function pastDueStep(subscription: Subscription, owed: readonly Owed[], now: number): Step {
  const { pastDueSince = 0, cancelAtPeriodEnd, periodEnd, isReminded } = subscription
  const end = Math.min(pastDueSince + GRACE, cancelAtPeriodEnd ? Math.max(periodEnd, pastDueSince) : Number.POSITIVE_INFINITY)
  const isPaid = !owed.some(({ dueAt }) => dueAt <= Math.max(now, pastDueSince))
  if (isPaid) {
    const next: Subscription = { ...subscription, status: 'active', pastDueSince: undefined, isReminded: false }
    return { does: 'change', at: pastDueSince, next }
  }
  const reminder = pastDueSince + GRACE - REMINDER
  if (isReminded || end <= reminder || now >= end) return ending(subscription, end)
  return { does: 'change', at: reminder, next: { ...subscription, isReminded: true }, letter: 'past-due-reminder' }
}

/** Returns a subscription as it is in the next period that will be opened; undefined where none is in sight. */
export function upcoming(subscription: Subscription, timezone: string): Subscription | undefined {
  const { status, cancelAtPeriodEnd } = subscription
  const goesOn = (status === 'trialing' || status === 'active') && !cancelAtPeriodEnd
  return goesOn ? opening(subscription, timezone).next : undefined
}

function ending(subscription: Subscription, at: number): Step {
  return { does: 'change', at, next: { ...subscription, status: 'canceled', canceledAt: at } }
}

function opening(subscription: Subscription, timezone: string): Step {
  const { anchor, plan, invoiced, periodEnd } = subscription
  const end = after(anchor, { count: invoiced + 1, interval: plan.interval }, timezone)
  const next: Subscription = {
    ...subscription,
    status: 'active',
    invoiced: invoiced + 1,
    periodStart: periodEnd,
    periodEnd: end,
  }
  return { does: 'open', at: periodEnd, next }
}
