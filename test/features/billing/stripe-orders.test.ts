import t from 'tap'
import { TestApp } from '#support/app.ts'
import { isLong } from '#support/long.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'
import { SECRET_KEY, StripeServer, signatureOf, WEBHOOK_SECRET } from '#support/stripe-server.ts'

/** Number of orders of seven events, of the 5,040 that there are: all with `npm run test:stripe`. */
const MANY = Number(process.argv[2] ?? (isLong ? 60 : 3))
const ALL = 5040
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

t.test('in every order of its events, each told twice, over two servers, a subscription comes to the same', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const stripe = await StripeServer.listen(t, () => opened.clock.now())
    const settings = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: stripe.url }
    const config = {
      features: { api: true, auth: true, teams: true, billing: true, events: true },
      billing: { gateway: 'stripe', plans: PLANS, stripe: settings },
    }
    const node = 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened
    const apps = [opened, node].map((one) => new TestApp(one, { config, deps: { isShared: true } }))
    const [app, other] = apps as [TestApp, TestApp]
    t.teardown(() => Promise.all(apps.map((one) => one.close())))
    const by = { name: 'Tester', email: 'tester@example.org' }
    const user = await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'owner' }, by)
    const settle = () => Promise.all(apps.map((one) => one.features.billing.sweep.run()))
    const heads = async (kind: `.${string}`) => (await opened.store.heads(kind, {})).total
    const wrong: string[] = []
    for (let n = 0; n < MANY; n++) {
      const order = orderOf(Math.floor((n * ALL) / MANY), 7)
      const team = (await app.askAs(user, 'POST /api/teams', { body: { name: `Team ${n}` } })).body.data.id
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
      const [rows, sent, told] = [await heads('.stripe-events'), apps.flatMap(({ messages }) => messages).length, order.join('')]
      const tell = (at: TestApp, body: string, signature: string) =>
        at.bare(HOOK, { body, headers: { 'stripe-signature': signature } })
      const say = (what: string) => void wrong.push(`${told}: ${what}`)
      const changesAt = n % 8
      for (const [nth, index] of order.entries()) {
        // At Stripe that happens at any time: before the first is told, or between any two.
        if (nth === changesAt || (nth === 0 && changesAt === 7))
          stripe.set(subscription, { status: 'past_due', latest_invoice: late })
        const { body, signature } = events[index] ?? { body: '', signature: '' }
        const both = await Promise.all([tell(app, body, signature), tell(other, body, signature)])
        if (both.some(({ status }) => status !== 200)) say('an event is refused')
        if (nth % 3 > 0) continue
        const old = opened.clock.now() - 360_000
        const false_ =
          nth === 0 ? signatureOf(body, WEBHOOK_SECRET, old) : signatureOf(body, 'whsec_of_others', opened.clock.now())
        if ((await tell(app, body.replace('evt_', 'evt_x'), false_)).status !== 400) say('a forged one is taken')
      }
      await settle()
      await settle()
      const letters = apps.flatMap(({ messages }) => messages)
      if ((await heads('.stripe-events')) !== rows + 7) say('there is not one row an event')
      if (letters.length !== sent + 1) say(`${letters.length - sent} letters`)
      const { body } = await app.askAs(user, `GET /api/billing?team=${team}`)
      const { subscription: seen, next_invoice: next } = body.data
      if (seen?.id !== subscription || seen.status !== 'past_due' || next !== null) say(JSON.stringify(seen))
      const { data } = (await app.askAs(user, `GET /api/billing/invoices?team=${team}`)).body
      const invoices = data.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`).sort()
      if (invoices.join() !== [`${invoice} paid`, `${late} open`].join()) say(invoices.join())
    }
    t.strictSame(wrong, [])
  }),
)
