const WRITTEN =
  /^(\d{4})([-/])(\d\d?)\2(\d\d?)(?:[Tt ]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*(?:([Zz]|UTC|GMT)|([+-]\d\d)(?::?(\d\d))?))?)?$/

const WHOLE = '2026-01-31T12:00:00.000Z'

/** No clock is farther from UTC, even where each town had its own. */
const FARTHEST_MS = 16 * 60 * 60_000

/** Formatters are dear to make (50 µs) and a site has one zone: kept by its name, as pure values. */
const zones = new Map<string, Intl.DateTimeFormat>()

/**
 * A date or time as front matter writes it, as RFC 3339 UTC with milliseconds; undefined where it is none.
 * Without an offset it is meant in `timezone` (IANA); a date alone is its midnight.
 */
export function toInstant(written: string, timezone: string): string | undefined {
  if (isWhole(written)) return written
  const match = WRITTEN.exec(written.trim())
  if (!match) return undefined
  const [, year, , month = '', day = '', hour = '0', minute = '00', second = '00', fraction = '', utc, sign, minutes = '00'] =
    match
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const local = `${date}T${hour.padStart(2, '0')}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`
  const time = Date.parse(`${local}Z`)
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(date)) return undefined
  const offset = utc
    ? 0
    : sign
      ? Number(sign) * 60 + (sign.startsWith('-') ? -1 : 1) * Number(minutes)
      : zoneOffset(time, timezone)
  if (Math.abs(offset) > 24 * 60) return undefined
  return new Date(time - offset * 60_000).toISOString()
}

/** Returns whether a time is already written in its final form. Most are, and need not be parsed. */
function isWhole(written: string): boolean {
  if (written.length !== WHOLE.length || !written.endsWith('Z')) return false
  const time = Date.parse(written)
  return !Number.isNaN(time) && new Date(time).toISOString() === written
}

/** An instant as the day it is midnight of in `timezone`, or undefined where it isn't a midnight there. */
export function toDay(instant: string, timezone: string): string | undefined {
  const time = Date.parse(instant)
  const day = dayAt(time, timezone)
  return toInstant(day, timezone) === new Date(time).toISOString() ? day : undefined
}

/** The day that the clocks of `timezone` show at an instant (milliseconds since 1970), as `2026-01-31`. */
export function dayAt(time: number, timezone: string): string {
  const offset = timezone === 'UTC' ? 0 : offsetAt(time, timezone)
  return new Date(time + offset * 60_000).toISOString().slice(0, -'T00:00:00.000Z'.length)
}

/**
 * Minutes east of UTC in `timezone` when its clocks show `local` (milliseconds as if UTC). Of a time that they show twice, those
 * before they are set back: it is the earlier instant. Of one that they skip, those before, too: it is the later instant, and a
 * day that has no midnight begins with its first moment (`compatible` in Temporal).
 */
function zoneOffset(local: number, timezone: string): number {
  if (timezone === 'UTC') return 0
  const [before, after] = [offsetAt(local - FARTHEST_MS, timezone), offsetAt(local + FARTHEST_MS, timezone)]
  if (before === after) return before
  return [before, after].find((offset) => offsetAt(local - offset * 60_000, timezone) === offset) ?? before
}

/** Returns the minutes that the clocks of `timezone` are ahead of UTC at an instant (milliseconds since 1970). */
export function offsetAt(time: number, timezone: string): number {
  const parts = Object.fromEntries(
    formatter(timezone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const shown = Date.UTC(year, month - 1, day, hour, minute, second)
  return Math.round((shown - Math.floor(time / 1000) * 1000) / 60_000)
}

function formatter(timezone: string): Intl.DateTimeFormat {
  const known = zones.get(timezone)
  if (known) return known
  const digits = 'numeric' as const
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    ...{ year: digits, month: digits, day: digits, hour: digits, minute: digits, second: digits },
  })
  zones.set(timezone, made)
  return made
}
