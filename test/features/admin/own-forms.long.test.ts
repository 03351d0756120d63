import t from 'tap'
import { WRITES } from '#features/admin/requests/panel-routes.ts'
import { TestApp } from '#support/app.ts'
import { PANEL_FEATURES, PanelBrowser, panelOf } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { openMemory } from '#support/stores.ts'

const FILES = { 'content/posts/hello.md': '---\ntitle: Hello\n---\nText.\n', 'content/menus/main.yaml': 'items: []\n' }

const PREVIEW = '/admin/preview/'

/** A route of the panel, with an address that it answers. */
interface Route {
  readonly method: string
  readonly url: string
  readonly isOpen: boolean
}

/** All routes of the panel, by the table of the server itself. */
async function routesOf(): Promise<Route[]> {
  const opened = await openMemory({ files: FILES })
  const app = new TestApp(opened, { config: { features: PANEL_FEATURES } })
  const routes: Route[] = []
  app.app.addHook('onRoute', ({ method, url, config }) => {
    const { panel } = (config ?? {}) as { panel?: { isOpen: boolean } }
    const address = url
      .replaceAll(/:type/g, 'posts')
      .replaceAll(/:resource/g, 'menus')
      .replaceAll(/:[a-z]+/g, 'main')
    if (panel) for (const one of [method].flat()) routes.push({ method: one, url: address, isOpen: panel.isOpen })
  })
  await app.app.ready()
  await app.close()
  return routes
}

const routes = await routesOf()
const writes = routes.filter(({ method }) => (WRITES as readonly string[]).includes(method))
const reads = routes.filter(({ method }) => method === 'GET')

/** The form that the first form of a page of signing in carries, as it is sent back: each carries it. */
function carried(html: string): string {
  const first = html.split('</form>').find((form) => form.includes('name="_kept[]"')) ?? ''
  return [...first.matchAll(/name="_kept\[\]" value="([^"]+)"/g)].map(([, piece]) => piece).join('')
}

const textIn = (html: string) => Buffer.from(carried(html), 'base64url').toString()

t.test('the table has what the panel answers', async (t) => {
  t.ok(writes.length > 20 && reads.length > 12, `${writes.length} writes, ${reads.length} pages`)
  for (const url of ['/admin/login', '/admin/verify', '/admin/content/posts/main', '/admin/menus/main', '/admin/account'])
    t.ok(
      writes.some((route) => route.url === url),
      url,
    )
})

t.test('no form is taken that is not of the session and from here', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened }) => {
    await browser.get('/admin/account')
    const { csrf } = browser
    const before = JSON.stringify(await opened.store.kinds())
    const own = { origin: 'http://localhost' }
    const forged: [string, Record<string, string | string[]>, Record<string, string>][] = [
      ['without a proof', {}, own],
      ['with another’s proof', { _csrf: 'x'.repeat(43) }, own],
      ['with the proof twice', { _csrf: [csrf, csrf] }, own],
      ['from another site', { _csrf: csrf }, { origin: 'https://evil.example' }],
      ['from another port', { _csrf: csrf }, { origin: 'http://localhost:81' }],
      ['from nowhere', { _csrf: csrf }, { origin: 'null' }],
      ['by a foreign page', { _csrf: csrf }, { ...own, 'sec-fetch-site': 'cross-site' }],
      ['by a neighbour without an origin', { _csrf: csrf }, { origin: '', 'sec-fetch-site': 'same-site' }],
    ]
    const wrong: string[] = []
    for (const { method, url, isOpen } of writes) {
      // Those of signing in have a proof of their own, which nobody has who is signed in.
      if (isOpen) continue
      for (const [how, form, headers] of forged) {
        const { status } = await browser.ask(method, url, { form, headers })
        if (status !== 403) wrong.push(`${method} ${url} ${how}: ${status}`)
      }
    }
    t.same(wrong, [])
    t.equal(JSON.stringify(await opened.store.kinds()), before)
    t.ok(await app.features.users.byEmail('ada@example.org'))
    t.equal((await browser.get('/admin/account')).status, 200, 'the session is as it was')
  }),
)

t.test('without a session a page leads to signing in, and a form is kept', (t) =>
  panelOf(t, FILES, async (t, { app, opened }) => {
    const stranger = new PanelBrowser(app, opened.clock)
    const wrong: string[] = []
    for (const { url, isOpen } of reads) {
      if (isOpen) continue
      const { status, location = '' } = await stranger.get(url)
      // A preview stands in a frame of a page that says so itself.
      if (url.startsWith(PREVIEW)) t.equal(status, 401)
      else if (status !== 303 || !location.startsWith('/admin/login')) wrong.push(`GET ${url}: ${status} ${location}`)
    }
    for (const { method, url, isOpen } of writes) {
      if (isOpen) continue
      const form = { title: 'Typed <before>', _method: method === 'POST' ? '' : method }
      const { status, html } = await stranger.ask(method, url, { form })
      if (url.startsWith(PREVIEW)) t.equal(status, 401)
      else if (status !== 401 || !textIn(html).includes('Typed <before>')) wrong.push(`${method} ${url}: ${status}`)
    }
    t.same(wrong, [])
  }),
)

t.test('a form of an earlier session is shown again, ready to be sent', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, ada, as }) => {
    await browser.get('/admin/account')
    const { csrf } = browser
    await browser.post('/admin/logout')
    await browser.signIn(ada.email)
    const answer = await browser.ask('POST', '/admin/account', { form: { _csrf: csrf, _method: 'PUT', name: 'Typed before' } })
    t.equal(answer.status, 403)
    t.match(answer.html, /value="Typed before"/)
    t.match(await browser.post('/admin/account', { _method: 'PUT', name: 'Typed before' }), { status: 303 })
    const { browser: other } = await as('editor')
    await other.get('/admin/account')
    const foreign = await other.ask('POST', '/admin/account', { form: { _csrf: csrf, _method: 'PUT', name: 'Typed before' } })
    t.equal(foreign.status, 403)
    t.notMatch(foreign.html, /value="Typed before"/, 'that of another user is not')
    t.ok(opened)
  }),
)

t.test('what was typed when the session ended is offered once signed in', (t) =>
  panelOf(t, FILES, async (t, { app, opened, ada, browser }) => {
    await browser.get('/admin/content/posts/create')
    await app.features.users.endSessions(ada.id, BY)
    opened.clock.advance(60_000)
    const kept = await browser.post('/admin/content/posts', {
      title: 'Long thought',
      body: 'A "text" & more\r\n',
      code: 'SAVE20',
      do: 'save',
    })
    t.equal(kept.status, 401)
    const asked = await browser.post('/admin/login', { email: ada.email, '_kept[]': carried(kept.html) })
    t.equal(asked.status, 200)
    const message = app.messages.at(-1)
    const code = message && (await app.compose(message))?.shown
    const back = await browser.post('/admin/verify', { code: code ?? '', '_kept[]': carried(asked.html) })
    t.match({ status: back.status, html: back.html }, { status: 200, html: /value="Long thought"/ })
    t.match(back.html, /name="code" value="SAVE20"/, 'a field that is called like a secret of signing in')
    t.match(await browser.post('/admin/content/posts', { title: 'Long thought', body: 'A "text" & more\r\n', do: 'save' }), {
      status: 303,
    })
  }),
)

t.test('pages load nothing from elsewhere, and stand in no frame', (t) =>
  panelOf(t, FILES, async (t, { browser }) => {
    for (const url of ['/admin', '/admin/content/posts', '/admin/none', '/admin/account']) {
      const { headers, html } = await browser.get(url)
      t.match(headers, { 'cache-control': 'no-store', 'x-frame-options': 'DENY', 'referrer-policy': 'same-origin' }, url)
      t.match(headers['content-security-policy'], /default-src 'none'.*frame-ancestors 'none'/)
      t.notMatch(html, /\sstyle="|<style|<script(?![^>]*src=)|\son[a-z]+="/i, url)
      t.same(
        [...html.matchAll(/(?:src|href)="(https?:[^"]+)"/g)]
          .map(([, address]) => address)
          .filter((address) => !address?.startsWith('https://example.org')),
        [],
      )
    }
  }),
)

t.test('a form that is carried makes no page that is much larger than itself', (t) =>
  panelOf(t, FILES, async (t, { app, opened }) => {
    for (const sign of ['<', '"', "'", '&', 'é', '😀']) {
      const stranger = new PanelBrowser(app, opened.clock)
      const body = sign.repeat(1_000_000 / Buffer.byteLength(sign))
      const { html } = await stranger.ask('POST', '/admin/content/posts', { form: { title: 'T', body } })
      t.ok(html.length < 8_000_000, `${sign}: ${html.length} characters`)
      const text = textIn(html)
      t.same(JSON.parse(text).fields.at(-1), { name: 'body', value: body }, 'all that was typed is in it')
    }
  }),
)

t.test('a form that no page can carry is refused with a page', (t) =>
  panelOf(t, FILES, async (t, { app, opened }) => {
    const stranger = new PanelBrowser(app, opened.clock)
    const long = await stranger.ask('POST', '/admin/content/posts', { form: { title: 'T', body: '"'.repeat(1_000_000) } })
    t.equal(long.status, 401)
    t.match(long.html, /name="_kept\[\]"/)
    const longer = await stranger.ask('POST', '/admin/content/posts', { form: { title: 'T', body: 'x'.repeat(3_000_000) } })
    t.equal(longer.status, 413)
    t.match(longer.html, /too long to be kept/)
  }),
)

t.test('tries to sign in are counted as those at the API', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { app, opened }) => {
      const browser = new PanelBrowser(app, opened.clock)
      opened.clock.advance(10 * 60_000)
      await browser.get('/admin/login')
      const tries = []
      for (let n = 0; n < 4; n++)
        tries.push((await browser.post('/admin/login/password', { email: `a${n}@example.org`, password: 'x' })).status)
      t.same(tries, [401, 401, 401, 429])
      t.equal((await app.bare('POST /api/auth/login', { body: { email: 'b@example.org', password: 'x' } })).status, 429)
      for (const [url, form] of Object.entries({
        '/admin/%6cogin/password': { email: 'c@example.org', password: 'x' },
        '/%61dmin/login': { email: 'c@example.org' },
        '/admin/%76erify': { code: '123456' },
      }))
        t.equal((await browser.post(url, form)).status, 429, `an address that is encoded otherwise is the same: ${url}`)
      t.equal((await browser.get('/admin/login')).status, 200, 'pages are not')
    },
    { config: { throttle: { auth: '3,1' } } },
  ),
)

t.test('no page shows a password again, however its address is encoded', (t) =>
  panelOf(t, FILES, async (t, { app, opened }) => {
    const browser = new PanelBrowser(app, opened.clock)
    await browser.get('/admin/login')
    for (const url of ['/admin/account/password', '/admin/%61ccount/password']) {
      const { status, html } = await browser.post(url, {
        _method: 'PUT',
        title: 'kept',
        current: 'old-secret',
        password: 'new-secret',
      })
      t.equal(status, 401, url)
      const text = textIn(html)
      t.match(text, '"kept"', url)
      t.notMatch(html + text, /old-secret|new-secret/, url)
    }
  }),
)

t.test('a second tab ends no sign-in, and loses no text', (t) =>
  panelOf(t, FILES, async (t, { app, opened, ada }) => {
    opened.clock.advance(3_600_000)
    const browser = new PanelBrowser(app, opened.clock)
    await browser.get('/admin/login')
    await browser.post('/admin/login', { email: ada.email })
    const asked = await browser.get('/admin/verify')
    const message = app.messages.at(-1)
    const code = message && (await app.compose(message))?.shown
    await browser.ask('HEAD', '/admin/login')
    await browser.get('/admin/login')
    const typed = await browser.ask('POST', '/admin/content/posts', { form: { title: 'In the other tab' } })
    const proof = /name="_csrf" value="([^"]+)"/.exec(asked.html)?.[1] ?? ''
    const done = await browser.ask('POST', '/admin/verify', { form: { _csrf: proof, code: code ?? '' } })
    t.equal(done.status, 303, 'the first tab goes on')
    const kept = carried(typed.html)
    const old = /name="_csrf" value="([^"]+)"/.exec(typed.html)?.[1] ?? ''
    const late = await browser.ask('POST', '/admin/login', { form: { _csrf: old, email: ada.email, '_kept[]': kept } })
    t.equal(late.status, 403)
    t.match(late.html, /value="In the other tab"/, 'the second has its text, ready to be sent')
    t.match(await browser.post('/admin/content/posts', { title: 'In the other tab', do: 'save' }), { status: 303 })
    const stranger = new PanelBrowser(app, opened.clock)
    const over = await stranger.ask('POST', '/admin/login', { form: { email: ada.email, '_kept[]': kept } })
    t.equal(over.status, 403)
    t.equal(carried(over.html), kept, 'where the sign-in is over, it goes along')
  }),
)

t.test('who is not signed in sends no large forms', (t) =>
  panelOf(t, FILES, async (t, { app, opened }) => {
    const stranger = new PanelBrowser(app, opened.clock)
    const { status } = await stranger.ask('POST', '/admin/content/posts', { form: { body: 'x'.repeat(5 * 1024 * 1024) } })
    t.equal(status, 413)
  }),
)
