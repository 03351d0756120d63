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
export function momentOf(value: unknown, { locale, timezone, now }: Telling): Moment | undefined {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const told = (options: Intl.DateTimeFormatOptions, of = at) =>
    new Intl.DateTimeFormat(locale, { timeZone: timezone, ...options }).format(of)
  const day = (of: number) => told({ year: 'numeric', month: '2-digit', day: '2-digit' }, of)
  const isThisYear = told({ year: 'numeric' }) === told({ year: 'numeric' }, now)
  const long = told({ dateStyle: 'long', timeStyle: 'short' })
  if (day(at) === day(now)) return { short: told({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }), long }
  if (day(at) === day(now - DAY)) return { short: 'Yesterday', long }
  if (day(at) === day(now + DAY)) return { short: 'Tomorrow', long }
  return { short: told({ day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) }), long }
}
