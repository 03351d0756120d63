import t, { type Test } from 'tap'
import { TestApp } from '#support/app.ts'
import { HandMadeProvider } from '#support/identity-providers.ts'
import { codeOf, PANEL_FEATURES, PanelBrowser, type PanelGiven, panelOf } from '#support/panel.ts'
import { BY, PASSWORD, tokenIn } from '#support/signing-in.ts'
import { eachStore } from '#support/stores.ts'

const FILES = { 'content/posts/hello.md': '---\ntitle: Hello\n---\nText.\n' }
const LIST = '/admin/content/posts'

function each(
  name: string,
  body: (t: Test, given: PanelGiven) => Promise<void>,
  options: Parameters<typeof panelOf>[3] = {},
): void {
  t.test(name, (t) => panelOf(t, FILES, body, options))
}

each('a code signs in the browser that asked for it, and no other', async (t, { app, opened }) => {
  opened.clock.advance(60_000)
  const [mine, other] = [new PanelBrowser(app, opened.clock), new PanelBrowser(app, opened.clock)]
  await mine.get(`/admin/login?next=${LIST}`)
  t.match(await mine.post('/admin/login', { email: 'ada@example.org' }), { status: 303, location: '/admin/verify' })
  const code = (await codeOf(app)) ?? ''
  await other.get('/admin/login')
  await other.post('/admin/login', { email: 'ada@example.org' })
  await other.get('/admin/verify')
  t.equal((await other.post('/admin/verify', { code })).status, 401, 'elsewhere it is wrong')
  const api = await app.bare('POST /api/auth/otp/verify', { body: { email: 'ada@example.org', code } })
  t.equal(api.status, 401, 'nor is it one of the API')
  await mine.get('/admin/verify')
  t.match(await mine.post('/admin/verify', { code }), { status: 303, location: LIST })
  t.equal((await mine.get(LIST)).status, 200)
})

each('a code of the API is none of the panel', async (t, { app, opened }) => {
  const browser = new PanelBrowser(app, opened.clock)
  opened.clock.advance(60_000)
  await app.bare('POST /api/auth/otp/send', { body: { email: 'ada@example.org' } })
  const code = (await codeOf(app)) ?? ''
  await browser.get('/admin/login')
  await browser.post('/admin/login', { email: 'ada@example.org' })
  await browser.get('/admin/verify')
  t.equal((await browser.post('/admin/verify', { code })).status, 401)
})

each('an address without an account gets the same pages', async (t, { app, opened }) => {
  const answers = []
  for (const email of ['ada@example.org', 'nobody@example.org']) {
    opened.clock.advance(60_000)
    const browser = new PanelBrowser(app, opened.clock)
    await browser.get('/admin/login')
    const sent = await browser.post('/admin/login', { email })
    const asked = await browser.get('/admin/verify')
    const wrong = await browser.post('/admin/verify', { code: '000000' })
    const plain = (html: string) => html.replaceAll(email, '').replaceAll(/name="_csrf" value="[^"]+"/g, '')
    answers.push([sent.status, sent.location, plain(asked.html), wrong.status, plain(wrong.html)])
  }
  t.same(answers[0], answers[1])
})

each('a password and a mailed link sign in', async (t, { app, opened, ada }) => {
  await app.features.users.setPassword(ada.id, await app.features.auth.passwords.hashFor(PASSWORD, ada), BY)
  const browser = new PanelBrowser(app, opened.clock)
  await browser.get('/admin/login')
  t.equal((await browser.post('/admin/login/password', { email: ada.email, password: `${PASSWORD}!` })).status, 401)
  t.match(await browser.post('/admin/login/password', { email: ada.email, password: PASSWORD }), {
    status: 303,
    location: '/admin',
  })
  opened.clock.advance(60_000)
  const linked = new PanelBrowser(app, opened.clock)
  await linked.get('/admin/login')
  t.equal((await linked.post('/admin/login/link', { email: ada.email })).status, 200)
  const link = new URL((await codeOf(app)) ?? '')
  t.equal(link.pathname, '/admin/login/link')
  t.equal((await linked.get(`${link.pathname}${link.search}`)).status, 200)
  t.equal((await linked.get(`${link.pathname}${link.search}`)).status, 200, 'looking at it spends nothing')
  t.match(await linked.post('/admin/login/link', { token: tokenIn(link.href) }), { status: 303, location: '/admin' })
  t.equal((await linked.get(LIST)).status, 200)
})

each('each sign-in is a session of its own, in the place of what the browser had', async (t, { app, browser, opened }) => {
  const before = browser.cookies.get('cms_session')
  await browser.get(LIST)
  await browser.post('/admin/logout')
  t.equal((await browser.get(LIST)).status, 303, 'signed out')
  const planted = new PanelBrowser(app, opened.clock)
  planted.plant('cms_session', before ?? '')
  await planted.signIn('ada@example.org')
  t.not(planted.cookies.get('cms_session'), before, 'what was there before is not signed in')
})

each(
  'a session ends when it is idle, after its longest life, and with all others of its user',
  async (t, { app, browser, opened, ada }) => {
    const HOUR = 3_600_000
    for (let hours = 0; hours < 11; hours++) {
      opened.clock.advance(HOUR)
      t.equal((await browser.get(LIST)).status, 200, `used each hour, after ${hours + 1}`)
    }
    opened.clock.advance(HOUR)
    t.equal((await browser.get(LIST)).status, 303, 'twelve hours are the most')
    await browser.signIn(ada.email)
    opened.clock.advance(2 * HOUR)
    t.equal((await browser.get(LIST)).status, 303, 'two idle hours are too many')
    await browser.signIn(ada.email)
    await app.features.users.endSessions(ada.id, BY)
    t.equal((await browser.get(LIST)).status, 303)
  },
)

each('only this machine may sign in without https', async (t, { app, opened }) => {
  const outside = new PanelBrowser(app, opened.clock, 'example.org')
  const refused = await outside.get('/admin/login')
  t.equal(refused.status, 403)
  t.match(refused.html, /server\.trust_proxy/)
  t.same([...outside.cookies], [])
  for (const url of ['/admin/login', '/admin/content/posts', '/admin/logout']) {
    const sent = await outside.post(url, { title: 'A' })
    t.equal(sent.status, 403, url)
    t.match(sent.html, /server\.trust_proxy/)
  }
  const near = new PanelBrowser(app, opened.clock)
  const proxied = [{ 'x-forwarded-for': '198.51.100.1' }, { forwarded: 'for=198.51.100.1' }, { origin: 'https://example.org' }]
  for (const headers of proxied) t.equal((await near.get('/admin/login', { headers })).status, 403, JSON.stringify(headers))
})

each('after signing in a browser is led nowhere but into the panel', async (t, { app, opened }) => {
  const evil = [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/admin/../api',
    '/administrator',
    '/admin/logout',
    '/admin//evil',
    'javascript:1',
    '/admin/login?next=/admin',
  ]
  for (const next of evil) {
    opened.clock.advance(3_600_000)
    const browser = new PanelBrowser(app, opened.clock)
    const { location = '' } = await browser.signIn('ada@example.org', next)
    t.ok(location === '/admin' || location.startsWith('/admin//evil'), `${next} leads to ${location}`)
  }
})

t.test('an account elsewhere signs in the browser that began, and no other', async (t) => {
  const github = await HandMadeProvider.start()
  t.teardown(() => github.close())
  const config = { auth: { providers: { github: github.oauth2 } } }
  await panelOf(
    t,
    FILES,
    async (t, { app, opened }) => {
      const [mine, other] = [new PanelBrowser(app, opened.clock), new PanelBrowser(app, opened.clock)]
      const pathOf = (address = '') => address.replace(/^https:\/\/example\.org/, '')
      const arrive = async (browser: PanelBrowser) => {
        const begun = await browser.get(`/admin/login/github?next=${LIST}`)
        t.equal(begun.status, 302)
        const back = new URLSearchParams(github.agree(begun.location ?? ''))
        return pathOf((await browser.get(`/api/auth/github/callback?${back}`)).location)
      }
      const stolen = await arrive(mine)
      t.match(stolen, /^\/admin\/login\/arrive\?code=[\w-]{43}$/)
      await other.get('/admin/login')
      t.equal((await other.get(stolen)).status, 401, 'elsewhere it is good for nothing')
      t.match(await mine.get(stolen), { status: 303, location: LIST })
      t.equal((await other.get(stolen)).status, 401, 'and is spent')
      t.equal((await mine.get(LIST)).status, 200)
      const exchanged = await app.bare('POST /api/auth/exchange', { body: { code: stolen.split('=')[1] } })
      t.equal(exchanged.status, 401, 'it is no code of the API')
      t.equal((await other.get('/admin/login/none')).status, 404)
    },
    { config },
  )
})

each(
  'others can not use up the codes of an address; one that came stays good where another is asked for',
  async (t, { app, opened, ada }) => {
    opened.clock.advance(3_600_000)
    const stranger = new PanelBrowser(app, opened.clock)
    const mine = new PanelBrowser(app, opened.clock)
    await stranger.get('/admin/login')
    await stranger.post('/admin/login', { email: ada.email })
    app.messages.length = 0
    await mine.get('/admin/login')
    const asked = await mine.ask('POST', '/admin/login', { form: { _csrf: mine.csrf, email: ada.email }, from: '127.0.0.2' })
    t.equal(asked.status, 303)
    const code = (await codeOf(app)) ?? ''
    t.match(code, /^\d{6}$/, 'a stranger’s message holds mine not up')
    await mine.get('/admin/verify')
    t.equal(
      (await mine.ask('POST', '/admin/login', { form: { _csrf: mine.csrf, email: ada.email }, from: '127.0.0.2' })).status,
      303,
    )
    await mine.get('/admin/verify')
    t.match(await mine.post('/admin/verify', { code }), { status: 303, location: '/admin' })
  },
)

each('a link signs in where somebody else is signed in', async (t, { app, opened, browser }) => {
  const bo = await app.features.users.create({ email: 'bo@example.org', name: 'Bo', role: 'editor' }, BY)
  opened.clock.advance(60_000)
  const asking = new PanelBrowser(app, opened.clock)
  await asking.get('/admin/login')
  await asking.post('/admin/login/link', { email: bo.email })
  const link = new URL((await codeOf(app)) ?? '')
  t.match((await browser.get(`${link.pathname}${link.search}`)).html, /You are signed in as Ada/)
  t.match(await browser.post('/admin/login/link', { token: tokenIn(link.href) }), { status: 303, location: '/admin' })
  t.match((await browser.get('/admin/account')).html, /bo@example\.org/)
})

t.test('an account elsewhere signs in to a panel on a host of its own', async (t) => {
  const github = await HandMadeProvider.start()
  t.teardown(() => github.close())
  const config = {
    auth: { providers: { github: github.oauth2 } },
    admin: { url: 'http://edit.localhost' },
    site: { url: 'http://localhost' },
  }
  await eachStore(t, { files: FILES }, async (t, opened) => {
    const app = new TestApp(opened, { config: { features: PANEL_FEATURES, ...config } })
    t.teardown(() => app.close())
    await app.features.users.create({ email: 'ada@example.org', name: 'Ada', role: 'owner' }, BY)
    const panel = new PanelBrowser(app, opened.clock, 'edit.localhost')
    const site = new PanelBrowser(app, opened.clock, 'localhost')
    const away = new URL((await panel.get(`/admin/login/github?next=${LIST}`)).location ?? '')
    t.equal(away.origin, 'http://localhost')
    const begun = await site.get(`${away.pathname}${away.search}`)
    const back = new URLSearchParams(github.agree(begun.location ?? ''))
    const arrival = new URL((await site.get(`/api/auth/github/callback?${back}`)).location ?? '')
    t.equal(arrival.origin, 'http://edit.localhost')
    t.match(await panel.get(`${arrival.pathname}${arrival.search}`), { status: 303, location: LIST })
    t.equal((await site.get(`${away.pathname}${away.search}`)).status, 401, 'once')
  })
})
