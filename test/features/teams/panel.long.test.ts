import t from 'tap'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, type PanelBrowser, panelOf } from '#support/panel.ts'

const CONFIG = { features: { ...PANEL_FEATURES, teams: true } }
const BASE = '/admin/teams'

/** The id of the team that an answer leads to. */
function idIn(location: string | undefined): string {
  return /^\/admin\/teams\/([^/]+)\/edit/.exec(location ?? '')?.[1] ?? ''
}

async function made(browser: PanelBrowser, name: string): Promise<string> {
  const blank = await browser.get(`${BASE}/create`)
  return idIn((await browser.post(BASE, { ...formIn(blank.html, BASE), name })).location)
}

t.test('a team is made, changed and removed; members are added, given a role and removed', (t) =>
  panelOf(
    t,
    {},
    async (t, { browser, app, as }) => {
      const { user, browser: other } = await as('viewer')
      t.notMatch((await other.get('/admin')).html, 'href="/admin/teams"', 'who is in no team is not led to them')
      const url = `${BASE}/${await made(browser, 'Acme')}`
      t.match((await browser.get('/admin')).html, 'href="/admin/teams"')
      const members = `${url}/members`
      t.match(await browser.post(members, { email: user.email, role: 'member' }), { status: 303 })
      t.match((await browser.get(`${url}/edit`)).html, /Make owner[\s\S]*Add member/)
      const page = (await other.get(`${url}/edit`)).html
      t.match(page, 'You may read this team, and not change it.')
      t.match(page, 'Leave')
      t.notMatch(page, /Add member|Make owner|Remove|Delete/)
      t.equal((await other.post(members, { email: 'x@example.org', role: 'member' })).status, 403)
      t.match(await browser.post(`${members}/${user.id}`, { _method: 'PUT', role: 'owner' }), { status: 303 })
      t.match((await other.get(`${url}/edit`)).html, 'Add member')
      t.match(await other.post(members, { email: 'new@example.org', role: 'member' }), { status: 303 })
      t.equal(app.messages.length, 1)
      t.match((await other.get(`${url}/edit`)).html, /Invited, not signed in yet[\s\S]*Withdraw/)
      t.match(await other.post(`${members}/${user.id}`, { _method: 'DELETE' }), { status: 303, location: `${BASE}?done=saved` })
      t.equal((await other.get(`${url}/edit`)).status, 404)
      const edit = formIn((await browser.get(`${url}/edit`)).html, url)
      t.match(await browser.post(url, { ...edit, name: 'Acme Ltd' }), { status: 303 })
      t.match((await browser.get(BASE)).html, 'Acme Ltd')
      t.match(await browser.post(url, { _method: 'DELETE' }), { status: 303 })
      t.equal((await browser.get(`${url}/edit`)).status, 404)
    },
    { config: CONFIG },
  ),
)

t.test('what is not taken is said on the page, with what was typed', (t) =>
  panelOf(
    t,
    {},
    async (t, { browser, ada }) => {
      const url = `${BASE}/${await made(browser, 'Acme')}`
      const wrong = await browser.post(`${url}/members`, { email: 'a@b@<c', role: 'owner' })
      t.equal(wrong.status, 422)
      t.match(formIn(wrong.html, `${url}/members`), { email: 'a@b@<c', role: 'owner' })
      t.match(wrong.html, /f-email-error/)
      const last = await browser.post(`${url}/members/${ada.id}`, { _method: 'DELETE' })
      t.match(last, { status: 409, html: /last owner of the team/ })
      t.equal((await browser.post(`${url}/members`, { email: ada.email, role: 'member' })).status, 409)
      t.equal((await browser.post(`${url}/members/${ada.id}`, { _method: 'PUT', role: 'king' })).status, 422)
      t.equal((await browser.post('/admin/users/x/members', { email: 'x' })).status, 404)
    },
    { config: CONFIG },
  ),
)
