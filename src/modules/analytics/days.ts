const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Tells the day (`2026-11-28`) of an instant in a time zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat
  /** The last answer, and the minute it is true of: clocks of a zone differ by whole minutes. */
  #minute = Number.NaN
  #day = ''

  constructor(timezone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' })
  }

  dayOf(time: number): string {
    const minute = Math.floor(time / MINUTE)
    if (minute === this.#minute) return this.#day
    const parts = new Map(this.#format.formatToParts(time).map(({ type, value }) => [type, value]))
    this.#minute = minute
    this.#day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
    return this.#day
  }
}

/** Returns whether a text is a day that there is: `2026-02-28`, not `2026-02-30`. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && textOf(timeOf(text)) === text
}

/** Returns the day so many days later, or earlier. */
export function daysLater(day: string, days: number): string {
  return textOf(timeOf(day) + days * DAY)
}

/** Returns the number of days from one to another, both counted. */
export function daysBetween(from: string, to: string): number {
  return Math.round((timeOf(to) - timeOf(from)) / DAY) + 1
}

/** Returns whether a day is a Saturday or a Sunday. */
export function isWeekend(day: string): boolean {
  return [0, 6].includes(new Date(timeOf(day)).getUTCDay())
}

/** The beginning of a day in UTC, which has days of 24 hours. */
function timeOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

function textOf(time: number): string {
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10)
}
