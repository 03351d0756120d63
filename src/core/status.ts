import type { Term } from '#lib/cache.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Status } from './types/content-type.ts'

/** Statuses that the clock makes of a stored live one: they are read, and never stored. */
export const CLOCK_STATUSES = ['scheduled', 'expired'] as const

/** A status that the clock makes. */
export type ClockStatus = (typeof CLOCK_STATUSES)[number]

/** Returns whether a status of this name is made by the clock. */
export function isClockStatus(name: string): name is ClockStatus {
  return CLOCK_STATUSES.some((status) => status === name)
}

/** The instant a field holds, in milliseconds since 1970, or undefined where it holds none. */
export function instantOf(value: Json | undefined): number | undefined {
  if (typeof value !== 'string') return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/**
 * Returns the effective status at a time: a stored live status reads as `scheduled` before `published_at` and as `expired` from
 * `expires_at` on.
 */
export function statusAt(fields: Readonly<Fields>, statuses: ReadonlyMap<string, Status>, now: number): string {
  const stored = typeof fields.status === 'string' ? fields.status : ''
  if (!statuses.get(stored)?.live) return stored
  const over = instantOf(fields.expires_at)
  if (over !== undefined && over <= now) return 'expired' satisfies ClockStatus
  const begins = instantOf(fields.published_at)
  return begins !== undefined && begins > now ? ('scheduled' satisfies ClockStatus) : stored
}

/** Returns whether a record is public now: in a live status, begun, and not expired. */
export function isLive(fields: Readonly<Fields>, statuses: ReadonlyMap<string, Status>, now: number): boolean {
  return statuses.get(statusAt(fields, statuses, now))?.live === true
}

/**
 * Returns whether a record that had these fields from one time until another (milliseconds since 1970) was public at any moment
 * in between.
 */
export function wasLive(
  fields: Readonly<Fields>,
  statuses: ReadonlyMap<string, Status>,
  { from, until }: { from: number; until: number },
): boolean {
  if (!statuses.get(typeof fields.status === 'string' ? fields.status : '')?.live) return false
  const begins = Math.max(from, instantOf(fields.published_at) ?? from)
  const ends = Math.min(Math.max(until, from + 1), instantOf(fields.expires_at) ?? Number.POSITIVE_INFINITY)
  return begins < ends
}

/**
 * Returns the term around `now` in which a record's effective status stays what it is: from the last change before, until the next
 * one.
 */
export function statusTerm(fields: Readonly<Fields>, statuses: ReadonlyMap<string, Status>, now: number): Term {
  let [from, until] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  if (!statuses.get(typeof fields.status === 'string' ? fields.status : '')?.live) return { from, until }
  for (const time of [instantOf(fields.published_at), instantOf(fields.expires_at)]) {
    if (time === undefined) continue
    if (time <= now) from = Math.max(from, time)
    else until = Math.min(until, time)
  }
  return { from, until }
}

/**
 * Returns the time of the next change of a record's effective status, in milliseconds since 1970. Undefined if it never changes.
 */
export function nextStatusChange(
  fields: Readonly<Fields>,
  statuses: ReadonlyMap<string, Status>,
  now: number,
): number | undefined {
  const { until } = statusTerm(fields, statuses, now)
  return Number.isFinite(until) ? until : undefined
}
