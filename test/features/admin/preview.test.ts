import t from 'tap'
import { keyOf } from '#core/key.ts'
import { longTest } from '#support/long.ts'
import { formIn } from '#support/page-form.ts'
import { PanelBrowser, panelOf } from '#support/panel.ts'
import { plainTypes } from '#support/types.ts'
import { pixels } from '../../media/pictures.ts'

const PNG = await pixels().png().toBuffer()

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\nstatus: draft\ntags: [tides]\n---\nStored *text*. <script>alert(1)</script>\n',
  'content/posts/live.md': '---\ntitle: Live\n---\nPublic.\n',
  'content/pages/wild.md': '---\ntitle: Wild\n---\n<script>document.title = 1</script>\n',
  'content/authors/ada.md': '---\ntitle: Ada\n---\n',
}
const TYPES = plainTypes({
  posts: { permalink: '/blog/{slug}' },
  pages: { permalink: '/{path}', html: 'trusted' },
  authors: { permalink: null },
})
const SITE = { site: { types: TYPES } }
const HERE = '/admin/content/posts/hello'
const PREVIEW = '/admin/preview/posts/hello'

t.test('what is stored and what is typed is shown in the theme of the site, apart from the panel', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened, app }) => {
      const stored = await browser.get(PREVIEW)
      t.equal(stored.status, 200)
      t.match(stored.html, 'Stored <em>text</em>')
      t.match(stored.html, /href="\/assets\/theme\.[0-9a-f]+\.css"/)
      t.notMatch(stored.html, 'alert(1)')
      const policy = String(stored.headers['content-security-policy'])
      t.match(policy, /^sandbox; /)
      t.notMatch(policy, 'allow-')
      t.match(policy, "frame-ancestors 'self'")
      t.match(stored.headers, { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'x-frame-options': undefined })
      const { version } = (await opened.store.get(keyOf('posts', 'hello'))) ?? {}
      const edit = await browser.get(`${HERE}/edit`)
      t.match(edit.html, `href="${HERE}/preview"`)
      const form = formIn(edit.html, HERE)
      const typed = await browser.post(PREVIEW, {
        ...form,
        title: 'Typed <i>',
        body: 'Typed **words**',
        'tags[]': ['', 'Harbours'],
      })
      t.equal(typed.status, 200)
      t.match(typed.html, 'Typed &lt;i&gt;')
      t.match(typed.html, 'Typed <strong>words</strong>')
      t.match(typed.html, /harbours/i)
      const wrong = await browser.post(PREVIEW, { ...form, title: 'x'.repeat(300), body: 'Still shown' })
      t.match(wrong, { status: 200, html: /Hello[\s\S]*Still shown/ })
      t.equal((await opened.store.get(keyOf('posts', 'hello')))?.version, version, 'nothing is written')
      t.equal((await app.bare('GET /blog/hello')).status, 404, 'nor shown on the site')
      const fresh = await browser.post('/admin/preview/posts/new', { title: 'Brand new', body: 'Words' })
      t.match(fresh, { status: 200, html: /Brand new/ })
      const live = await browser.get('/admin/preview/posts/live')
      t.equal(live.html, (await app.bare('GET /blog/live')).text, 'the bytes of the site')
    },
    SITE,
  ),
)

t.test('scripts run in previews of trusted types alone, and never as the panel', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      const wild = await browser.get('/admin/preview/pages/wild')
      t.match(wild.html, '<script>document.title = 1</script>')
      const policy = String(wild.headers['content-security-policy'])
      t.match(policy, /^sandbox allow-scripts; /)
      t.notMatch(policy, 'allow-same-origin')
      t.equal((await browser.get('/admin/preview/authors/ada')).status, 404, 'what has no page has no preview')
      t.notMatch((await browser.get('/admin/content/authors/ada/edit')).html, '/preview"')
    },
    SITE,
  ),
)

longTest('a preview without a session, or without the right, is a page in the frame that says so', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { app, opened, browser, as }) => {
      const stranger = new PanelBrowser(app, opened.clock)
      for (const answer of [await stranger.get(PREVIEW), await stranger.post(PREVIEW, { title: 'x' })]) {
        t.equal(answer.status, 401)
        t.match(answer.html, 'Your session is over')
        t.match(String(answer.headers['content-security-policy']), "frame-ancestors 'self'")
        t.equal(answer.headers['x-frame-options'], 'SAMEORIGIN')
      }
      t.equal(
        (await browser.ask('POST', PREVIEW, { form: { title: 'x' } })).status,
        403,
        'a form proves that it is of the session',
      )
      const { browser: viewer } = await as('viewer')
      t.equal((await viewer.get(PREVIEW)).status, 404, 'a draft is not there for them')
      const form = formIn((await viewer.get('/admin/content/posts/live/edit')).html, '/admin/content/posts/live')
      t.equal((await viewer.post('/admin/preview/posts/live', { ...form, title: 'Changed' })).status, 403, 'they change nothing')
      const page = await viewer.get('/admin/content/posts/live/preview?size=phone')
      t.match(page.html, /<iframe class="phone" src="\/admin\/preview\/posts\/live"[^>]*sandbox="allow-scripts"/)
    },
    SITE,
  ),
)

t.test('previews do not count as requests of a session', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      for (let n = 0; n < 30; n++) t.equal((await browser.get(PREVIEW)).status, 200)
      t.equal((await browser.get(`${HERE}/edit`)).status, 200)
    },
    { ...SITE, config: { throttle: { admin: '20,1' } } },
  ),
)

t.test('a preview tells nothing of a media file that its reader does not know of', (t) => {
  const shown = '---\ntitle: Others\nstatus: draft\nauthor: ada\n---\n![](/media/hidden.png)\n'
  const files = {
    ...FILES,
    'content/posts/others.md': shown,
    'content/posts/open.md': '---\ntitle: Open\n---\n![](/media/open.png)\n',
    'content/media/hidden.png.yaml': 'alt: Words of a draft\n',
    'content/media/open.png.yaml': 'alt: Words for all\n',
  }
  return panelOf(
    t,
    files,
    async (t, { browser, as }) => {
      const body = '![](/media/hidden.png) ![](/media/open.png)'
      const { browser: contributor } = await as('contributor')
      for (const one of [contributor, browser]) await one.get('/admin/content/posts/create')
      const own = await contributor.post('/admin/preview/posts/new', { title: 'Mine', body, image: 'hidden.png' })
      t.match(own, { status: 200, html: /src="\/media\/hidden.png"[\s\S]*alt="Words for all"/ })
      t.notMatch(own.html, 'Words of a draft')
      const all = await browser.post('/admin/preview/posts/new', { title: 'Mine', body })
      t.match(all.html, 'alt="Words of a draft"')
    },
    { site: { types: TYPES, beside: { 'content/media/hidden.png': PNG, 'content/media/open.png': PNG } } },
  )
})
