import t, { type Test } from 'tap'
import type { Kind } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'
import { SECRET_KEY, StripeServer, WEBHOOK_SECRET } from '#support/stripe-server.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, interval: 'month', trial_days: 0, seats: 1 },
  { id: 'pro', name: 'Pro', amount: 4950, interval: 'month', trial_days: 0, seats: null },
]

/** A store that lets something else be done just before a document of a kind is first written. */
function interrupted({ store }: OpenedStore, kind: Kind, meanwhile: () => Promise<void>): Store {
  let isDone = false
  const write: Store['write'] = async (changes, by, note) => {
    if (!isDone && changes.some(({ key }) => key.kind === kind)) {
      isDone = true
      await meanwhile()
    }
    return store.write(changes, by, note)
  }
  return new Proxy(store, {
    get: (below, name: keyof Store) => {
      const value = name === 'write' ? write : below[name]
      return typeof value === 'function' ? value.bind(below) : value
    },
  })
}

/** A server that is interrupted at its first write of a kind, by default of a subscription; and what is done then, on another. */
interface Interruption {
  readonly kind?: Kind
  readonly features?: object
  readonly billing?: object
  readonly meanwhile: (other: TestApp) => Promise<void>
}

/** An app on a store, and one that does something else just before the first writes. */
function twoApps(t: Test, opened: OpenedStore, { kind = '.subscriptions', features, billing, meanwhile }: Interruption): TestApp {
  const config = { features: { api: true, auth: true, billing: true, ...features }, billing: { plans: PLANS, ...billing } }
  const other = new TestApp(opened, { config })
  const app = new TestApp(opened, { config, deps: { store: interrupted(opened, kind, () => meanwhile(other)) } })
  t.teardown(() => Promise.all([app.close(), other.close()]))
  return app
}

t.test('a member who is added while a plan with one seat is begun keeps it from beginning', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let meanwhile = async (_other: TestApp): Promise<void> => undefined
    const app = twoApps(t, opened, { features: { teams: true }, meanwhile: (other) => meanwhile(other) })
    const make = (name: string) => app.features.users.create({ email: `${name}@example.org`, name, role: 'owner' }, BY)
    const [ada, bob] = [await make('ada'), await make('bob')]
    const { id: team } = (await app.askAs(ada, 'POST /api/teams', { body: { name: 'Acme' } })).body.data
    meanwhile = async (other) => {
      t.equal((await other.askAs(ada, `POST /api/teams/${team}/members`, { body: { user: bob.id } })).status, 201)
    }
    const { status, body } = await app.askAs(ada, 'POST /api/billing/checkout', { body: { plan: 'solo', team } })
    t.match([status, body.message], [409, /has 1 seat, and this would need 2/])
    t.match((await app.askAs(ada, `GET /api/billing?team=${team}`)).body.data, { subscription: null, seats: { used: 2 } })
  }),
)

t.test('a site that is subscribed for meanwhile has one subscription', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const as = 'billing:write'
    const meanwhile = async (other: TestApp): Promise<void> => {
      const headers = { authorization: `Bearer ${await app.token(as)}` }
      t.equal((await other.bare('POST /api/billing/checkout', { headers, body: { plan: 'solo' } })).status, 201)
    }
    const app: TestApp = twoApps(t, opened, { meanwhile })
    t.equal((await app.ask('POST /api/billing/checkout', { as, body: { plan: 'pro' } })).status, 409)
    t.equal((await opened.store.heads('.subscriptions', {})).total, 1)
    t.equal((await opened.store.heads('.invoices', {})).total, 1)
    t.equal((await app.ask('GET /api/billing', { as })).body.data.plan.id, 'solo')
  }),
)

/** A team on a site that bills with Stripe, whose first server is interrupted. */
async function atStripe(t: Test, opened: OpenedStore, interruption: Omit<Interruption, 'billing'>) {
  const stripe = await StripeServer.listen(t, () => opened.clock.now())
  const settings = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: stripe.url }
  const plans = PLANS.map((plan) => ({ ...plan, stripe_price: `price_${plan.id}` }))
  const billing = { gateway: 'stripe', plans, stripe: settings }
  const app = twoApps(t, opened, { ...interruption, features: { teams: true, ...interruption.features }, billing })
  const make = (name: string) => app.features.users.create({ email: `${name}@example.org`, name, role: 'owner' }, BY)
  const [ada, bob] = [await make('ada'), await make('bob')]
  const { id: team } = (await app.askAs(ada, 'POST /api/teams', { body: { name: 'Acme' } })).body.data
  return { stripe, app, ada, bob, team }
}

t.test('with Stripe a member who is added while a checkout is begun keeps it from beginning', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let meanwhile = async (_other: TestApp): Promise<void> => undefined
    const { app, stripe, ada, bob, team } = await atStripe(t, opened, {
      kind: '.checkouts',
      meanwhile: (other) => meanwhile(other),
    })
    meanwhile = async (other) => {
      t.equal((await other.askAs(ada, `POST /api/teams/${team}/members`, { body: { user: bob.id } })).status, 201)
    }
    const { status, body } = await app.askAs(ada, 'POST /api/billing/checkout', { body: { plan: 'solo', team } })
    t.match([status, body.message], [409, /has 1 seat, and this would need 2/])
    t.equal(stripe.sessions.size, 0, 'nobody can pay for what is not to be had')
  }),
)

t.test('of two subscriptions at Stripe that are told of at once, on two servers, one is taken', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let meanwhile = async (_other: TestApp): Promise<void> => undefined
    const { app, stripe, ada, team } = await atStripe(t, opened, { meanwhile: (other) => meanwhile(other) })
    const metadata = { quire_site: 'https://example.org', quire_customer: team }
    const [one, two] = [stripe.subscribe(metadata).subscription, stripe.subscribe(metadata).subscription]
    const tell = async (at: TestApp, id: string) => {
      // Those of the same moment are taken in the order of their ids.
      const event = id === two ? 'evt_1' : 'evt_2'
      const { body, signature } = stripe.event('customer.subscription.created', stripe.subscriptions.get(id), { id: event })
      t.equal(
        (await at.bare('POST /api/billing/webhook/stripe', { body, headers: { 'stripe-signature': signature } })).status,
        200,
      )
      await at.features.billing.sweep.run()
    }
    meanwhile = (other) => tell(other, two)
    await tell(app, one)
    const { items } = await opened.store.heads('.subscriptions', {})
    t.strictSame(
      items.map(({ key, fields }) => [key.id, fields.live]),
      [[two, team]],
    )
    t.equal((await app.askAs(ada, `GET /api/billing?team=${team}`)).body.data.subscription.id, two)
  }),
)

t.test('a site that a checkout is begun for meanwhile has one session', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const stripe = await StripeServer.listen(t, () => opened.clock.now())
    const settings = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: stripe.url }
    const plans = PLANS.map((plan) => ({ ...plan, stripe_price: `price_${plan.id}` }))
    const as = 'billing:write'
    const meanwhile = async (other: TestApp): Promise<void> => {
      const headers = { authorization: `Bearer ${await app.token(as)}` }
      t.equal((await other.bare('POST /api/billing/checkout', { headers, body: { plan: 'pro' } })).status, 201)
    }
    const billing = { gateway: 'stripe', plans, stripe: settings }
    const app: TestApp = twoApps(t, opened, { kind: '.checkouts', billing, meanwhile })
    t.equal((await app.ask('POST /api/billing/checkout', { as, body: { plan: 'pro' } })).status, 409)
    t.equal(stripe.sessions.size, 1)
  }),
)
