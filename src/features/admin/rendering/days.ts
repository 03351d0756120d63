import type { Telling } from './moments.ts'

const DAY = 86_400_000

/** Returns the day of a time (RFC 3339) in words: "Today", "20 November", "3 March 2024". */
export function dayOf(value: string, { locale, timezone, now }: Telling): string {
  const at = Date.parse(value)
  const told = (options: Intl.DateTimeFormatOptions, of = at) =>
    new Intl.DateTimeFormat(locale, { timeZone: timezone, ...options }).format(of)
  const day = (of: number) => told({ year: 'numeric', month: '2-digit', day: '2-digit' }, of)
  if (day(at) === day(now)) return 'Today'
  if (day(at) === day(now - DAY)) return 'Yesterday'
  const isThisYear = told({ year: 'numeric' }) === told({ year: 'numeric' }, now)
  return told({ day: 'numeric', month: 'long', ...(!isThisYear && { year: 'numeric' }) })
}

/** Returns the time of day of a time (RFC 3339): "10:41". */
export function clockOf(value: string, { locale, timezone }: Telling): string {
  const options = { timeZone: timezone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat(locale, options).format(Date.parse(value))
}

/** Returns day and time for the middle of a sentence: "today 10:41". */
export function momentWithin(value: string, telling: Telling): string {
  return `${dayWithin(value, telling)} ${clockOf(value, telling)}`
}

/** Returns the day for the middle of a sentence: "today". */
export function dayWithin(value: string, telling: Telling): string {
  const day = dayOf(value, telling)
  return day === 'Today' || day === 'Yesterday' ? day.toLowerCase() : day
}
