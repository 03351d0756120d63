import t from 'tap'
import { newEvents } from '#features/events/new-events.ts'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, panelOf } from '#support/panel.ts'
import { SECRET_KEY, StripeServer, WEBHOOK_SECRET } from '#support/stripe-server.ts'

const PLANS = [
  { id: 'solo', name: 'Solo', amount: 900, interval: 'month', trial_days: 0, seats: 1 },
  { id: 'pro', name: 'Pro & more', amount: 4950, interval: 'month', trial_days: 14, seats: 3 },
]
const CONFIG = { features: { ...PANEL_FEATURES, teams: true, billing: true }, billing: { plans: PLANS } }
const BASE = '/admin/billing'

t.test(
  'a team subscribes, cancels and takes that back; its invoice is looked at, and paid by word of an owner of the site',
  (t) =>
    panelOf(
      t,
      {},
      async (t, { browser, app, ada, as }) => {
        const { user, browser: theirs } = await as('author')
        const { browser: others } = await as('admin')
        const team = async (name: string) => (await app.askAs(ada, 'POST /api/teams', { body: { name } })).body.data.id as string
        t.match((await browser.get(BASE)).html, 'No teams')
        const [acme, beta] = [await team('Acme'), await team('Beta')]
        for (const hidden of [theirs, others]) {
          t.notMatch((await hidden.get('/admin')).html, `href="${BASE}"`, 'who acts for nobody is not led to it')
          for (const url of [BASE, `${BASE}/invoices`, `${BASE}?team=${acme}`, `${BASE}/invoices/2026-00001`])
            t.equal((await hidden.get(url)).status, 404, url)
        }
        await app.askAs(ada, `POST /api/teams/${acme}/members`, { body: { user: user.id, role: 'owner' } })
        await app.askAs(ada, `DELETE /api/teams/${acme}/members/${ada.id}`)
        t.match((await browser.get(BASE)).html, new RegExp(`href="${BASE}\\?team=${acme}"[\\s\\S]*href="${BASE}\\?team=${beta}"`))
        t.match((await theirs.get('/admin')).html, `href="${BASE}"`)
        const choice = (await theirs.get(BASE)).html
        t.match(choice, /Choose Solo[\s\S]*Pro &amp; more[\s\S]*€49\.50 a month/)
        t.match(await theirs.post(`${BASE}/checkout`, formIn(choice, `${BASE}/checkout`)), {
          ...{ status: 303, location: `${BASE}?done=saved` },
        })
        const begun = (await theirs.get(BASE)).html
        t.match(begun, /€9\.00 a month[\s\S]*Active[\s\S]*1 of 1[\s\S]*Cancel at the end of the period/)
        t.equal((await theirs.post(`${BASE}/checkout`, { plan: 'pro' })).status, 409)
        t.equal((await theirs.post(`${BASE}/checkout`, { plan: 'pro', team: beta })).status, 404)
        t.match(await theirs.post(`${BASE}/subscription/cancel`, {}), { status: 303 })
        t.match((await theirs.get(BASE)).html, 'Keep the subscription')
        t.match(await theirs.post(`${BASE}/subscription/resume`, { team: acme }), { location: `${BASE}?team=${acme}&done=saved` })
        t.equal((await theirs.post(`${BASE}/subscription/resume`, {})).status, 409)

        const list = (await theirs.get(`${BASE}/invoices`)).html
        t.match(list, /2026-00001[\s\S]*Open[\s\S]*€9\.00[\s\S]*Jan 15, 2026[\s\S]*Jan 29, 2026/)
        t.notMatch(list, 'invoices/2026-00001/pay')
        t.equal((await theirs.post(`${BASE}/invoices/2026-00001/pay`, {})).status, 403)
        await others.get('/admin/account')
        t.equal((await others.post(`${BASE}/invoices/2026-00001/pay`, {})).status, 404)
        const page = await theirs.get(`${BASE}/invoices/2026-00001`)
        t.match(page.html, '<h1>Invoice 2026-00001</h1>')
        t.match(page.headers['content-security-policy'], /^default-src 'none'; style-src 'sha256-/)
        t.match((await browser.get(`${BASE}/invoices`)).html, 'invoices/2026-00001/void')
        const question = await browser.post(`${BASE}/invoices/2026-00001/pay`, { team: acme })
        t.match(question.html, /Is invoice 2026-00001 paid\?[\s\S]*can’t be taken back/)
        t.match((await browser.get(`${BASE}/invoices`)).html, 'Open', 'nothing is done before')
        t.match(await browser.post(`${BASE}/invoices/2026-00001/pay`, { team: acme, sure: 'yes' }), {
          location: `${BASE}/invoices?team=${acme}&done=saved`,
        })
        t.match((await browser.get(`${BASE}/invoices`)).html, 'Paid')
        t.equal((await browser.post(`${BASE}/invoices/2026-00001/void`, { sure: 'yes' })).status, 409)
        t.equal((await browser.post(`${BASE}/invoices/2026-00099/void`, {})).status, 404)
      },
      { config: CONFIG },
    ),
)

t.test('with Stripe a plan leads to its page, and so does an invoice', async (t) => {
  const stripe = await StripeServer.listen(t, () => Date.parse('2026-01-15T12:00:00Z'))
  const settings = { secret_key: SECRET_KEY, webhook_secret: WEBHOOK_SECRET, api_base: stripe.url }
  const plans = PLANS.map((plan) => ({ ...plan, stripe_price: `price_${plan.id}` }))
  const config = {
    features: { ...PANEL_FEATURES, billing: true, events: true },
    billing: { plans, gateway: 'stripe', stripe: settings },
  }
  await panelOf(
    t,
    {},
    async (t, { browser, app, opened }) => {
      const choice = await browser.get(BASE)
      t.match(choice.headers['content-security-policy'], /form-action 'self' https:\/\/checkout\.stripe\.com;/)
      const away = await browser.post(`${BASE}/checkout`, { plan: 'pro' })
      const session = [...stripe.sessions.keys()].at(-1) ?? ''
      t.match(away, { status: 303, location: `https://checkout.stripe.com/c/pay/${session}` })
      t.match(await browser.post(`${BASE}/checkout`, { plan: 'pro' }), { status: 409 })
      const { subscription, invoice } = stripe.pay(session)
      const tell = async (type: string, id: string) => {
        const { body, signature } = stripe.event(type, stripe.invoices.get(id))
        const headers = { 'stripe-signature': signature }
        t.equal((await app.bare('POST /api/billing/webhook/stripe', { body, headers })).status, 200)
        await app.features.billing.sweep.run()
      }
      await tell('invoice.paid', invoice)
      const begun = (await browser.get(BASE)).html
      t.match(begun, /€49\.50 a month[\s\S]*On trial[\s\S]*Next invoice[\s\S]*€58\.91 on January 29, 2026/)
      const open = stripe.bill(subscription, 'price_pro', 'open')
      await tell('invoice.finalized', open)
      const list = (await browser.get(`${BASE}/invoices`)).html
      t.match(list, new RegExp(`${BASE}/invoices/${open}[\\s\\S]*Open`))
      t.notMatch(list, /\/(?:pay|void)"/, 'nobody says here what is paid')
      for (const act of ['pay', 'void'])
        t.equal((await browser.post(`${BASE}/invoices/${open}/${act}`, { sure: 'yes' })).status, 404)
      t.match(await browser.get(`${BASE}/invoices/${open}`), {
        status: 303,
        location: `https://invoice.stripe.com/i/${subscription}`,
      })
      t.match(await browser.post(`${BASE}/subscription/cancel`, {}), { status: 303 })
      t.equal(stripe.subscriptions.get(subscription).cancel_at_period_end, true)
      const told = (await newEvents(opened.store)).events.filter(({ event }) => event.type === 'subscription.updated')
      t.match(told, [{ event: { source: 'panel', data: { changed: ['cancel_at_period_end'] } } }])
      stripe.set(subscription, { status: 'canceled', ended_at: 1 })
      await browser.post(`${BASE}/subscription/resume`, {})
      stripe.checkout = 'https://pay.example.org'
      const page = await browser.post(`${BASE}/checkout`, { plan: 'solo' })
      stripe.checkout = 'https://checkout.stripe.com'
      t.match(page.headers.refresh, /^0; url=https:\/\/pay\.example\.org\/c\/pay\//)
      t.match(page.html, /href="https:\/\/pay\.example\.org\/c\/pay\/[^"]*"[^>]*>[\s\S]*Go on/)
    },
    { config },
  )
})

t.test('switched off, there is no such page', (t) =>
  panelOf(t, {}, async (t, { browser }) => {
    t.equal((await browser.get(BASE)).status, 404)
    t.notMatch((await browser.get('/admin')).html, `href="${BASE}"`)
  }),
)
