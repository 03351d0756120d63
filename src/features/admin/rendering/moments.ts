import { dateText } from './date-formats.ts'

/** The setting in which times are told. */
export interface Telling {
  readonly locale: string
  readonly timezone: string
  readonly now: number
}

/** A time as the panel tells it: in few words (10:41, Yesterday, 12 Nov), and with day and zone. */
export interface Moment {
  readonly short: string
  readonly long: string
}

const DAY = 86_400_000

/** Tells a day (`2026-11-12`), which is the same in all zones: "12 Nov", "3 Mar 2024"; undefined for what is none. */
export function dayText(value: unknown, { locale, timezone, now }: Telling): string | undefined {
  const at = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? Date.parse(value) : Number.NaN
  // There is no 31 February.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(String(value))) return undefined
  const isThisYear = String(value).slice(0, 4) === dateText('year', now, { locale: 'en', timezone })
  return dateText(isThisYear ? 'short' : 'shortWithYear', at, { locale, timezone: 'UTC' })
}

/** Tells a time (RFC 3339, or milliseconds since 1970) in the zone of the site; undefined for any other value. */
export function momentOf(value: unknown, telling: Telling): Moment | undefined {
  const { now } = telling
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const told = (form: Parameters<typeof dateText>[0], of = at) => dateText(form, of, telling)
  const long = told('long')
  const day = told('day')
  if (day === told('day', now)) return { short: told('clock'), long }
  if (day === told('day', now - DAY)) return { short: 'Yesterday', long }
  if (day === told('day', now + DAY)) return { short: 'Tomorrow', long }
  return { short: told(told('year') === told('year', now) ? 'short' : 'shortWithYear'), long }
}

/** Tells a time to come with its hour: "Today 18:00", "Tue 24 Nov, 07:00", "1 Jan 2099, 11:00"; undefined for what is no time (RFC 3339). */
export function comingOf(value: unknown, telling: Telling): Moment | undefined {
  const moment = momentOf(value, telling)
  if (!moment || typeof value !== 'string') return moment
  const clock = dateText('clock', Date.parse(value), telling)
  if (moment.short === clock) return { ...moment, short: `Today ${clock}` }
  if (moment.short === 'Tomorrow') return { ...moment, short: `Tomorrow ${clock}` }
  const at = Date.parse(value)
  const isThisYear = dateText('year', at, telling) === dateText('year', telling.now, telling)
  return { ...moment, short: dateText(isThisYear ? 'coming' : 'comingWithYear', at, telling) }
}
