import t, { type Test } from 'tap'
import type { Store } from '#core/store.ts'
import { TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, interval: 'month', trial_days: 0, seats: 1 },
  { id: 'pro', name: 'Pro', amount: 4950, interval: 'month', trial_days: 0, seats: null },
]

/** A store that lets something else be done just before a subscription is first written. */
function interrupted({ store }: OpenedStore, meanwhile: () => Promise<void>): Store {
  let isDone = false
  const write: Store['write'] = async (changes, by, note) => {
    if (!isDone && changes.some(({ key }) => key.kind === '.subscriptions')) {
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

/** An app on a store, and one that does something else just before the first writes a subscription. */
function twoApps(t: Test, opened: OpenedStore, features: object, meanwhile: (other: TestApp) => Promise<void>) {
  const config = { features: { api: true, auth: true, billing: true, ...features }, billing: { plans: PLANS } }
  const other = new TestApp(opened, { config })
  const app = new TestApp(opened, { config, deps: { store: interrupted(opened, () => meanwhile(other)) } })
  t.teardown(() => Promise.all([app.close(), other.close()]))
  return app
}

t.test('a member who is added while a plan with one seat is begun keeps it from beginning', (t) =>
  eachStore(t, {}, async (t, opened) => {
    let meanwhile = async (_other: TestApp): Promise<void> => undefined
    const app = twoApps(t, opened, { teams: true }, (other) => meanwhile(other))
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
    const app: TestApp = twoApps(t, opened, {}, async (other) => {
      const headers = { authorization: `Bearer ${await app.token(as)}` }
      t.equal((await other.bare('POST /api/billing/checkout', { headers, body: { plan: 'solo' } })).status, 201)
    })
    t.equal((await app.ask('POST /api/billing/checkout', { as, body: { plan: 'pro' } })).status, 409)
    t.equal((await opened.store.heads('.subscriptions', {})).total, 1)
    t.equal((await opened.store.heads('.invoices', {})).total, 1)
    t.equal((await app.ask('GET /api/billing', { as })).body.data.plan.id, 'solo')
  }),
)
