import t from 'tap'
import { TestApp } from '#support/app.ts'
import { PANEL_FEATURES, PanelBrowser } from '#support/panel.ts'
import { PASSWORD } from '#support/signing-in.ts'
import { eachStore } from '#support/stores.ts'

const FEATURES = { config: { features: PANEL_FEATURES } }

t.test('the first owner makes their account at an address that works once', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { ...FEATURES, deps: { isLocal: true } })
    t.teardown(() => app.close())
    const browser = new PanelBrowser(app, opened.clock)
    t.match((await browser.get('/admin/login')).html, /no owner yet/)
    t.equal((await browser.get(`/admin/setup/${'x'.repeat(43)}`)).status, 404)
    const old = await app.features.admin.setUp.begin()
    const token = await app.features.admin.setUp.begin()
    t.equal((await browser.get(`/admin/setup/${old}`)).status, 404, 'a newer one takes its place')
    const here = `/admin/setup/${token}`
    t.equal((await browser.get(here)).status, 200)
    const wrong = await browser.post(here, { name: '', email: 'ada', password: 'short' })
    t.equal(wrong.status, 422)
    t.match(wrong.html, /value="ada"/)
    for (const id of ['f-name', 'f-email', 'f-password']) t.match(wrong.html, `href="#${id}"`, 'all that is wrong at once')
    t.match(wrong.html, /All but the password is still here[\s\S]*must have at least 15 characters/)
    const [one, two] = await Promise.all([
      browser.post(here, { name: 'Ada', email: 'ada@example.org', password: PASSWORD }),
      browser.post(here, { name: 'Eve', email: 'eve@example.org', password: '' }),
    ])
    t.same([one.status, two.status].filter((status) => status === 303).length, 1, 'of two at once one is the owner')
    const users = await app.features.users.list()
    t.match(users, [{ role: 'owner' }])
    t.equal(users.length, 1)
    t.equal((await browser.get(here)).status, 404)
    const late = await app.features.admin.setUp.begin()
    t.equal((await browser.get(`/admin/setup/${late}`)).status, 404, 'there is an owner')
  }),
)

t.test('the address is over after fifteen minutes', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, { ...FEATURES, deps: { isLocal: true } })
    t.teardown(() => app.close())
    const browser = new PanelBrowser(app, opened.clock)
    const here = `/admin/setup/${await app.features.admin.setUp.begin()}`
    opened.clock.advance(15 * 60_000)
    t.equal((await browser.get(here)).status, 404)
  }),
)

t.test('where others reach the server, the panel waits for an owner made on its machine', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const app = new TestApp(opened, FEATURES)
    t.teardown(() => app.close())
    const browser = new PanelBrowser(app, opened.clock)
    const page = await browser.get('/admin')
    t.equal(page.status, 503)
    t.match(page.html, /cms user:create .*--role owner/)
    t.equal((await browser.get('/')).status, 200, 'the site is served as ever')
    await app.features.users.create(
      { email: 'ada@example.org', name: 'Ada', role: 'owner' },
      { name: 'T', email: 't@example.org' },
    )
    t.equal((await browser.get('/admin')).status, 303)
  }),
)

t.test('a panel on a host of its own answers there alone', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const admin = { url: 'http://edit.localhost' }
    const app = new TestApp(opened, { config: { features: PANEL_FEATURES, admin } })
    t.teardown(() => app.close())
    const ada = { email: 'ada@example.org', name: 'Ada', role: 'owner' }
    await app.features.users.create(ada, { name: 'T', email: 't@example.org' })
    t.equal((await new PanelBrowser(app, opened.clock).get('/admin/login')).status, 404)
    const browser = new PanelBrowser(app, opened.clock, 'edit.localhost')
    t.equal((await browser.get('/admin/login')).status, 200)
    t.match(await browser.signIn(ada.email), { status: 303, location: '/admin' })
  }),
)
