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
