import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { newEvents } from '#features/events/new-events.ts'
import type { User } from '#features/users/user.ts'
import { type Answered, type AppOptions, TestApp } from '#support/app.ts'
import { eachStore, type OpenedStore, openNode } from '#support/stores.ts'
import { SECRET_KEY, StripeServer, signatureOf, WEBHOOK_SECRET } from '#support/stripe-server.ts'

const BY = { name: 'Tester', email: 'tester@example.org' }
const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, stripe_price: 'price_solo', seats: 1, trial_days: 0 },
  { id: 'pro', name: 'Pro', amount: 4950, stripe_price: 'price_pro', seats: 3, trial_days: 14 },
  { id: 'gone', name: 'Gone', amount: 1, stripe_price: 'price_gone', seats: null, trial_days: 0 },
].map((plan) => ({ interval: 'month', ...plan }))
const KINDS = ['.subscriptions', '.invoices', '.checkouts', '.stripe-events', '.teams']
const HOOK = 'POST /api/billing/webhook/stripe'

type Ask = (request: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>
type Signed = ReturnType<StripeServer['event']>

interface Given {
  readonly stripe: StripeServer
  readonly opened: OpenedStore
  readonly app: TestApp
  /** The same site on another server. */
  readonly other: TestApp
  readonly team: string
  readonly ada: Ask
  readonly onOther: Ask
  readonly root: Ask
}

function each(name: string, body: (t: Test, given: Given) => Promise<void>, options: AppOptions['deps'] = {}): void {
  t.test(name, (t) =>
    eachStore(t, {}, async (t, opened) => {
      const stripe = await StripeServer.listen(t, () => opened.clock.now())
      const config = configOf(stripe)
      const logged: unknown[] = []
      const deps = { log: (error: unknown) => void logged.push(error), ...options }
      const app = new TestApp(opened, { config, deps })
      const node = 'url' in opened ? await openNode(t, opened as OpenedStore & { url: string }) : opened
      const other = new TestApp(node, { config, deps })
      t.teardown(async () => {
        await app.close()
        await other.close()
      })
      const make = (name: string, role: string) => app.features.users.create({ email: `${name}@example.org`, name, role }, BY)
      const [root, ada] = [await make('root', 'owner'), await make('ada', 'editor')]
      const { id: team } = (await app.askAs(root, 'POST /api/teams', { body: { name: 'Acme' } })).body.data
      await app.askAs(root, `POST /api/teams/${team}/members`, { body: { user: ada.id, role: 'owner' } })
      await app.askAs(root, `DELETE /api/teams/${team}/members/${root.id}`)
      const asks = (app: TestApp, user: User): Ask => {
        return (request, body, headers = {}) => app.askAs(user, request, { headers, ...(body !== undefined && { body }) })
      }
      const [asAda, onOther, asRoot] = [asks(app, ada), asks(other, ada), asks(app, root)]
      await body(t, { stripe, opened, app, other, team, ada: asAda, onOther, root: asRoot })
      const kept = await Promise.all(KINDS.map((kind) => opened.store.heads(kind, {})))
      const { events } = await newEvents(opened.store)
      const said = inspect([logged, kept, events, app.messages], { depth: 20 })
      for (const secret of [SECRET_KEY, WEBHOOK_SECRET]) t.notOk(said.includes(secret), 'no secret is kept or logged')
    }),
  )
}

function configOf({ url }: StripeServer): NonNullable<AppOptions['config']> {
  const stripe = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: url }
  return {
    features: { api: true, auth: true, admin: true, teams: true, billing: true, events: true },
    billing: { gateway: 'stripe', plans: PLANS, stripe },
  }
}

function tell(app: TestApp, { body, signature }: Pick<Signed, 'body' | 'signature'>): Promise<Answered> {
  return app.bare(HOOK, { body, headers: { 'stripe-signature': signature } })
}

/** Does what waits, on a server. */
function settle(app: TestApp): Promise<void> {
  return app.features.billing.sweep.run()
}

/** Subscribes, and has Stripe tell of it. */
async function subscribed({ ada, stripe, app }: Given, plan = 'pro') {
  const { status, body } = await ada('POST /api/billing/checkout', { plan })
  if (status !== 201) throw new Error(`${status} ${body.message}`)
  const made = stripe.pay([...stripe.sessions.keys()].at(-1) ?? '')
  await tell(app, stripe.event('customer.subscription.created', stripe.subscriptions.get(made.subscription)))
  await tell(app, stripe.event('invoice.paid', stripe.invoices.get(made.invoice)))
  await settle(app)
  return made
}

/** A promise, and what resolves it. */
function gate() {
  let open = (): void => undefined
  const opened = new Promise<void>((resolve) => {
    open = () => resolve()
  })
  return { open, opened }
}

const overview = async (ask: Ask) => (await ask('GET /api/billing')).body.data

each('a checkout leads to Stripe, and what is paid there is a subscription with its invoice here', async (t, given) => {
  const { ada, stripe, team, app, opened } = given
  const begun = await ada('POST /api/billing/checkout', { plan: 'pro' })
  t.match(begun, { status: 201, body: { data: { url: /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_test_/ } } })
  const [asked] = stripe.take(/sessions$/)
  t.match(asked, {
    key: /^quire-checkout-[0-9a-f]{32}$/,
    params: {
      ...{ mode: 'subscription', 'line_items[0][price]': 'price_pro', 'line_items[0][quantity]': '1' },
      ...{ client_reference_id: team, 'metadata[quire_customer]': team, 'subscription_data[trial_period_days]': '14' },
      success_url: `https://example.org/admin/billing?team=${team}`,
      cancel_url: `https://example.org/admin/billing?team=${team}`,
    },
  })
  t.same((await overview(ada)).subscription, null, 'nothing has begun before it is paid')
  const made = stripe.pay([...stripe.sessions.keys()][0] ?? '')
  t.match(await tell(app, stripe.event('checkout.session.completed', [...stripe.sessions.values()][0])), {
    ...{ status: 200, body: { received: true } },
  })
  await tell(app, stripe.event('invoice.paid', stripe.invoices.get(made.invoice)))
  await settle(app)
  const now = new Date(opened.clock.now()).toISOString()
  t.match(await overview(ada), {
    plan: { id: 'pro', amount: 4950, seats: 3 },
    subscription: {
      ...{ id: made.subscription, team, plan: 'pro', status: 'trialing', current_period_start: now, cancel_at_period_end: false },
      ...{ current_period_end: '2026-01-29T12:00:00.000Z', trial_ends_at: '2026-01-29T12:00:00.000Z', canceled_at: null },
    },
    next_invoice: { id: null, number: null, status: 'draft', issued_at: '2026-01-29T12:00:00.000Z', tax: 941, amount_due: 5891 },
  })
  const { data, meta } = (await ada('GET /api/billing/invoices')).body
  t.equal(meta.total, 1)
  t.same(data[0], {
    ...{ id: made.invoice, number: stripe.invoices.get(made.invoice).number, status: 'paid', issued_at: now, due_at: now },
    ...{ paid_at: now, period: { start: now, end: '2026-02-15T12:00:00.000Z' }, customer: { team, name: 'Acme' } },
    seller: { name: 'Test site', address: '', tax_id: '' },
    lines: [{ text: '1 × price_pro', quantity: 1, amount: 4950 }],
    ...{ subtotal: 4950, tax: 941, amount_due: 5891, amount_paid: 5891, currency: 'eur' },
  })
  const url = `GET /api/billing/invoices/${made.invoice}`
  t.match(await ada(url, undefined, { accept: 'text/html' }), {
    ...{ status: 303, headers: { location: `https://invoice.stripe.com/i/${made.subscription}`, 'cache-control': 'no-store' } },
  })
  t.match(await ada(url), { status: 200, body: { data: { id: made.invoice } } })
  for (const act of ['pay', 'void']) t.equal((await given.root(`POST /api/billing/invoices/${made.invoice}/${act}`)).status, 404)
  t.equal((await ada('POST /api/billing/checkout', { plan: 'pro' })).status, 409)
  const { events } = await newEvents(opened.store)
  const told = events.map(({ event }) => event).filter(({ data }) => data.type === 'subscription')
  t.match(told, [{ type: 'subscription.created', source: 'clock', actor: null, data: { id: made.subscription } }])
})

each('of several checkouts at once one makes a session, over two servers', async (t, given) => {
  const { ada, onOther, stripe, opened } = given
  const asked = [ada, onOther, ada, onOther].map((ask) => ask('POST /api/billing/checkout', { plan: 'pro' }))
  t.strictSame((await Promise.all(asked)).map(({ status }) => status).sort(), [201, 409, 409, 409])
  t.equal(stripe.take(/POST .*sessions$/).length, 1)
  t.match(await onOther('POST /api/billing/checkout', { plan: 'pro' }), { status: 409, body: { message: /a moment ago/ } })
  opened.clock.advance(61_000)
  const again = await Promise.all([ada, onOther].map((ask) => ask('POST /api/billing/checkout', { plan: 'pro' })))
  t.strictSame(again.map(({ status }) => status).sort(), [201, 409], 'who comes back goes on with the same one')
  t.match(again.find(({ status }) => status === 201)?.body.data.url, [...stripe.sessions.keys()][0])
  opened.clock.advance(61_000)
  t.match(await ada('POST /api/billing/checkout', { plan: 'gone' }), { status: 503, body: { message: /resource_missing/ } })
  t.strictSame(
    [...stripe.sessions.values()].map(({ status }) => status),
    ['expired'],
    'another plan ends it',
  )
  t.match(stripe.take(/\/expire$/), [{ key: /^quire-expire-cs_/ }])
  stripe.prices.set('price_gone', { ...stripe.prices.get('price_pro'), id: 'price_gone' })
  t.equal((await ada('POST /api/billing/checkout', { plan: 'gone' })).status, 201, 'what was refused keeps nobody away')
})

each('a checkout that had no answer goes on under the same name', async (t, { ada, onOther, stripe, opened }) => {
  stripe.failing = 'after'
  t.match(await ada('POST /api/billing/checkout', { plan: 'pro' }), { status: 503, headers: { 'retry-after': '10' } })
  stripe.failing = 'no'
  t.equal((await onOther('POST /api/billing/checkout', { plan: 'pro' })).status, 201)
  const sent = stripe.take(/POST .*sessions$/)
  t.ok(sent.length >= 3, 'sent again by the client, and by who tried again')
  t.equal(new Set(sent.map(({ key }) => key)).size, 1)
  t.equal(stripe.sessions.size, 1)
  opened.clock.advance(3 * 3_600_000)
})

each(
  'where a server ends while it asks for a session, another goes on with that',
  async (t, { ada, onOther, stripe, opened }) => {
    const [asked, answered] = [gate(), gate()]
    let isFirst = true
    stripe.before = async () => {
      if (!isFirst) return
      isFirst = false
      asked.open()
      await answered.opened
    }
    const lost = ada('POST /api/billing/checkout', { plan: 'pro' })
    await asked.opened
    t.equal((await onOther('POST /api/billing/checkout', { plan: 'pro' })).status, 409)
    opened.clock.advance(60_000)
    const { status, body } = await onOther('POST /api/billing/checkout', { plan: 'pro' })
    t.equal(status, 201)
    answered.open()
    t.match(await lost, { status: 201, body })
    t.equal(stripe.sessions.size, 1)
    t.equal(new Set(stripe.take(/POST .*sessions$/).map(({ key }) => key)).size, 1)
  },
)

each('cancelling and taking that back are said to Stripe, each under a name of its own', async (t, given) => {
  const { ada, stripe, team, opened } = given
  t.equal((await ada('POST /api/billing/cancel')).status, 409)
  const { subscription } = await subscribed(given)
  stripe.take(/./)
  for (let round = 0; round < 2; round++) {
    t.match(await ada('POST /api/billing/cancel', { team }), { status: 200, body: { data: { cancel_at_period_end: true } } })
    t.equal(stripe.subscriptions.get(subscription).cancel_at_period_end, true)
    t.equal((await ada('POST /api/billing/cancel')).status, 409)
    t.equal((await overview(ada)).next_invoice, null)
    t.match(await ada('POST /api/billing/resume'), { status: 200, body: { data: { cancel_at_period_end: false } } })
    t.equal(stripe.subscriptions.get(subscription).cancel_at_period_end, false)
    t.equal((await ada('POST /api/billing/resume')).status, 409)
  }
  const keys = stripe.take(/POST .*subscriptions/).map(({ key }) => key)
  t.match(keys, [/^quire-cancel-/, /^quire-resume-/, /^quire-cancel-/, /^quire-resume-/])
  t.equal(new Set(keys).size, 4)
  stripe.set(subscription, { cancel_at: Math.floor(opened.clock.now() / 1000) + 1000 })
  t.match(await ada('POST /api/billing/resume'), { status: 200, body: { data: { cancel_at_period_end: false } } }, 'one by a day')
  const told = (await newEvents(opened.store)).events.map(({ event }) => event)
  t.match(
    told
      .filter(({ type }) => type === 'subscription.updated')
      .map(({ source, actor, data }) => [source, actor?.name, data.changed]),
    [...Array(4).fill(['api', 'ada', ['cancel_at_period_end']]), ['clock', undefined], ['api', 'ada', ['cancel_at_period_end']]],
  )
  stripe.set(subscription, { status: 'canceled', ended_at: Math.floor(opened.clock.now() / 1000) })
  for (const act of ['cancel', 'resume']) t.equal((await ada(`POST /api/billing/${act}`)).status, 409)
  t.match(await overview(ada), { plan: null, subscription: { status: 'canceled', canceled_at: '2026-01-15T12:00:00.000Z' } })
  t.equal((await ada('POST /api/billing/checkout', { plan: 'pro' })).status, 201)
  const { params } = stripe.take(/POST .*sessions$/)[0] ?? {}
  t.equal(params?.['subscription_data[trial_period_days]'], undefined, 'a customer has one trial')
  t.equal(params?.customer, stripe.subscriptions.get(subscription).customer, 'and is the same one at Stripe')
})

each('while Stripe is away that is said, and nothing of it is', async (t, given) => {
  const { ada, stripe, app } = given
  const { invoice, subscription } = await subscribed(given)
  for (const failing of ['before', 'error'] as const) {
    stripe.failing = failing
    const page = { accept: 'text/html' }
    const { status, headers, text } = await (failing === 'before'
      ? ada('POST /api/billing/cancel')
      : ada(`GET /api/billing/invoices/${invoice}`, undefined, page))
    t.match([status, headers['retry-after']], [503, '10'])
    t.notMatch(text, SECRET_KEY)
    t.equal((await overview(ada)).subscription.status, 'trialing', 'what is here is read here')
    t.equal((await ada(`GET /api/billing/invoices/${invoice}`)).status, 200)
    stripe.set(subscription, { status: 'active' })
    t.equal(
      (await tell(app, stripe.event('customer.subscription.updated', { id: subscription, object: 'subscription' }))).status,
      200,
    )
    await t.rejects(settle(app), { message: /Stripe is away/ })
  }
  stripe.failing = 'no'
  await settle(app)
  t.equal((await overview(ada)).subscription.status, 'active', 'what was told meanwhile is read once it is back')
})

each('an event that is not Stripe’s, or not of these minutes, changes nothing', async (t, given) => {
  const { stripe, app, opened } = given
  const { subscription } = await subscribed(given)
  stripe.take(/./)
  const now = opened.clock.now()
  const thing = stripe.subscriptions.get(subscription)
  const { body } = stripe.event('customer.subscription.updated', thing)
  const wrong = [
    signatureOf(body, 'whsec_another', now),
    signatureOf(`${body} `, WEBHOOK_SECRET, now),
    signatureOf(body, WEBHOOK_SECRET, now - 301_000),
    signatureOf(body, WEBHOOK_SECRET, now).replace('v1=', 'v0='),
    ...['', 't=1', 'v1=', `t=${Math.floor(now / 1000)},v1=00`],
  ]
  for (const signature of wrong)
    t.match(await tell(app, { body, signature }), { status: 400, body: { message: /signature/i } }, signature)
  t.equal((await app.bare(HOOK, { headers: { 'stripe-signature': wrong[0] ?? '' } })).status, 400)
  t.equal((await app.bare(HOOK, { body })).status, 400)
  for (const odd of ['null', '{}', '"x"', '[]', '{"id":"evt_1"', '{"id":"../x","data":{"object":{}}}', 'v2 {'])
    t.equal((await tell(app, { body: odd, signature: signatureOf(odd, WEBHOOK_SECRET, now) })).status, 400, odd)
  t.equal((await tell(app, { body: 'x'.repeat(1024 * 1024 + 1), signature: 'x' })).status, 413)
  const large = 'x'.repeat(1024 * 1024)
  t.equal((await tell(app, { body: large, signature: '' })).status, 400)
  const others = [
    stripe.event('customer.updated', { id: 'cus_1', object: 'customer' }),
    stripe.event('customer.subscription.updated', { id: 'sub_nobodys', object: 'subscription' }),
    stripe.event('invoice.paid', { id: 'in_nobodys', object: 'invoice' }),
    stripe.event('checkout.session.completed', { id: 'cs_nobodys', object: 'checkout.session' }),
  ]
  const foreign = [
    {},
    { quire_site: 'https://elsewhere.example', quire_customer: given.team },
    { quire_site: 'https://example.org', quire_customer: 'nobody' },
  ]
  for (const metadata of foreign) {
    const made = stripe.subscribe(metadata)
    others.push(stripe.event('customer.subscription.created', stripe.subscriptions.get(made.subscription)))
    others.push(stripe.event('invoice.paid', stripe.invoices.get(made.invoice)))
  }
  for (const event of others) t.equal((await tell(app, event)).status, 200)
  await settle(app)
  t.equal((await opened.store.heads('.subscriptions', {})).total, 1, 'what is none of this site’s is let be')
  t.equal((await opened.store.heads('.invoices', {})).total, 1)
  stripe.take(/./)
  for (const event of others) t.equal((await tell(app, event)).status, 200)
  await settle(app)
  t.strictSame(stripe.take(/./), [], 'what was told once is not looked up again')
  const { items } = await opened.store.heads('.stripe-events', {})
  t.notOk(items.some(({ fields }) => fields.waits === 'yes'))
  t.notMatch(JSON.stringify(items), /customer_name|metadata|price/, 'no more of an event is kept than what it is about')
  opened.clock.advance(31 * 86_400_000)
  await settle(app)
  t.equal((await opened.store.heads('.stripe-events', {})).total, 0, 'nor for longer than it is needed')
})

each('the one that is read later stays, on whatever server', async (t, given) => {
  const { stripe, app, other, ada, opened } = given
  const { subscription } = await subscribed(given, 'solo')
  const [asked, answered] = [gate(), gate()]
  let isFirst = true
  // The first one is answered with what was so before the second asks.
  stripe.before = async ({ path }) => {
    if (!path.endsWith('create_preview') || !isFirst) return
    isFirst = false
    asked.open()
    await answered.opened
  }
  const event = (app: TestApp) =>
    tell(app, stripe.event('customer.subscription.updated', { id: subscription, object: 'subscription' }))
  await event(app)
  await asked.opened
  stripe.set(subscription, { status: 'past_due' })
  await event(other)
  await settle(other)
  t.equal((await overview(ada)).subscription.status, 'past_due')
  answered.open()
  await settle(app)
  t.equal((await overview(ada)).subscription.status, 'past_due', 'the older answer is not written over it')
  t.equal((await opened.store.heads('.subscriptions', {})).total, 1)
})

each('what no event told is found by night', async (t, given) => {
  const { stripe, app, ada, opened, team, root } = given
  t.equal((await ada('POST /api/billing/checkout', { plan: 'solo' })).status, 201)
  t.match(await root(`DELETE /api/teams/${team}`), { status: 409, body: { message: /checkout/ } })
  const { subscription } = stripe.pay([...stripe.sessions.keys()][0] ?? '')
  await settle(app)
  t.equal((await overview(ada)).subscription, null)
  opened.clock.advance(10 * 60_000)
  await settle(app)
  t.match((await overview(ada)).subscription, { id: subscription, status: 'active' }, 'that a checkout was paid')
  t.equal((await opened.store.heads('.checkouts', {})).total, 0)
  const open = stripe.bill(subscription, 'price_solo', 'open')
  stripe.set(subscription, { status: 'past_due', latest_invoice: open })
  opened.clock.advance(86_400_000)
  await settle(app)
  t.equal((await overview(ada)).subscription.status, 'past_due')
  t.equal((await ada('GET /api/billing/invoices')).body.meta.total, 2)
  t.match(await app.compose(app.messages[0] as never), { values: { number: /^ACME/, ends: '', amount: '€10.71' } })
  const many = app.messages.length
  await settle(app)
  t.strictSame([many, app.messages.length], [1, 1], 'one letter')
  stripe.setInvoice(open, 'uncollectible')
  stripe.set(subscription, { status: 'canceled', ended_at: Math.floor(opened.clock.now() / 1000) })
  opened.clock.advance(86_400_000)
  await settle(app)
  t.match((await ada('GET /api/billing/invoices')).body.data[0], { id: open, status: 'void' })
  opened.clock.advance(86_400_000)
  await settle(app)
  stripe.take(/./)
  opened.clock.advance(40 * 86_400_000)
  await settle(app)
  t.strictSame(stripe.take(/./), [], 'what has ended is asked for no more')
  t.equal((await root(`DELETE /api/teams/${team}`)).status, 200)
})

each('what is read is as Stripe has it: plans, prices, states and amounts', async (t, given) => {
  const { stripe, ada, app, root } = given
  const { subscription } = await subscribed(given, 'solo')
  const item = stripe.subscriptions.get(subscription).items.data[0]
  const told = async (changes: object) => {
    stripe.set(subscription, changes)
    await tell(app, stripe.event('customer.subscription.updated', stripe.subscriptions.get(subscription)))
    await settle(app)
    return overview(ada)
  }
  const priced = (price: object) => told({ items: { data: [{ ...item, price }] } })
  const solo = stripe.prices.get('price_solo')
  t.match((await priced({ ...solo, unit_amount: 1000 })).plan, { id: 'solo', amount: 900 }, 'a price stays as it was agreed on')
  t.match(
    (await priced(stripe.prices.get('price_pro'))).plan,
    { id: 'pro', name: 'Pro', amount: 4950, seats: 3 },
    'another is another plan',
  )
  const isk = { id: 'price_isk', unit_amount: 250_000, currency: 'isk', nickname: 'Iceland', recurring: { interval: 'year' } }
  stripe.prices.set('price_isk', isk)
  t.match((await priced(isk)).plan, {
    ...{ id: 'price_isk', name: 'Iceland', amount: 2500, currency: 'isk', interval: 'year', seats: 3 },
  })
  const invoice = stripe.bill(subscription, 'price_isk', 'open')
  const { lines, ...bill } = stripe.invoices.get(invoice)
  const proration = { ...lines.data[0], amount: -10_000, quantity: null, description: null, period: { start: 1, end: 2 } }
  proration.parent = { subscription_item_details: { proration: true } }
  const all = [proration, ...lines.data]
  stripe.invoices.set(invoice, { ...bill, customer_name: 'Acme Inc.', lines: { data: [proration], has_more: true }, all })
  await tell(app, stripe.event('invoice.finalized', { id: invoice, object: 'invoice' }))
  await settle(app)
  t.match((await ada(`GET /api/billing/invoices/${invoice}`)).body.data, {
    ...{ subtotal: 2500, tax: 475, amount_due: 2975, amount_paid: 0, currency: 'isk', customer: { name: 'Acme Inc.' } },
    lines: [{ text: '', quantity: 1, amount: -100 }, { amount: 2500 }],
    period: { start: '2026-01-15T12:00:00.000Z', end: '2026-02-15T12:00:00.000Z' },
  })
  for (const status of ['unpaid', 'paused']) t.equal((await told({ status })).subscription.status, 'past_due', status)
  t.equal((await told({ status: 'active' })).subscription.status, 'active')
  t.equal((await told({ status: 'incomplete_expired' })).subscription.status, 'canceled')

  const mine = { quire_site: 'https://example.org', quire_customer: given.team }
  const [first, second] = [stripe.subscribe(mine).subscription, stripe.subscribe(mine).subscription]
  const says = (id: string) => tell(app, stripe.event('customer.subscription.updated', stripe.subscriptions.get(id)))
  stripe.set(first, { status: 'incomplete' })
  await says(first)
  await settle(app)
  t.equal((await overview(ada)).plan, null, 'one that has not begun is not there')
  stripe.set(first, { status: 'active' })
  await says(first)
  await settle(app)
  await says(second)
  await settle(app)
  t.equal((await overview(ada)).subscription.id, first, 'a second one waits')
  stripe.set(first, { status: 'canceled', ended_at: 1 })
  await says(second)
  await settle(app)
  t.match((await overview(ada)).subscription, { id: second, status: 'active' }, 'until the first has ended, told or not')
  const { data } = (await root('GET /api/billing/invoices')).body
  t.notOk(data.some(({ status }: { status: string }) => status === 'draft'))
})

each('a subscription stays with the gateway that it was begun with', async (t, given) => {
  const { opened, stripe, ada, app, team } = given
  const config = { ...configOf(stripe), billing: { gateway: 'manual', plans: PLANS } }
  const manual = new TestApp(opened, { config })
  t.teardown(() => manual.close())
  const { subscription } = await subscribed(given, 'solo')
  const late = stripe.bill(subscription, 'price_solo', 'open')
  await tell(app, stripe.event('invoice.finalized', stripe.invoices.get(late)))
  await settle(app)
  const root = await app.features.users.byEmail('root@example.org')
  if (!root) throw new Error('There is no owner.')
  const ask = (request: string) => manual.askAs(root, request)
  t.equal((await ask(`POST /api/billing/cancel?team=${team}`)).status, 409)
  t.equal((await ask(`POST /api/billing/invoices/${late}/pay`)).status, 409)
  opened.clock.advance(40 * 86_400_000)
  await settle(manual)
  t.equal((await ask('GET /api/billing/invoices')).body.meta.total, 2, 'no invoice is made for what Stripe charges')
  t.match((await ask(`GET /api/billing?team=${team}`)).body.data, { subscription: { status: 'active' }, next_invoice: null })
  const { id: other } = (await manual.askAs(root, 'POST /api/teams', { body: { name: 'Beta' } })).body.data
  t.equal((await manual.askAs(root, 'POST /api/billing/checkout', { body: { plan: 'solo', team: other } })).status, 201)
  stripe.take(/./)
  const own = (await manual.askAs(root, `GET /api/billing/invoices?team=${other}`)).body.data[0].id
  t.equal((await app.askAs(root, `POST /api/billing/cancel?team=${other}`)).status, 409)
  t.equal((await app.askAs(root, `GET /api/billing/invoices/${own}`, { headers: { accept: 'text/html' } })).status, 200)
  t.strictSame(stripe.take(/./), [], 'Stripe is asked nothing of it')
  t.equal((await ada('GET /api/billing')).body.data.subscription.id, subscription)
})

each('checkouts that are left come to an end', async (t, { stripe, app, ada, opened }) => {
  t.equal((await ada('POST /api/billing/checkout', { plan: 'solo' })).status, 201)
  const [id = ''] = stripe.sessions.keys()
  stripe.sessions.set(id, { ...stripe.sessions.get(id), status: 'expired', url: null })
  opened.clock.advance(3_600_000)
  await settle(app)
  t.equal((await opened.store.heads('.checkouts', {})).total, 0)
})

const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })

each(
  'without the package that is said, and how to mend it',
  async (t, { app, ada }) => {
    await t.rejects(app.lives.begin(), {
      ...{ message: /billing\.gateway is stripe.*not installed/, hint: /npm install stripe/, file: 'cms.config.yaml', exit: 3 },
    })
    t.equal((await ada('POST /api/billing/checkout', { plan: 'solo' })).status, 500)
    t.equal((await ada('GET /api/billing')).status, 200)
  },
  { loadStripe: () => Promise.reject(missing) },
)

each('a key that Stripe does not take is told of without the key', async (t, { stripe, ada }) => {
  stripe.key = 'sk_another'
  const { status, text, headers } = await ada('POST /api/billing/checkout', { plan: 'solo' })
  t.match([status, headers['retry-after']], [503, '60'])
  t.match(text, /billing\.stripe\.secret_key/)
  t.notMatch(text, SECRET_KEY)
  stripe.key = SECRET_KEY
  t.equal((await ada('POST /api/billing/checkout', { plan: 'solo' })).status, 201)
})
