import fc from 'fast-check'
import t from 'tap'
import { begun, dueOf, GRACE, type Letter, nextStep } from '#features/billing/course.ts'
import { type Invoice, invoiceNumber, invoiceOf } from '#features/billing/invoice.ts'
import { decimalOf, exponentOf, moneyText, taxOn } from '#features/billing/money.ts'
import { after, INTERVALS, type Interval, yearAt } from '#features/billing/periods.ts'
import type { Agreed, Subscription } from '#features/billing/subscription.ts'
import { runsOf } from '#support/long.ts'

const DAY = 86_400_000
const BEGIN = Date.parse('2026-01-31T12:00:00Z')
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Auckland']
const SELLER = { name: 'Seller', address: 'Street 1', tax_id: 'X1' }

t.test('months are counted from the first day, on the clocks of the site', async (t) => {
  const starts = (first: string, interval: Interval, many: number, zone = 'UTC') =>
    Array.from({ length: many }, (_, n) =>
      new Date(after(Date.parse(first), { count: n + 1, interval }, zone)).toISOString().slice(0, 16),
    )
  t.strictSame(starts('2026-01-31T12:00:00Z', 'month', 4), [
    ...['2026-02-28T12:00', '2026-03-31T12:00', '2026-04-30T12:00', '2026-05-31T12:00'],
  ])
  t.strictSame(starts('2028-01-31T12:00:00Z', 'month', 2), ['2028-02-29T12:00', '2028-03-31T12:00'])
  t.strictSame(starts('2028-02-29T00:00:00Z', 'year', 4), [
    ...['2029-02-28T00:00', '2030-02-28T00:00', '2031-02-28T00:00', '2032-02-29T00:00'],
  ])
  t.strictSame(starts('2026-02-28T23:30:00Z', 'month', 2, 'Europe/Berlin'), ['2026-03-31T22:30', '2026-04-30T22:30'])
  t.equal(yearAt(Date.parse('2026-12-31T23:30:00Z'), 'Europe/Berlin'), 2027)
})

t.test('of any first moment, periods follow one another without a gap and do not drift', async () => {
  const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, fc.constantFrom(...INTERVALS), fc.constantFrom(...ZONES), fc.nat(60), (first, interval, zone, n) => {
      const shown = (time: number) =>
        new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(time)
      const [here, next] = [n, n + 1].map((count) => after(first.getTime(), { count, interval }, zone)) as [number, number]
      if (next <= here) return false
      const days = (next - here) / DAY
      const [least, most] = { day: [1, 1], week: [7, 7], month: [28, 31], year: [365, 366] }[interval] as [number, number]
      if (days < least - 0.05 || days > most + 0.05) return false
      // The same day, or the last one of a month that has no such day.
      const [day, of] = [shown(here).slice(0, 2), shown(first.getTime()).slice(0, 2)]
      const isCounted = interval === 'day' || interval === 'week'
      return isCounted || day === of || Number(of) > 28 || shown(here).slice(12) !== shown(first.getTime()).slice(12)
    }),
  )
})

t.test('amounts are exact in every currency', async (t) => {
  t.strictSame(['eur', 'JPY', 'kwd', 'clf', 'usd'].map(exponentOf), [2, 0, 3, 4, 2])
  t.strictSame(
    [decimalOf(900, 'eur'), decimalOf(5, 'eur'), decimalOf(900, 'jpy'), decimalOf(1, 'kwd'), decimalOf(-150, 'eur')],
    ['9.00', '0.05', '900', '0.001', '-1.50'],
  )
  t.strictSame(
    [moneyText(123456, 'eur', 'en'), moneyText(900, 'jpy', 'en'), moneyText(1234567, 'kwd', 'en').replace(/\s/g, ' ')],
    ['€1,234.56', '¥900', 'KWD 1,234.567'],
  )
  t.match(moneyText(Number.MAX_SAFE_INTEGER, 'eur', 'en'), '€90,071,992,547,409.91')
})

t.test('tax is rounded half up, whatever the percentage', async (t) => {
  t.strictSame(
    [taxOn(900, 19), taxOn(50, 1), taxOn(49, 1), taxOn(1000, 7.25), taxOn(1000, 8.375), taxOn(12, 0), taxOn(0, 19), taxOn(10, 5)],
    [171, 1, 0, 73, 84, 0, 0, 1],
  )
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(10_000), (amount, hundredths) => {
      const [tax, exact] = [BigInt(taxOn(amount, hundredths / 100)), BigInt(amount) * BigInt(hundredths)]
      // Within half a unit, and up where it is just half.
      return tax * 20_000n >= exact * 2n - 9_999n && tax * 20_000n <= exact * 2n + 10_000n
    }),
  )
})

t.test('numbers have the year and five digits, and more where there are more', async (t) => {
  t.strictSame([invoiceNumber(2026, 1), invoiceNumber(2026, 123456)], ['2026-00001', '2026-123456'])
})

/** A customer's life: what happens, and all there was of it. */
class Life {
  subscription: Subscription
  now = BEGIN
  readonly invoices: (Invoice & { id: string; openedAt: number; statusBefore: string })[] = []
  readonly open = new Set<number>()
  readonly letters: Letter[] = []
  readonly moves: string[] = []
  readonly timezone: string
  readonly termsDays: number

  constructor(plan: Agreed, trialDays: number, termsDays: number, timezone = 'UTC') {
    this.timezone = timezone
    this.termsDays = termsDays
    this.subscription = begun({ id: 's', customer: 'c', plan }, { now: this.now, trialDays, timezone })
    this.run()
  }

  get moment() {
    return { now: this.now, timezone: this.timezone }
  }

  owed() {
    return [...this.open].map((nth) => ({ id: String(nth), dueAt: this.invoices[nth]?.dueAt ?? 0 }))
  }

  /** Does all that is due; returns the number of steps. */
  run(): number {
    for (let steps = 0; ; steps++) {
      const step = nextStep(this.subscription, this.owed(), this.moment)
      if (!step) return steps
      if (steps > 5000) throw new Error('It has no end.')
      const statusBefore = this.subscription.status
      if (step.does === 'open') {
        const terms = { seller: SELLER, taxPercent: 19, termsDays: this.termsDays, timezone: this.timezone }
        const invoice = invoiceOf(step.next, { team: null, name: 'Buyer' }, this.now, terms)
        if (invoice.status === 'open') this.open.add(this.invoices.length)
        this.invoices.push({ ...invoice, id: String(this.invoices.length), openedAt: this.now, statusBefore })
      } else if (step.letter) this.letters.push(step.letter)
      if (step.next.status !== statusBefore) this.moves.push(`${statusBefore} → ${step.next.status}`)
      this.subscription = step.next
    }
  }

  advance(days: number): void {
    this.now += days * DAY
    this.run()
  }

  pay(nth: number): void {
    this.open.delete(nth)
    this.run()
  }
}

const plan = (interval: Interval = 'month', amount = 900): Agreed => ({
  ...{ id: 'pro', name: 'Pro', amount, interval, seats: null, currency: 'eur' },
})

t.test('an invoice opens at the beginning of each period, and trials come first', async (t) => {
  const life = new Life(plan(), 14, 14)
  t.match(life.subscription, { status: 'trialing', trialEndsAt: BEGIN + 14 * DAY, periodEnd: BEGIN + 14 * DAY })
  life.advance(13)
  t.equal(life.invoices.length, 0)
  life.advance(1)
  t.match(life.invoices, [{ issuedAt: BEGIN + 14 * DAY, dueAt: BEGIN + 28 * DAY, subtotal: 900, tax: 171, total: 1071 }])
  t.equal(life.subscription.status, 'active')
  const paying = new Life(plan(), 0, 14)
  for (let month = 0; month < 12; month++) {
    paying.pay(month)
    paying.now = paying.subscription.periodEnd
    paying.run()
  }
  t.strictSame(
    paying.invoices.map(({ issuedAt }) => new Date(issuedAt).toISOString().slice(5, 10)),
    ['01-31', '02-28', '03-31', '04-30', '05-31', '06-30', '07-31', '08-31', '09-30', '10-31', '11-30', '12-31', '01-31'],
  )
})

t.test('what is not paid is past due with a letter, then reminded of, and canceled after 30 days', async (t) => {
  const life = new Life(plan(), 0, 14)
  life.advance(14)
  t.match(life.subscription, { status: 'past_due', pastDueSince: BEGIN + 14 * DAY })
  life.advance(22)
  t.strictSame([life.letters, life.invoices.length], [['past-due'], 1], 'no further invoice while it is')
  life.advance(1)
  t.strictSame(life.letters, ['past-due', 'past-due-reminder'])
  life.advance(7)
  t.match(life.subscription, { status: 'canceled', canceledAt: BEGIN + 44 * DAY })
  life.advance(400)
  t.strictSame([life.invoices.length, life.letters.length], [1, 2])

  const late = new Life(plan(), 0, 14)
  late.advance(40)
  t.strictSame([late.subscription.status, late.letters], ['past_due', ['past-due']], 'they have 30 days from the letter on')
  late.advance(29)
  t.equal(late.subscription.status, 'past_due')
  late.pay(0)
  t.equal(late.subscription.status, 'active')
  t.match(late.invoices[1], { issuedAt: Date.parse('2026-02-28T12:00:00Z'), dueAt: late.now + 14 * DAY })
})

t.test('after a downtime one opens for each period that began meanwhile, dated by it', async (t) => {
  const life = new Life(plan(), 0, 14)
  life.pay(0)
  life.advance(100)
  t.strictSame(
    life.invoices.map(({ issuedAt, dueAt }) => [new Date(issuedAt).toISOString().slice(0, 10), dueAt === life.now + 14 * DAY]),
    [
      ['2026-01-31', false],
      ['2026-02-28', true],
      ['2026-03-31', true],
      ['2026-04-30', true],
    ],
  )
  t.equal(life.subscription.status, 'active')
})

t.test('what is cancelled ends with its period; what costs nothing is paid', async (t) => {
  const life = new Life(plan('week', 0), 0, 14)
  t.match(life.invoices, [{ status: 'paid', total: 0 }])
  life.subscription = { ...life.subscription, cancelAtPeriodEnd: true }
  life.advance(6)
  t.equal(life.subscription.status, 'active')
  life.advance(30)
  t.match(life.subscription, { status: 'canceled', canceledAt: BEGIN + 7 * DAY })
  t.equal(life.invoices.length, 1)
})

const MOVES = [
  ...['trialing → active', 'trialing → canceled', 'active → past_due', 'active → canceled'],
  ...['past_due → active', 'past_due → canceled'],
]
const acts = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant('advance' as const), n: fc.nat(60) }),
    fc.record({ act: fc.constant('pay' as const), n: fc.nat(5) }),
    fc.record({ act: fc.constant('cancel' as const), n: fc.nat(3) }),
  ),
  { maxLength: 40 },
)

t.test('whatever happens, each period has one invoice at most, in order, none while past due, and it comes to rest', async () => {
  const settings = fc.record({
    ...{ interval: fc.constantFrom(...INTERVALS), trial: fc.nat(20), terms: fc.integer({ min: 1, max: 40 }) },
    zone: fc.constantFrom(...ZONES),
  })
  fc.assert(
    fc.property(settings, acts, ({ interval, trial, terms, zone }, all) => {
      const life = new Life(plan(interval), trial, terms, zone)
      for (const { act, n } of all) {
        if (act === 'advance') life.advance(n)
        else if (act === 'pay') for (const nth of [...life.open].slice(0, n + 1)) life.pay(nth)
        else life.subscription = { ...life.subscription, cancelAtPeriodEnd: n > 0 }
        life.run()
        const due = dueOf(life.subscription, life.owed(), life.moment)
        if (due !== undefined && due <= life.now) return false
        if ((due === undefined) !== (life.subscription.status === 'canceled')) return false
      }
      const { invoices, subscription, moves } = life
      const tiled = invoices.every(
        ({ periodStart, periodEnd, issuedAt, openedAt, dueAt, statusBefore }, nth) =>
          periodStart === after(subscription.anchor, { count: nth, interval }, zone) &&
          periodEnd === after(subscription.anchor, { count: nth + 1, interval }, zone) &&
          issuedAt === periodStart &&
          openedAt >= issuedAt &&
          dueAt > openedAt &&
          statusBefore !== 'past_due',
      )
      const ended = moves.filter((move) => move.endsWith('canceled')).length
      const told = life.letters.filter((letter) => letter === 'past-due').length
      return (
        tiled &&
        invoices.length === subscription.invoiced &&
        moves.every((move) => MOVES.includes(move)) &&
        ended <= 1 &&
        told === moves.filter((move) => move === 'active → past_due').length &&
        GRACE === 30 * DAY
      )
    }),
    { numRuns: runsOf(100) },
  )
})
