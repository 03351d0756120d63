import t, { type Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'
import { SECRET_KEY, StripeServer, signatureOf, WEBHOOK_SECRET } from '#support/stripe-server.ts'

/** Number of orders of seven events, of the 5,040 that there are: all with `npm run test:stripe`. */
const MANY = Number(process.argv[2] ?? 60)
const ALL = 5040
/** The store to run on, where not on both: `npm run test:stripe -- 5040 postgres`. */
const ONLY = process.argv[3] || undefined
/** Those of them that are told, where not all: `npm run test:stripe -- 5040 files 600 1200` has the second 600. */
const [FIRST, END] = [Number(process.argv[4] || 0), Number(process.argv[5] || MANY)]
/** Number of them on one store, and of those told at the same time. */
const A_STORE = 60
const AT_ONCE = 6
const HOOK = 'POST /api/billing/webhook/stripe'
const PLANS = [{ id: 'pro', name: 'Pro', amount: 4950, interval: 'month', stripe_price: 'price_pro', trial_days: 0, seats: null }]

/** The nth of all orders of so many things. */
function orderOf(n: number, many: number): number[] {
  const left = Array.from({ length: many }, (_, one) => one)
  const order: number[] = []
  for (let rest = n; left.length > 0; rest = Math.floor(rest / (left.length + 1)))
    order.push(...left.splice(rest % left.length, 1))
  return order
}

interface Given {
  readonly opened: OpenedStore
  readonly stripe: StripeServer
  readonly app: TestApp
  readonly other: TestApp
  readonly user: User
}

/** Two servers on a store, and Stripe. */
async function given(t: Test, opened: OpenedStore): Promise<Given> {
  const stripe = await StripeServer.listen(t, () => opened.clock.now())
  const settings = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: stripe.url }
  const config = {
    features: { api: true, auth: true, teams: true, billing: true, events: true },
    billing: { gateway: 'stripe', plans: PLANS, stripe: settings },
  }
  const node = 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened
  const [app, other] = [opened, node].map((one) => new TestApp(one, { config, deps: { isShared: true } })) as [TestApp, TestApp]
  t.teardown(() => Promise.all([app.close(), other.close()]))
  const by = { name: 'Tester', email: 'tester@example.org' }
  const user = await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'owner' }, by)
  return { opened, stripe, app, other, user }
}

/** A subscription of a team at Stripe, and what went wrong with it. */
interface Case {
  readonly nth: number
  readonly team: string
  readonly subscription: string
  readonly invoice: string
  readonly late: string
  readonly session: string
  readonly wrong: string[]
}

/** Tells both servers of all events on a subscription, in the nth order, each twice. */
async function tellAll({ opened, stripe, app, other, user }: Given, nth: number): Promise<Case> {
  const order = orderOf(nth, 7)
  const team = (await app.askAs(user, 'POST /api/teams', { body: { name: `Team ${nth}` } })).body.data.id
  const { subscription, invoice } = stripe.subscribe({ quire_site: 'https://example.org', quire_customer: team })
  const late = stripe.bill(subscription, 'price_pro', 'open')
  const session = { id: `cs_${subscription}`, object: 'checkout.session', status: 'complete', subscription }
  stripe.sessions.set(session.id, session)
  const active = stripe.subscriptions.get(subscription)
  const events = [
    stripe.event('checkout.session.completed', session),
    stripe.event('customer.subscription.created', { ...active, status: 'incomplete' }),
    stripe.event('invoice.paid', stripe.invoices.get(invoice)),
    stripe.event('customer.subscription.updated', active),
    stripe.event('invoice.finalized', stripe.invoices.get(late)),
    stripe.event('invoice.payment_failed', stripe.invoices.get(late)),
    stripe.event('customer.subscription.updated', { ...active, status: 'past_due' }),
  ]
  const wrong: string[] = []
  const tell = (at: TestApp, body: string, signature: string) =>
    at.bare(HOOK, { body, headers: { 'stripe-signature': signature } })
  const changesAt = nth % 8
  for (const [at, index] of order.entries()) {
    // At Stripe that happens at any time: before the first is told, or between any two.
    if (at === changesAt || (at === 0 && changesAt === 7)) stripe.set(subscription, { status: 'past_due', latest_invoice: late })
    const { body, signature } = events[index] ?? { body: '', signature: '' }
    const both = await Promise.all([tell(app, body, signature), tell(other, body, signature)])
    if (both.some(({ status }) => status !== 200)) wrong.push('an event is refused')
    if (at % 3 > 0) continue
    const now = opened.clock.now()
    const forged = at === 0 ? signatureOf(body, WEBHOOK_SECRET, now - 360_000) : signatureOf(body, 'whsec_of_others', now)
    if ((await tell(app, body.replace('evt_', 'evt_x'), forged)).status !== 400) wrong.push('a forged one is taken')
  }
  return { nth, team, subscription, invoice, late, session: session.id, wrong }
}

/** Returns all that went wrong with a subscription, once what was told is taken. */
async function wrongWith({ opened, app, other, user }: Given, of: Case): Promise<string[]> {
  const { nth, team, subscription, invoice, late, session, wrong } = of
  const told = [subscription, invoice, late, session]
  const where = [{ field: 'of', op: 'in', value: told, as: 'text' } as const]
  const rows = (await opened.store.heads('.stripe-events', { where, limit: 0 })).total
  if (rows !== 7) wrong.push(`there are ${rows} rows of 7 events`)
  const letters = [app, other].flatMap(({ messages }) => messages)
  const own = letters.filter(({ data }) => told.includes(String((data as { invoice?: unknown }).invoice)))
  if (own.length !== 1) wrong.push(`${own.length} letters`)
  const { body } = await app.askAs(user, `GET /api/billing?team=${team}`)
  const { subscription: seen, next_invoice: next } = body.data
  if (seen?.id !== subscription || seen.status !== 'past_due' || next !== null) wrong.push(JSON.stringify(seen))
  const { data } = (await app.askAs(user, `GET /api/billing/invoices?team=${team}`)).body
  const invoices = data.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`).sort()
  if (invoices.join() !== [`${invoice} paid`, `${late} open`].join()) wrong.push(invoices.join())
  return wrong.map((what) => `${orderOf(nth, 7).join('')}: ${what}`)
}

t.test('in every order of its events, each told twice, over two servers, a subscription comes to the same', async (t) => {
  const numbers = Array.from({ length: MANY }, (_, n) => Math.floor((n * ALL) / MANY)).slice(0, END)
  for (let from = FIRST; from < numbers.length; from += A_STORE) {
    await eachStore(t, {}, async (t, opened) => {
      if (ONLY !== undefined && ONLY !== opened.name) return
      const all = await given(t, opened)
      const begun = performance.now()
      const waiting = numbers.slice(from, from + A_STORE).values()
      const cases: Case[] = []
      const take = async () => {
        for (const nth of waiting) cases.push(await tellAll(all, nth))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, take))
      for (let times = 0; times < 2; times++)
        await Promise.all([all.app, all.other].map((one) => one.features.billing.sweep.run()))
      const wrong: string[] = []
      for (const one of cases) wrong.push(...(await wrongWith(all, one)))
      t.strictSame(wrong, [])
      const letters = [all.app, all.other].flatMap(({ messages }) => messages).length
      t.strictSame([cases.length, letters], [numbers.slice(from, from + A_STORE).length, cases.length], 'one letter each')
      t.comment(`${cases.length} orders from ${from} on, ${Math.round(performance.now() - begun)} ms`)
    })
  }
})
