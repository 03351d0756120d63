import t, { type Test } from 'tap'
import { type Answered, TestApp } from '#support/app.ts'
import { eachStore } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const DAY = 86_400_000
const HOUR = 3_600_000
const MONTHS = 13
const TERMS_DAYS = 14
const PLAN = { id: 'pro', name: 'Pro', amount: 4950, interval: 'month', seats: null, trial_days: 0 }

const AT_NOON = ['2028-02-29T12:00:00Z', '2026-01-31T12:00:00Z', '2026-01-30T12:00:00Z', '2026-02-28T12:00:00Z']
/** First moments of subscriptions, by the zone of the site: some of them are another day there than in UTC. */
const BEGINNINGS = {
  UTC: AT_NOON,
  'Europe/Berlin': [...AT_NOON, '2028-02-28T23:30:00Z', '2026-01-30T23:30:00Z', '2026-02-27T23:30:00Z'],
}

/** Milliseconds that the clocks of a zone are ahead of UTC at a moment, by the rule of the European Union since 1996. */
const AHEAD: Readonly<Record<keyof typeof BEGINNINGS, (at: number) => number>> = {
  UTC: () => 0,
  'Europe/Berlin': (at) => (at >= summerTime(at, 2) && at < summerTime(at, 9) ? 2 * HOUR : HOUR),
}

/** One o'clock UTC on the last Sunday of a month, counted from 0, in the year of a moment. */
function summerTime(at: number, month: number): number {
  const last = new Date(Date.UTC(new Date(at).getUTCFullYear(), month + 1, 0, 1))
  return last.getTime() - last.getUTCDay() * DAY
}

/** The beginnings of the first periods: the same day and hour on the clocks of the zone, or the last day of a shorter month. */
function beginningsOf(first: number, ahead: (at: number) => number): number[] {
  const shown = new Date(first + ahead(first))
  return Array.from({ length: MONTHS }, (_, n) => {
    const lastDay = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + n + 1, 0)).getUTCDate()
    const day = Math.min(shown.getUTCDate(), lastDay)
    const wanted = Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + n, day) + (shown.getTime() % DAY)
    return onClocks(wanted, ahead)
  })
}

/** Returns the moment at which clocks show a time. None here is within an hour of a change of the clocks. */
function onClocks(shown: number, ahead: (at: number) => number): number {
  return shown - ahead(shown)
}

/** Numbers count from 1 in each year of the zone. */
function numbersOf(beginnings: readonly number[], ahead: (at: number) => number): string[] {
  const years = beginnings.map((at) => new Date(at + ahead(at)).getUTCFullYear())
  return years.map((year, n) => `${year}-${String(n + 1 - years.indexOf(year)).padStart(5, '0')}`)
}

const text = (at: number) => new Date(at).toISOString()

async function year(t: Test, first: string, timezone: keyof typeof BEGINNINGS): Promise<void> {
  const ahead = AHEAD[timezone]
  const beginnings = beginningsOf(Date.parse(first), ahead)
  const numbers = numbersOf(beginnings, ahead)
  await eachStore(t, { now: first }, async (t, opened) => {
    const config = {
      site: { name: 'Site', url: 'https://example.org', timezone },
      features: { api: true, auth: true, billing: true },
      billing: { plans: [PLAN], tax_percent: 19, terms_days: TERMS_DAYS },
    }
    const app = new TestApp(opened, { config })
    t.teardown(() => app.close())
    const owner = await app.features.users.create({ email: 'root@example.org', name: 'Root', role: 'owner' }, BY)
    const ask = (request: string, body?: unknown): Promise<Answered> =>
      app.askAs(owner, request, body === undefined ? {} : { body })
    const at = async (time: number) => {
      opened.clock.set(text(time))
      await app.features.billing.sweep.run()
    }
    const invoices = async () => (await ask('GET /api/billing/invoices?per_page=50')).body
    t.equal((await ask('POST /api/billing/checkout', { plan: 'pro' })).status, 201)
    for (const [n, begins] of beginnings.entries()) {
      await at(begins)
      const [start, next] = [text(begins), beginnings[n + 1]]
      const due = onClocks(begins + ahead(begins) + TERMS_DAYS * DAY, ahead)
      const { data, meta } = await invoices()
      t.equal(meta.total, n + 1, `one more on ${start}`)
      const issued = { number: numbers[n], status: 'open', issued_at: start, due_at: text(due) }
      t.match(
        data.find(({ number }: { number: string }) => number === numbers[n]),
        {
          ...{ ...issued, period: { start, ...(next !== undefined && { end: text(next) }) }, amount_due: 5891 },
        },
      )
      if (next === undefined) break
      const end = text(next)
      const overview = (await ask('GET /api/billing')).body.data
      t.match(overview, {
        subscription: { status: 'active', current_period_start: start, current_period_end: end },
        next_invoice: { issued_at: end },
      })
      await at(due - 1)
      t.match(await ask(`POST /api/billing/invoices/${numbers[n]}/pay`), { status: 200 })
      await at(next - 1)
      t.equal((await invoices()).meta.total, n + 1, `none before ${end}`)
    }
    t.notOk(app.messages.some(({ template }) => template === 'past-due'))
  })
}

for (const [timezone, beginnings] of Object.entries(BEGINNINGS) as [keyof typeof BEGINNINGS, readonly string[]][])
  for (const first of beginnings) t.test(`a year of months from ${first} on, in ${timezone}`, (t) => year(t, first, timezone))
