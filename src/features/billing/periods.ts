import { offsetAt, toInstant } from '#frontmatter/instants.ts'

/** Lengths that a period may have. */
export const INTERVALS = ['day', 'week', 'month', 'year'] as const

export type Interval = (typeof INTERVALS)[number]

/** A length of time on the calendar. */
export interface Span {
  readonly count: number
  readonly interval: Interval
}

/**
 * Returns the instant that is so much after another on the clocks of a zone (IANA), both in milliseconds since 1970: at the same
 * time of day, where the clocks show it. Months and years keep the day, or take the last one of a shorter month: what is counted
 * from the first day of all has no drift.
 */
export function after(start: number, { count, interval }: Span, timezone: string): number {
  const local = new Date(start + offsetOf(start, timezone) * 60_000)
  if (interval === 'day' || interval === 'week') {
    local.setUTCDate(local.getUTCDate() + count * (interval === 'week' ? 7 : 1))
  } else {
    const day = local.getUTCDate()
    local.setUTCDate(1)
    local.setUTCMonth(local.getUTCMonth() + count * (interval === 'year' ? 12 : 1))
    local.setUTCDate(Math.min(day, daysIn(local)))
  }
  return Date.parse(toInstant(local.toISOString().slice(0, -1), timezone) ?? '')
}

/** Returns the year that the clocks of a zone show at an instant. */
export function yearAt(instant: number, timezone: string): number {
  return new Date(instant + offsetOf(instant, timezone) * 60_000).getUTCFullYear()
}

function offsetOf(instant: number, timezone: string): number {
  return timezone === 'UTC' ? 0 : offsetAt(instant, timezone)
}

function daysIn(month: Date): number {
  return new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate()
}
