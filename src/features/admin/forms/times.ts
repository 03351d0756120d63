import { dateFault } from '#core/types/values.ts'
import { offsetAt, toInstant } from '#frontmatter/instants.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** Of the times that a date can hold, less a few days for offsets. */
const LATEST = 8.63e15
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/

/** Returns whether a text is a time as an input shows it. */
export function isLocal(text: string): boolean {
  return LOCAL.test(text) && toInstant(text, 'UTC') !== undefined
}

/**
 * Returns an instant as the clocks of a zone show it, `2026-11-23T10:41`; with seconds and milliseconds where these are not zero. A
 * text that is no time stays as it is: it was typed.
 */
export function localText(instant: string, zone: string): string {
  const time = Date.parse(instant)
  if (!(Math.abs(time) < LATEST)) return instant
  const shown = new Date(time + offsetIn(time, zone) * MINUTE).toISOString().slice(0, -1)
  if (!shown.endsWith('.000')) return shown
  return shown.endsWith(':00.000') ? shown.slice(0, -':00.000'.length) : shown.slice(0, -'.000'.length)
}

/**
 * Returns the instant that a text means in a zone, in RFC 3339 UTC with milliseconds; undefined where it is no date and time. A time
 * that the clocks skip is as much later. Of one that they show twice it is the first, or the second where `held` is a second one.
 */
export function instantOf(text: string, zone: string, held?: string): string | undefined {
  if (!LOCAL.test(text)) return dateFault(text) === undefined ? toInstant(text, zone) : undefined
  const utc = toInstant(text, 'UTC')
  if (utc === undefined) return undefined
  const local = Date.parse(utc)
  const [before, after] = [offsetIn(local - DAY, zone), offsetIn(local + DAY, zone)]
  const fits = [before, after].filter((offset) => offsetIn(local - offset * MINUTE, zone) === offset)
  const isSecond = held !== undefined && isShownBefore(Date.parse(held), zone)
  const offset = (isSecond ? fits.at(-1) : fits[0]) ?? before
  return new Date(local - offset * MINUTE).toISOString()
}

/** Returns whether the clocks of a zone showed the same as at this time within the day before it. */
function isShownBefore(time: number, zone: string): boolean {
  const now = offsetIn(time, zone)
  const before = offsetIn(time - DAY, zone)
  return before > now && offsetIn(time - (before - now) * MINUTE, zone) === before
}

function offsetIn(time: number, zone: string): number {
  return zone === 'UTC' ? 0 : offsetAt(time, zone)
}
