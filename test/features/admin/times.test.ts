import fc from 'fast-check'
import t from 'tap'
import { instantOf, localText } from '#features/admin/forms/times.ts'
import { comingOf, dayText, momentOf } from '#features/admin/rendering/moments.ts'

t.test('a time is shown by the clocks of its zone, as exact as it is', async (t) => {
  t.equal(localText('2026-11-23T09:41:00.000Z', 'Europe/Vienna'), '2026-11-23T10:41')
  t.equal(localText('2026-11-23T09:41:07.000Z', 'Europe/Vienna'), '2026-11-23T10:41:07')
  t.equal(localText('2026-11-23T09:41:00.250Z', 'Europe/Vienna'), '2026-11-23T10:41:00.250')
  t.equal(localText('2026-11-23T23:30:00.000Z', 'Asia/Kathmandu'), '2026-11-24T05:15')
  t.equal(localText('2026-11-23T23:30:00+02:00', 'UTC'), '2026-11-23T21:30')
  for (const typed of ['soon', '', '+275760-09-13T00:00:00Z']) t.equal(localText(typed, 'Europe/Vienna'), typed, 'no time')
})

t.test('a time that the clocks skip is as much later', async (t) => {
  t.equal(instantOf('2026-03-29T02:30', 'Europe/Vienna'), '2026-03-29T01:30:00.000Z')
  t.equal(instantOf('2026-03-08T02:30', 'America/New_York'), '2026-03-08T07:30:00.000Z')
  t.equal(instantOf('2011-12-30T12:00', 'Pacific/Apia'), '2011-12-30T22:00:00.000Z', 'a day that was none')
})

t.test('of a time that the clocks show twice it is the first, or the one it was', async (t) => {
  for (const [zone, local, first, second] of [
    ['Europe/Vienna', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z'],
  ] as const) {
    t.equal(instantOf(local, zone), first, zone)
    t.equal(instantOf(local, zone, first), first, zone)
    t.equal(instantOf(local, zone, second), second, zone)
    t.equal(instantOf(local, zone, '2026-07-01T00:00:00.000Z'), first, zone)
  }
})

t.test('what names an offset, or a day alone, is meant so; anything else is no time', async (t) => {
  t.equal(instantOf('2026-11-23T10:41:00+02:00', 'Europe/Vienna'), '2026-11-23T08:41:00.000Z')
  t.equal(instantOf('2026-11-23', 'Europe/Vienna'), '2026-11-22T23:00:00.000Z')
  for (const text of ['tomorrow', '2026-02-30T10:00', '2026-11-23T25:00', '2026-11-23T10:41:00.1234', '1/2/2026 10:00', ''])
    t.equal(instantOf(text, 'Europe/Vienna'), undefined, text)
})

t.test('a time that is shown is the same time when it is read', async (t) => {
  const time = fc.date({ min: new Date('1920-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Vienna',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'Australia/Lord_Howe',
  )
  fc.assert(
    fc.property(time, zone, (date, zone) => {
      // Zones once had seconds.
      if (date.getUTCFullYear() < 1987 && zone !== 'UTC') return true
      return instantOf(localText(date.toISOString(), zone), zone, date.toISOString()) === date.toISOString()
    }),
    { numRuns: 3000 },
  )
  t.pass('held')
})

t.test('times and days are told as in "12 Nov", in the zone of the site', async (t) => {
  const telling = { locale: 'en', timezone: 'Europe/Vienna', now: Date.parse('2026-11-23T08:00:00Z') }
  const told = (value: string) => momentOf(value, telling)?.short
  t.strictSame(
    ['2026-11-23T06:41:00Z', '2026-11-22T08:00:00Z', '2026-11-24T08:00:00Z', '2026-11-11T23:30:00Z', '2024-03-03T00:00:00Z'].map(
      told,
    ),
    ['07:41', 'Yesterday', 'Tomorrow', '12 Nov', '3 Mar 2024'],
  )
  t.match(momentOf('2026-11-11T23:30:00Z', telling)?.long, /12 November 2026/)
  const coming = (value: string) => comingOf(value, telling)?.short
  t.strictSame(['2026-11-23T17:00:00Z', '2026-11-24T06:00:00Z'].map(coming), ['Today 18:00', 'Tomorrow 07:00'])
  t.match(coming('2026-12-01T06:00:00Z'), /^Tue,? 1 Dec,? 07:00$/)
  t.match(coming('2099-01-01T10:00:00Z'), /^1 Jan 2099,? 11:00$/, 'of another year with that')
  const west = { ...telling, timezone: 'America/New_York' }
  t.strictSame(
    ['2026-11-12', '2024-03-03', '2026-02-30', 'soon', 3].map((value) => dayText(value, west)),
    ['12 Nov', '3 Mar 2024', undefined, undefined, undefined],
    'a day is the same in all zones',
  )
  t.equal(dayText('2026-11-12', { ...telling, locale: 'en-US' }), 'Nov 12', 'a country has its own way')
  t.equal(dayText('2026-11-12', { ...telling, locale: 'de' }), '12. Nov.')
})
