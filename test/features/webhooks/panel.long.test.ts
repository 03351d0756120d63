import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, panelOf } from '#support/panel.ts'
import { Receiver } from '#support/receiver.ts'
import { BY } from '#support/signing-in.ts'

const CONFIG = { features: { ...PANEL_FEATURES, events: true, webhooks: true } }
const BASE = '/admin/webhooks'
const RECEIVERS = { isAllowed: () => true, patience: 1_000 }

t.test('a webhook is made, tried and looked at in the panel; its secret is shown once', (t) =>
  panelOf(
    t,
    {},
    async (t, { browser, app, opened, as }) => {
      const receiver = await Receiver.listen(t)
      await app.features.events.due()
      const { browser: others } = await as('editor')
      for (const url of [BASE, `${BASE}/create`, `${BASE}/wh_1/deliveries`]) t.equal((await others.get(url)).status, 404, url)
      t.notMatch((await others.get('/admin')).html, `href="${BASE}"`)
      t.match((await browser.get('/admin')).html, `href="${BASE}"`)
      const form = formIn((await browser.get(`${BASE}/create`)).html, BASE)
      const wrong = await browser.post(BASE, { ...form, url: 'ftp://example.org', 'events[]': ['record.*'] })
      t.match([wrong.status, wrong.html], [422, /must be an address of http or https/])
      const made = await browser.post(BASE, { ...form, url: receiver.url, 'events[]': ['record.*'], description: 'Search <b>' })
      t.match(made, { status: 303, location: BASE })
      const list = (await browser.get(BASE)).html
      t.match(list, /“Search &lt;b&gt;” has a new secret[\s\S]*whsec_[A-Za-z0-9+/]{43}=/)
      t.notMatch((await browser.get(BASE)).html, 'whsec_', 'once')
      const [, id = ''] = new RegExp(`href="${BASE}/(wh_[^/"]+)/edit"`).exec(list) ?? []
      const edit = (await browser.get(`${BASE}/${id}/edit`)).html
      t.match(edit, `href="${BASE}/${id}/deliveries"`)
      t.match((await browser.get(`${BASE}/${id}/deliveries`)).html, /Nothing was sent yet/)
      await browser.post(`${BASE}/${id}`, { ...formIn(edit, `${BASE}/${id}`), description: 'Found' })
      t.match(await browser.post(`${BASE}/${id}/test`), { status: 303, location: `${BASE}/${id}/deliveries` })
      t.same(receiver.take(), [`webhook.test ${id}`])
      receiver.answer = (response) => response.writeHead(500).end('<i>Away</i>')
      opened.clock.advance(1_000)
      await opened.store.write([{ key: keyOf('posts', 'a'), put: { set: { title: 'A', status: 'draft' } } }], BY)
      await app.features.events.due()
      await app.features.webhooks.drains.run()
      const sent = (await browser.get(`${BASE}/${id}/deliveries`)).html
      t.match(
        sent,
        /record\.created[\s\S]*Next try: Today[\s\S]*Pending[\s\S]*500 &lt;i&gt;Away[\s\S]*webhook\.test[\s\S]*Delivered/,
      )
      const [, delivery = ''] = /deliveries\/(dlv_[^/"]+)\/replay/.exec(sent) ?? []
      receiver.take()
      receiver.answer = (response) => response.end()
      t.match(await browser.post(`${BASE}/${id}/deliveries/${delivery}/replay`), { status: 303 })
      await app.features.webhooks.drains.run()
      t.same(receiver.take(), ['record.created a'])
      t.match(await browser.post(`${BASE}/${id}/rotate`), { status: 303, location: BASE })
      t.match((await browser.get(BASE)).html, /“Found” has a new secret[\s\S]*whsec_/)
      await others.get('/admin/account')
      for (const [method, path] of [
        ['POST', 'test'],
        ['POST', 'rotate'],
        ['POST', 'enable'],
        ['POST', `deliveries/${delivery}/replay`],
      ] as const)
        t.match((await others.ask(method, `${BASE}/${id}/${path}`, { form: { _csrf: others.csrf } })).status, 404, path)
      t.match(await browser.post(`${BASE}/${id}`, { _method: 'DELETE' }), { status: 303, location: `${BASE}?done=removed` })
      t.match((await browser.get(BASE)).html, 'No webhooks')
    },
    { config: CONFIG, deps: { receivers: RECEIVERS } },
  ),
)
