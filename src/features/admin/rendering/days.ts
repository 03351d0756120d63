import { dateText } from './date-formats.ts'
import type { Telling } from './moments.ts'

const DAY = 86_400_000

/** Returns the day of a time (RFC 3339) in words: "Today", "20 November", "3 March 2024". */
export function dayOf(value: string, telling: Telling): string {
  const at = Date.parse(value)
  const { now } = telling
  const told = (form: Parameters<typeof dateText>[0], of = at) => dateText(form, of, telling)
  const day = told('day')
  if (day === told('day', now)) return 'Today'
  if (day === told('day', now - DAY)) return 'Yesterday'
  return told(told('year') === told('year', now) ? 'words' : 'wordsWithYear')
}

/** Returns the time of day of a time (RFC 3339): "10:41". */
export function clockOf(value: string, telling: Telling): string {
  return dateText('clock', Date.parse(value), telling)
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
