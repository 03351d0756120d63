import t, { type Test } from 'tap'
import type { User } from '#features/users/user.ts'
import { type Answered, type AppOptions, TestApp } from '#support/app.ts'
import { readsOf } from '#support/own-reads.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const FEATURES = { api: true, auth: true, admin: true, teams: true, billing: true }
const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, interval: 'month', seats: 1 },
  { id: 'pro', name: 'Pro', amount: 4950, interval: 'month', seats: 3 },
  { id: 'trial', name: 'Try', amount: 100, interval: 'month', trial_days: 14, seats: null },
  { id: 'free', name: 'Free', amount: 0, interval: 'year' },
].map((plan) => ({ trial_days: 0, seats: null, ...plan }))
const SELLER = { name: 'Quire Ltd', address: '1 Street\nTown', tax_id: 'GB1' }
const BILLING = { plans: PLANS, seller: SELLER, tax_percent: 19 }
const MISSING = 'nobodysteam00000'

type Ask = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>

interface Given {
  readonly app: TestApp
  readonly opened: OpenedStore
  /** A team, its owner and a member of it, an owner of another team, an editor of no team, and an owner of the site. */
  readonly team: string
  readonly other: string
  readonly ada: Ask
  readonly bob: Ask
  readonly eve: Ask
  readonly root: Ask
}

/** Asks as somebody who signs in for each request: sessions end as the clock goes. */
function askAs(app: TestApp, user: User): Ask {
  return (request, body, headers = {}) => app.askAs(user, request, { headers, ...(body !== undefined && { body }) })
}

function each(name: string, body: (t: Test, given: Given) => Promise<void>, billing: object = {}, now?: string): void {
  const options: AppOptions = { config: { features: FEATURES, billing: { ...BILLING, ...billing } } }
  t.test(name, (t) =>
    eachStore(t, now === undefined ? {} : { now }, async (t, opened) => {
      const app = new TestApp(opened, options)
      t.teardown(() => app.close())
      const make = (name: string, role: string) => app.features.users.create({ email: `${name}@example.org`, name, role }, BY)
      const [root, ada, bob, eve] = [
        await make('root', 'owner'),
        await make('ada', 'editor'),
        await make('bob', 'editor'),
        await make('eve', 'admin'),
      ]
      const asRoot = askAs(app, root)
      const teamOf = async (name: string, owner: User) => {
        const { id } = (await asRoot('POST /api/teams', { name })).body.data
        await asRoot(`POST /api/teams/${id}/members`, { user: owner.id, role: 'owner' })
        await asRoot(`DELETE /api/teams/${id}/members/${root.id}`)
        return id as string
      }
      const [team, other] = [await teamOf('Acme', ada), await teamOf('Beta', eve)]
      await asRoot(`POST /api/teams/${team}/members`, { user: bob.id })
      await body(t, { app, opened, team, other, ada: askAs(app, ada), bob: askAs(app, bob), eve: askAs(app, eve), root: asRoot })
    }),
  )
}

/** Moves the clock to an instant, and does what is due by then. */
async function at({ app, opened }: Given, instant: string): Promise<void> {
  opened.clock.set(instant)
  await app.features.billing.sweep.run()
}

const numbers = (answer: Answered) => answer.body.data.map(({ number }: { number: string }) => number)

each('a subscription begins with its first invoice, which is paid or void by word of an owner', async (t, given) => {
  const { ada, root, team, opened } = given
  const now = new Date(opened.clock.now()).toISOString()
  const plans = (await ada('GET /api/billing/plans')).body
  t.match(plans.data[0], { id: 'solo', amount: 900, currency: 'eur', interval: 'month', trial_days: 0, seats: 1 })
  t.same((await ada('GET /api/billing')).body.data, {
    ...{ plan: null, subscription: null, next_invoice: null },
    seats: { used: 2, of: null },
  })
  const begun = await ada('POST /api/billing/checkout', { plan: 'pro', team })
  t.match(begun, { status: 201, body: { data: { url: 'https://example.org/admin/billing' } } })
  const overview = (await ada('GET /api/billing')).body.data
  const subscription = {
    ...{ team, plan: 'pro', status: 'active', current_period_start: now, cancel_at_period_end: false },
    ...{ current_period_end: '2026-02-15T12:00:00.000Z', trial_ends_at: null, canceled_at: null },
  }
  t.match(overview, {
    ...{ plan: { id: 'pro', amount: 4950 }, subscription, seats: { used: 2, of: 3 } },
    next_invoice: { id: null, number: null, status: 'draft', issued_at: '2026-02-15T12:00:00.000Z', amount_due: 5891 },
  })
  t.match((await ada(`GET /api/teams/${team}`)).body.data.subscription, subscription)
  const { body } = await ada('GET /api/billing/invoices')
  t.same(body.meta.total, 1)
  t.same(body.data[0], {
    ...{ id: '2026-00001', number: '2026-00001', status: 'open', issued_at: now, due_at: '2026-01-29T12:00:00.000Z' },
    ...{ paid_at: null, period: { start: now, end: '2026-02-15T12:00:00.000Z' }, customer: { team, name: 'Acme' } },
    ...{ seller: SELLER, lines: [{ text: 'Pro', quantity: 1, amount: 4950 }], subtotal: 4950, tax: 941 },
    ...{ amount_due: 5891, amount_paid: 0, currency: 'eur' },
  })
  const url = '/api/billing/invoices/2026-00001'
  t.match(await ada(`POST ${url}/pay`), { status: 403 })
  t.match(await root(`POST ${url}/pay`), { status: 200, body: { data: { status: 'paid', paid_at: now, amount_paid: 5891 } } })
  t.match(await root(`POST ${url}/void`), { status: 409, body: { message: /is paid/ } })
  t.equal((await ada(`POST /api/billing/checkout`, { plan: 'solo', team })).status, 409)
  t.match(await ada(`POST /api/billing/checkout`, { plan: 'gold', team }), {
    status: 422,
    body: { errors: { plan: [/no such/] } },
  })
  t.match((await root('GET /api/billing/invoices?status=paid')).body.data, [{ number: '2026-00001' }])
  t.equal((await root('GET /api/billing/invoices?status=open')).body.meta.total, 0)
  t.equal((await root('GET /api/billing/invoices?status=draft')).status, 422)
})

each('of several checkouts at once one begins a subscription, also over two nodes', async (t, given) => {
  const { ada, team, app, opened } = given
  const node = 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened
  const second = new TestApp(node, { config: { features: FEATURES, billing: BILLING } })
  t.teardown(() => second.close())
  const user = await app.features.users.byEmail('ada@example.org')
  if (!user) throw new Error('There is no Ada.')
  const other = askAs(second, user)
  const asked = [ada, other, ada, other].map((ask) => ask('POST /api/billing/checkout', { plan: 'pro', team }))
  t.strictSame((await Promise.all(asked)).map(({ status }) => status).sort(), [201, 409, 409, 409])
  t.strictSame(numbers(await ada('GET /api/billing/invoices')), ['2026-00001'])
  const headers = { 'idempotency-key': 'again' }
  t.equal((await given.eve('POST /api/billing/checkout', { plan: 'solo', team: given.other }, headers)).status, 201)
  t.equal((await given.eve('POST /api/billing/checkout', { plan: 'solo', team: given.other }, headers)).status, 201)
})

each('a cancelled subscription goes on until its period ends, and that can be taken back', async (t, given) => {
  const { ada, root, team } = given
  t.match(await ada('POST /api/billing/cancel'), { status: 409, body: { message: /no subscription/ } })
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  await root('POST /api/billing/invoices/2026-00001/pay')
  t.equal((await ada('POST /api/billing/resume', {})).status, 409)
  t.match(await ada('POST /api/billing/cancel', { team }), {
    status: 200,
    body: { data: { status: 'active', cancel_at_period_end: true } },
  })
  t.equal((await ada('GET /api/billing')).body.data.next_invoice, null)
  t.equal((await ada('POST /api/billing/cancel')).status, 409, 'what is cancelled already')
  t.match(await ada(`POST /api/billing/resume?team=${team}`), { status: 200, body: { data: { cancel_at_period_end: false } } })
  t.equal((await ada(`POST /api/billing/cancel?team=${team}`, { team: given.other })).status, 422)
  t.equal((await ada('POST /api/billing/cancel')).status, 200)
  await at(given, '2026-02-15T12:00:00.000Z')
  t.match((await ada('GET /api/billing')).body.data, {
    plan: null,
    subscription: { status: 'canceled', canceled_at: '2026-02-15T12:00:00.000Z' },
  })
  t.equal((await ada('POST /api/billing/resume')).status, 409)
  t.equal((await ada('POST /api/billing/cancel')).status, 409)
  t.equal((await ada('POST /api/billing/checkout', { plan: 'solo', team })).status, 409, 'it has two members')
  t.equal((await ada('POST /api/billing/checkout', { plan: 'pro', team })).status, 201, 'another one may begin')
  t.strictSame(numbers(await ada('GET /api/billing/invoices')), ['2026-00002', '2026-00001'])
})

each('what is not paid is past due, reminded of, and ends', async (t, given) => {
  const { ada, root, team, app } = given
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  const letters = async () => {
    const sent = await Promise.all(
      app.messages.splice(0).map(async (message) => [message.to, await app.compose(message)] as const),
    )
    return sent.map(([to, composed]) => [to, composed?.values])
  }
  const values = {
    number: '2026-00001',
    due: 'January 29, 2026',
    link: 'https://example.org/admin/billing/invoices/2026-00001',
    amount: '€58.91',
  }
  await letters()
  await at(given, '2026-01-15T12:01:00.000Z')
  t.same(await letters(), [['ada@example.org', values]], 'owners of the team get the invoice')
  await at(given, '2026-01-15T12:02:00.000Z')
  t.same(await letters(), [], 'once')
  await at(given, '2026-01-29T11:59:59.000Z')
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'active')
  await at(given, '2026-01-29T12:00:00.000Z')
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'past_due')
  const late = { ...values, ends: 'February 28, 2026' }
  t.same(await letters(), [['ada@example.org', late]])
  await at(given, '2026-02-21T12:00:00.000Z')
  t.same(await letters(), [['ada@example.org', late]], 'a week before the end')
  t.equal((await ada('GET /api/billing/invoices')).body.meta.total, 1, 'no further invoice opens')
  await at(given, '2026-02-28T12:00:00.000Z')
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'canceled')
  t.same(await letters(), [])
  t.equal((await root('POST /api/billing/invoices/2026-00001/void')).status, 200, 'its invoice stays, to be paid or void')
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'canceled')
})

each('who pays late goes on, with an invoice for each period that began meanwhile', async (t, given) => {
  const { ada, root, team, app } = given
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  await at(given, '2026-02-20T00:00:00.000Z')
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'past_due')
  const [message] = app.messages.filter(({ template }) => template === 'past-due')
  t.match(await root('POST /api/billing/invoices/2026-00001/pay'), { status: 200 })
  t.equal((await ada('GET /api/billing')).body.data.subscription.status, 'active')
  t.match((await ada('GET /api/billing/invoices')).body.data, [
    { number: '2026-00002', status: 'open', issued_at: '2026-02-15T12:00:00.000Z' },
    { number: '2026-00001', status: 'paid' },
  ])
  t.equal(message && (await app.compose(message)), undefined, 'a letter on what was paid meanwhile is not sent')
})

each('a trial has no invoice before its end, and is there once', async (t, given) => {
  const { ada, root, team } = given
  await ada('POST /api/billing/checkout', { plan: 'trial', team })
  t.match((await ada('GET /api/billing')).body.data.subscription, {
    ...{ status: 'trialing', trial_ends_at: '2026-01-29T12:00:00.000Z', current_period_end: '2026-01-29T12:00:00.000Z' },
  })
  t.equal((await ada('GET /api/billing/invoices')).body.meta.total, 0)
  await at(given, '2026-01-29T12:00:00.000Z')
  t.match((await ada('GET /api/billing')).body.data.subscription, {
    ...{ status: 'active', current_period_end: '2026-02-28T12:00:00.000Z' },
  })
  await root('POST /api/billing/invoices/2026-00001/pay')
  await ada('POST /api/billing/cancel')
  await at(given, '2026-03-01T12:00:00.000Z')
  await ada('POST /api/billing/checkout', { plan: 'trial', team })
  t.match((await ada('GET /api/billing')).body.data.subscription, { status: 'active', trial_ends_at: null })
})

each('what costs nothing is paid as it opens, and nobody is written to', async (t, given) => {
  const { ada, team, app } = given
  await ada('POST /api/billing/checkout', { plan: 'free', team })
  app.messages.splice(0)
  await at(given, '2026-01-16T12:00:00.000Z')
  t.match((await ada('GET /api/billing/invoices')).body.data, [{ status: 'paid', amount_due: 0, amount_paid: 0 }])
  t.same(app.messages, [])
})

each(
  'a year of months is counted from the first day, and numbers begin anew with each year of the site',
  async (t, given) => {
    const { ada, root, team } = given
    await ada('POST /api/billing/checkout', { plan: 'pro', team })
    await root('POST /api/billing/invoices/2027-00001/pay')
    for (let n = 2; n <= 12; n++) {
      const { current_period_end: end } = (await ada('GET /api/billing')).body.data.subscription
      await at(given, end)
      await root(`POST /api/billing/invoices/2028-${String(n - 1).padStart(5, '0')}/pay`)
    }
    const { data } = (await ada('GET /api/billing/invoices')).body
    t.strictSame(
      data.map(({ number, status, period }: { number: string; status: string; period: { start: string } }) =>
        [number, status, period.start.slice(0, 10)].join(' '),
      ),
      [
        ...['2028-00011 paid 2028-11-30', '2028-00010 paid 2028-10-31', '2028-00009 paid 2028-09-30'],
        ...['2028-00008 paid 2028-08-31', '2028-00007 paid 2028-07-31', '2028-00006 paid 2028-06-30'],
        ...['2028-00005 paid 2028-05-31', '2028-00004 paid 2028-04-30', '2028-00003 paid 2028-03-31'],
        ...['2028-00002 paid 2028-02-29', '2028-00001 paid 2028-01-31', '2027-00001 paid 2027-12-31'],
      ],
    )
  },
  {},
  '2027-12-31T12:00:00.000Z',
)

each('after a downtime one invoice opens for each period that began meanwhile, dated by it', async (t, given) => {
  const { ada, root, team } = given
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  await root('POST /api/billing/invoices/2026-00001/pay')
  await at(given, '2026-05-01T00:00:00.000Z')
  t.match((await ada('GET /api/billing/invoices')).body.data, [
    { number: '2026-00004', issued_at: '2026-04-15T12:00:00.000Z', due_at: '2026-05-15T00:00:00.000Z' },
    { number: '2026-00003', issued_at: '2026-03-15T12:00:00.000Z' },
    { number: '2026-00002', issued_at: '2026-02-15T12:00:00.000Z', status: 'open' },
    { number: '2026-00001', status: 'paid' },
  ])
})

each('one member too many is refused, and another plan named; invitations count', async (t, given) => {
  const { ada, root, team } = given
  const url = `/api/teams/${team}/members`
  t.match(await ada('POST /api/billing/checkout', { plan: 'solo', team }), {
    status: 409,
    body: { message: /Solo has 1 seat, and this would need 2\. The plan Pro has 3/ },
  })
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  t.equal((await ada(`POST ${url}`, { email: 'new@example.org' })).status, 201)
  const added = [ada, root].map((ask) => ask(`POST ${url}`, { email: 'eve@example.org' }))
  for (const answer of await Promise.all(added))
    t.match(answer, { status: 409, body: { message: /Pro has 3 seats, and this would need 4\. The plan Try has any number/ } })
  t.match(await ada(`POST ${url}`, { email: 'more@example.org' }), { status: 409 })
  t.notMatch((await root('GET /api/users')).text, 'more@example.org', 'no account is left of it')
  t.match((await ada('GET /api/billing')).body.data.seats, { used: 3, of: 3 })
  t.match(await root(`DELETE /api/teams/${team}`), { status: 409, body: { message: /has a subscription/ } })
  await ada('POST /api/billing/cancel')
  await at(given, '2026-03-01T12:00:00.000Z')
  t.equal((await ada(`POST ${url}`, { email: 'eve@example.org' })).status, 201, 'what has ended limits nothing')
  t.equal((await root(`DELETE /api/teams/${team}`)).status, 200)
  t.equal((await root('GET /api/billing/invoices/2026-00001')).status, 200, 'its invoices stay')
})

each('members added at once with a checkout never are more than the seats', async (t, given) => {
  const { ada, team } = given
  const asked = [
    ada('POST /api/billing/checkout', { plan: 'pro', team }),
    ...[1, 2, 3].map((n) => ada(`POST /api/teams/${team}/members`, { email: `n${n}@example.org` })),
  ]
  const [begun, ...added] = (await Promise.all(asked)).map(({ status }) => status)
  const members = (await ada(`GET /api/teams/${team}`)).body.data.members.length
  t.equal(members, 2 + added.filter((status) => status === 201).length)
  if (begun === 201) t.ok(members <= 3, `${members} members`)
  else t.ok(members > 3, `${members} members, and no subscription`)
})

each('owners of a team see theirs, members nothing; a foreign team is one that never was', async (t, given) => {
  const { ada, bob, eve, root, team, other, opened } = given
  const take = readsOf(opened.store)
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  await eve('POST /api/billing/checkout', { plan: 'pro', team: other })
  const requests = (of: string, invoice: string): [string, unknown?][] => [
    [`GET /api/billing?team=${of}`],
    [`GET /api/billing/invoices?team=${of}`],
    ['POST /api/billing/checkout', { plan: 'pro', team: of }],
    ['POST /api/billing/cancel', { team: of }],
    [`POST /api/billing/cancel?team=${of}`],
    ['POST /api/billing/resume', { team: of }],
    [`GET /api/billing/invoices/${invoice}`],
    [`HEAD /api/billing/invoices/${invoice}`],
    [`POST /api/billing/invoices/${invoice}/pay`],
    [`POST /api/billing/invoices/${invoice}/void`],
  ]
  const told = ({ status, headers, text }: Answered, id: string, invoice: string) => {
    const kept = Object.entries(headers).filter(([name]) => !['x-request-id', 'date'].includes(name))
    return JSON.stringify([status, kept, text]).replaceAll(id, 'ID').replaceAll(invoice, 'INVOICE')
  }
  for (const [who, ask] of [
    ['an owner of another team', ada],
    ['a member', bob],
  ] as const) {
    const missing = requests(MISSING, '2026-00099')
    for (const [index, [request, body]] of requests(other, '2026-00002').entries()) {
      take()
      const answer = await ask(request, body)
      const reads = take().map((read) => read.replaceAll(other, MISSING).replaceAll('2026-00002', '2026-00099'))
      t.equal(answer.status, 404, `${who}: ${request}`)
      const [never = '', same] = missing[index] ?? []
      t.equal(told(answer, other, '2026-00002'), told(await ask(never, same), MISSING, '2026-00099'), `${who}: ${request}`)
      t.strictSame(reads, take(), `${who}: ${request} looks at the same`)
    }
  }
  for (const [request, body] of requests(team, '2026-00001')) t.equal((await bob(request, body)).status, 403, request)
  for (const request of ['GET /api/billing', 'GET /api/billing/invoices', 'POST /api/billing/cancel'])
    t.equal((await bob(request)).status, 403, request)
  t.strictSame(numbers(await ada('GET /api/billing/invoices')), ['2026-00001'])
  t.strictSame(numbers(await eve('GET /api/billing/invoices')), ['2026-00002'])
  t.equal((await root('GET /api/billing/invoices')).body.meta.total, 2)
  t.strictSame(numbers(await root(`GET /api/billing/invoices?team=${other}`)), ['2026-00002'])
  t.match(await root('GET /api/billing'), { status: 422, body: { errors: { team: [/several/] } } })
  t.equal((await root(`GET /api/billing?team=${other}`)).status, 200)
  t.equal((await root(`GET /api/billing?team=${MISSING}`)).status, 404)
})

each('tokens have billing:write, or nothing; none acts as a member', async (t, { app, team }) => {
  t.equal((await app.ask('GET /api/billing/invoices', { as: 'billing:write' })).status, 200)
  t.equal((await app.ask(`GET /api/billing?team=${team}`, { as: 'billing:write' })).status, 200)
  t.equal((await app.ask(`GET /api/billing?team=${team}`, { as: 'teams:write' })).status, 404)
  t.equal((await app.ask('GET /api/billing', { as: 'teams:write' })).status, 403)
  t.equal((await app.bare('GET /api/billing')).status, 401)
})

each('an invoice has a page for who asks for one', async (t, given) => {
  const { ada, root, team } = given
  await root(`PUT /api/teams/${team}`, { name: '<b>Acme</b> & Sons' })
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  const url = 'GET /api/billing/invoices/2026-00001'
  const page = await ada(url, undefined, { accept: 'text/html,*/*;q=0.8' })
  t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'none'/)
  for (const word of ['2026-00001', 'Quire Ltd', '1 Street\nTown', 'GB1', '&lt;b&gt;Acme&lt;/b&gt; &amp; Sons'])
    t.match(page.text, word)
  for (const word of ['€49.50', '19%', '€9.41', '€58.91', 'EUR', 'January 15, 2026', 'January 29, 2026']) t.match(page.text, word)
  t.notMatch(page.text, /<script|<img|<link|url\(/)
  t.equal((await ada(url, undefined, { accept: 'application/json, text/html' })).body.data.number, '2026-00001')
  t.equal((await ada(url, undefined, { accept: 'image/png' })).status, 406)
  t.equal((await ada('GET /api/billing', undefined, { accept: 'text/html' })).status, 406)
})

for (const [currency, words] of [
  ['jpy', ['¥4,950', '¥941', '¥5,891', 'JPY']],
  ['kwd', ['KWD 4.950', 'KWD 0.941', 'KWD 5.891']],
] as const)
  each(
    `amounts of ${currency} have their own decimals`,
    async (t, { ada, team }) => {
      await ada('POST /api/billing/checkout', { plan: 'pro', team })
      const url = 'GET /api/billing/invoices/2026-00001'
      t.match((await ada(url)).body.data, { currency, subtotal: 4950, tax: 941, amount_due: 5891 })
      const { text } = await ada(url, undefined, { accept: 'text/html' })
      for (const word of words) t.match(text.replaceAll('\u00a0', ' '), word)
    },
    { currency },
  )

each('invoices and subscriptions are nobody’s content', async (t, { ada, root, team, opened }) => {
  await ada('POST /api/billing/checkout', { plan: 'pro', team })
  t.strictSame(
    (await opened.store.kinds()).filter((kind) => kind.startsWith('.')),
    [],
  )
  t.notMatch((await root('GET /api/types')).text, 'invoice')
  t.equal((await root('GET /api/cms/.invoices')).status, 404)
  t.equal((await ada('GET /api/billing/invoices/..%2Fx')).status, 404)
})

t.test('without teams the site itself subscribes; its owners get the letters', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const features = { api: true, auth: true, billing: true }
    const app = new TestApp(opened, { config: { features, billing: BILLING } })
    t.teardown(() => app.close())
    await app.features.users.create({ email: 'root@example.org', name: 'root', role: 'owner' }, BY)
    const eve = await app.features.users.create({ email: 'eve@example.org', name: 'eve', role: 'admin' }, BY)
    const as = 'billing:write'
    t.match(await app.ask('POST /api/billing/checkout', { as, body: { plan: 'pro' } }), {
      status: 201,
      body: { data: { url: 'https://example.org' } },
    })
    t.match((await app.ask('GET /api/billing', { as })).body.data, {
      subscription: { team: null, status: 'active' },
      seats: { used: 2, of: 3 },
      next_invoice: { customer: { team: null, name: 'Test site' } },
    })
    await app.features.billing.sweep.run()
    t.match(app.messages, [{ to: 'root@example.org', template: 'invoice', data: { invoice: '2026-00001', name: 'root' } }])
    t.equal(app.messages.length, 1)
    t.equal((await app.askAs(eve, 'GET /api/billing')).status, 403)
    t.equal((await app.ask('GET /api/billing?team=site', { as })).status, 404)
  }),
)

t.test('switched off, it answers 404', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: { api: true, auth: true, teams: true } } })
    t.teardown(() => app.close())
    for (const request of ['GET /api/billing', 'GET /api/billing/plans', 'POST /api/billing/checkout'])
      t.equal((await app.ask(request)).status, 404)
  }),
)
