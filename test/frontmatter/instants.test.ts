import fc from 'fast-check'
import t from 'tap'
import { dayAt, toDay, toInstant } from '#frontmatter/instants.ts'

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
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
