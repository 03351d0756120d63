import t from 'tap'
import { PanelBrowser, panelOf } from '#support/panel.ts'
import { PASSWORD } from '#support/signing-in.ts'

const FILES = { 'content/posts/hello.md': '---\ntitle: Hello\n---\nText.\n' }

t.test('a token is shown once, to the session that made it', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened, ada }) => {
    await browser.get('/admin/tokens/create')
    const made = await browser.post('/admin/tokens', { name: 'front', 'scopes[]': ['', 'read'], expires: '30d' })
    t.match(made, { status: 303, location: '/admin/tokens' })
    const kept = []
    for await (const fact of opened.ledger.facts()) kept.push(JSON.stringify(fact))
    const other = new PanelBrowser(app, opened.clock)
    await other.signIn(ada.email)
    t.notMatch((await other.get('/admin/tokens')).html, /cms_[A-Za-z0-9]{46}/, 'another session does not see it')
    await browser.get('/admin/users')
    await browser.ask('HEAD', '/admin/tokens')
    const [secret = ''] = /cms_[A-Za-z0-9]{46}/.exec((await browser.get('/admin/tokens')).html) ?? []
    t.equal((await app.bare('GET /api/cms/posts', { headers: { authorization: `Bearer ${secret}` } })).status, 200)
    t.notMatch(kept.join('\n'), new RegExp(secret), 'it is nowhere in plain')
    const again = await browser.get('/admin/tokens')
    t.notMatch(again.html, /cms_[A-Za-z0-9]{46}/, 'once')
    const id = /\/admin\/tokens\/([^/"]+)\/edit/.exec(again.html)?.[1] ?? ''
    await browser.get(`/admin/tokens/${id}/delete`)
    t.match(await browser.post(`/admin/tokens/${id}`, { _method: 'DELETE' }), { status: 303 })
    t.equal((await app.bare('GET /api/cms/posts', { headers: { authorization: `Bearer ${secret}` } })).status, 401)
  }),
)

t.test('nobody gives a token a right that they have not', (t) =>
  panelOf(t, FILES, async (t, { as }) => {
    const { browser } = await as('author')
    await browser.get('/admin/tokens/create')
    const refused = await browser.post('/admin/tokens', { name: 'x', 'scopes[]': ['', 'users:write'], expires: '30d' })
    t.equal(refused.status, 403)
    t.match(refused.html, /value="x"/, 'what was typed is still there')
    const { browser: viewer } = await as('viewer')
    t.equal((await viewer.get('/admin/tokens')).status, 404)
  }),
)

t.test('one’s own name and password; a new password ends all other sessions', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened, ada }) => {
    const other = new PanelBrowser(app, opened.clock)
    await other.signIn(ada.email)
    await browser.get('/admin/account')
    t.match(await browser.post('/admin/account', { _method: 'PUT', name: 'Ada L.' }), { status: 303 })
    t.match(await app.features.users.byId(ada.id), { name: 'Ada L.' })
    t.equal((await browser.post('/admin/account/password', { _method: 'PUT', password: 'short' })).status, 422)
    opened.clock.advance(11 * 60_000)
    const stale = await browser.post('/admin/account/password', { _method: 'PUT', password: PASSWORD })
    t.match({ status: stale.status, html: stale.html }, { status: 422, html: /current password is required/ })
    await browser.post('/admin/logout')
    await browser.signIn(ada.email)
    await browser.get('/admin/account')
    const before = browser.cookies.get('cms_session')
    t.match(await browser.post('/admin/account/password', { _method: 'PUT', password: PASSWORD }), { status: 303 })
    t.not(browser.cookies.get('cms_session'), before, 'the session is another one')
    t.equal((await browser.get('/admin/account')).status, 200, 'and goes on')
    const again = await browser.post('/admin/account/password', { _method: 'PUT', password: `${PASSWORD} anew` })
    t.match(
      { status: again.status, html: again.html },
      { status: 422, html: /current password is required/ },
      'a code is good for one',
    )
    t.equal((await other.get('/admin/account')).status, 303, 'the others have ended')
  }),
)

t.test('sessions are listed, and ended one by one or all', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened, ada, as }) => {
    const other = new PanelBrowser(app, opened.clock)
    await other.signIn(ada.email)
    const { browser: bo } = await as('editor')
    const page = await browser.get('/admin/account')
    const ids = [...page.html.matchAll(/\/admin\/account\/sessions\/([A-Za-z0-9_-]{43})/g)].map(([, id]) => id)
    t.equal(ids.length, 1, 'the one of this browser is not ended here')
    await bo.get('/admin/account')
    t.equal(
      (await bo.post(`/admin/account/sessions/${ids[0]}`, { _method: 'DELETE' })).status,
      404,
      'those of others are not there',
    )
    t.match(await browser.post(`/admin/account/sessions/${ids[0]}`, { _method: 'DELETE' }), { status: 303 })
    t.equal((await other.get('/admin')).status, 303)
    t.equal((await browser.get('/admin')).status, 200)
    await browser.get('/admin/account')
    await browser.post('/admin/account/sign-out')
    t.equal((await browser.get('/admin')).status, 303)
  }),
)

t.test('the way to edit texts is remembered, for its user alone', (t) =>
  panelOf(t, FILES, async (t, { browser, as }) => {
    const edit = '/admin/content/posts/hello/edit'
    t.match((await browser.get(edit)).html, /data-editor="rich"/)
    t.equal((await browser.post('/admin/account/editor', { editor: 'word' })).status, 422)
    const chosen = await browser.post('/admin/account/editor', { editor: 'plain' }, { accept: 'application/json' })
    t.equal(chosen.html, '{"editor":"plain"}')
    t.match((await browser.get(edit)).html, /data-editor="plain"/)
    const { browser: other } = await as('editor')
    t.match((await other.get(edit)).html, /data-editor="rich"/)
  }),
)
