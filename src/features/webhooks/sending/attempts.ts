import type { Answer, Delivery } from '../delivery-store.ts'
import type { Webhook, WebhookChange } from '../webhook.ts'
import { isTaken } from './sender.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Milliseconds between one attempt and the next; those after them are further `LATER` apart. About a day in all. */
const WAITS: readonly number[] = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR]
const LATER = 2.5 * HOUR

/** Number of times that an event is sent before it is given up. */
export const ATTEMPTS = 16

/** Milliseconds of nothing but failures after which a webhook is disabled. */
const MOST_FAILING = 3 * 24 * HOUR

/** A delivery that was tried; without an answer where its reader may not know of it any more, so that it was not sent. */
export interface Tried {
  readonly delivery: Delivery
  readonly answer: Answer | undefined
}

const UNTOLD: Answer = { status: null, body: 'It was not sent: who made the webhook may not read that any more.' }

/** Returns a delivery after one more attempt at `now`. */
export function afterAttempt({ delivery, answer }: Tried, now: number): Delivery {
  if (!answer) return { ...delivery, answer: UNTOLD, state: 'failed', nextAt: undefined }
  const attempts = delivery.attempts + 1
  if (isTaken(answer)) return { ...delivery, attempts, answer, state: 'delivered', nextAt: undefined }
  const isOver = attempts >= ATTEMPTS || answer.status === GONE
  const nextAt = isOver ? undefined : now + (WAITS[attempts - 1] ?? LATER)
  return { ...delivery, attempts, answer, state: isOver ? 'failed' : 'pending', nextAt }
}

/** The status by which a receiver says that it wants to be told no more. */
const GONE = 410

/** Returns what attempts come to for their webhook: one that takes nothing for three days, or is gone, is disabled. */
export function fate({ failingSince }: Webhook, tried: readonly Tried[], now: number): WebhookChange {
  const answers = tried.flatMap(({ answer }) => answer ?? [])
  if (answers.some(({ status }) => status === GONE)) return disabled('The receiver answered 410 Gone.', now)
  if (answers.some(isTaken)) return { failingSince: undefined }
  if (answers.length === 0) return {}
  const since = failingSince ?? now
  return now - since < MOST_FAILING ? { failingSince: since } : { ...disabled(FAILED, now), failingSince: since }
}

const FAILED = 'Nothing was taken for three days.'

/** Returns the change that disables a webhook. */
export function disabled(disabledReason: string, now: number): WebhookChange {
  return { isEnabled: false, disabledAt: now, disabledReason }
}

/** Returns whether it was three days of failures that disabled a webhook. */
export function hasFailed({ isEnabled, disabledReason }: Pick<Webhook, 'isEnabled' | 'disabledReason'>): boolean {
  return !isEnabled && disabledReason === FAILED
}
