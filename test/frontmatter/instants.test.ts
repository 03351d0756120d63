import fc from 'fast-check'
import t from 'tap'
import { dayAt, toDay, toInstant } from '#frontmatter/instants.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/Dublin',
  'Atlantic/Azores',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Apia',
]

t.test('a day without a midnight begins with its first moment', async (t) => {
  t.equal(toInstant('2025-09-07', 'America/Santiago'), '2025-09-07T04:00:00.000Z')
  t.equal(toInstant('2027-03-14', 'America/Havana'), '2027-03-14T05:00:00.000Z')
  t.equal(toInstant('2027-03-14 00:30', 'America/Havana'), '2027-03-14T05:30:00.000Z', 'skipped: the later one')
  t.equal(toInstant('2026-03-29 02:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z')
  t.equal(toDay('2025-09-07T04:00:00.000Z', 'America/Santiago'), '2025-09-07')
})

t.test('a day is that day in its own zone, and comes back', async (t) => {
  const days = fc.date({ min: new Date('1975-01-01'), max: new Date('2037-12-31'), noInvalidDate: true })
  const property = fc.property(days, fc.constantFrom(...ZONES), (date, zone) => {
    const day = date.toISOString().slice(0, 10)
    // Apia went over to the other side of the date line without this one.
    if (day === '2011-12-30' && zone === 'Pacific/Apia') return true
    const instant = toInstant(day, zone)
    return instant !== undefined && dayAt(Date.parse(instant), zone) === day && toDay(instant, zone) === day
  })
  fc.assert(property, { numRuns: 5000 })
  t.pass('held')
})

t.test('a time that is shown twice is the earlier one, east and west of Greenwich', async (t) => {
  t.equal(toInstant('2026-10-25 02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z')
  t.equal(toInstant('2026-11-01 01:30', 'America/New_York'), '2026-11-01T05:30:00.000Z')
  t.equal(toInstant('2026-04-05 01:45', 'Australia/Lord_Howe'), '2026-04-04T14:45:00.000Z', 'half an hour')
  t.equal(toInstant('2026-10-25 02:30 +0100', 'Europe/Berlin'), '2026-10-25T01:30:00.000Z', 'the second one is written so')
})

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** What the clocks of a zone show at an instant, as `Intl` says it. */
function clocksOf(zone: string): (time: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return (time) => format.format(time)
}

/** The days within which the clocks of a zone are set. */
function changesOf(zone: string): number[] {
  const shown = clocksOf(zone)
  const days = Array.from({ length: 7 * 365 }, (_, n) => Date.UTC(2020, 0, 1) + n * DAY)
  const times = days.map((day) => shown(day).slice(10))
  return days.filter((_, n) => n + 1 < times.length && times[n] !== times[n + 1])
}

t.test('a time is the first instant at which the clocks show it', async (t) => {
  const zones = ZONES.map((name) => ({ shown: clocksOf(name), days: changesOf(name), name }))
  const around = fc.constantFrom(...zones).chain(({ shown, days, name }) =>
    fc.record({
      name: fc.constant(name),
      shown: fc.constant(shown),
      day: days.length > 0 ? fc.constantFrom(...days) : fc.constant(Date.UTC(2026, 5, 1)),
      minutes: fc.integer({ min: -12 * 60, max: 36 * 60 }),
    }),
  )
  const property = fc.property(around, ({ name, shown, day, minutes }) => {
    const time = day + minutes * MINUTE
    const text = shown(time)
    // Clocks are set back in quarters of an hour, by two hours at most.
    const same = Array.from({ length: 9 }, (_, n) => time - n * 15 * MINUTE).filter((other) => shown(other) === text)
    return Date.parse(toInstant(text, name) ?? '') === Math.min(...same)
  })
  fc.assert(property, { numRuns: 2000 })
  t.pass('held')
})
