import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formOf } from '#support/form.ts'
import { decoded, formIn, tagsOf } from '#support/page-form.ts'
import { PANEL_FEATURES, panelOf } from '#support/panel.ts'
import { pixels } from '../../media/pictures.ts'

const PNG = await pixels().png().toBuffer()

const SITE = { site: { history: true } } as const
const FILE = '---\ntitle: Reading tide tables # kept\n---\nFirst one.\n\nSlack water.\n\nThird one.\n'
const FILES = { 'content/posts/tides.md': FILE }
const BASE = '/admin/content/posts'
const HERE = `${BASE}/tides`
const KEY = keyOf('posts', 'tides')
const linksOf = (html: string) =>
  [...html.matchAll(new RegExp(`<a[^>]* href="(${HERE}/revisions/\\d{13})"`, 'g'))].map(([, url]) => String(url))

t.test('the history tells each version, and one is restored as it was', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened, app }) => {
      const edit = await browser.get(`${HERE}/edit`)
      t.match(edit.html, `href="${HERE}/revisions"`)
      await app.ask('PUT /api/cms/posts/tides', {
        body: { title: 'Tide <i>tables</i>', body: 'First one.\n\nSlack tide.\n\nThird one.\n' },
      })
      const page = await browser.get(`${HERE}/revisions`)
      t.equal(page.status, 200)
      t.match(page.html, /Changed title, body/)
      t.match(page.html, /taken out: <\/span>Reading tide/)
      t.match(page.html, /&lt;i&gt;/)
      t.notMatch(page.html, '<i>tables')
      t.match(page.html, 'Body · 1 of 3 paragraphs')
      t.match(page.html, /One paragraph is the same/)
      t.notMatch(page.html, 'Restore this version', 'it is so now')
      const [newest = '', first = ''] = [...new Set(linksOf(page.html))]
      t.ok(newest && first)
      const then = await browser.get(`${first}?against=now`)
      t.match(then.html, /added: <\/span>Tide/)
      const ts = first.slice(-13)
      const file = await browser.get(`${first}/file`)
      t.match(file.html, 'Reading tide tables # kept')
      const restore = formIn(then.html, `${HERE}/rollback/${ts}`)
      t.equal(restore.base, (await opened.store.get(KEY))?.version)
      t.match(await browser.post(`${HERE}/rollback/${ts}`, { base: '0'.repeat(40) }), { status: 412 })
      t.match(await browser.post(`${HERE}/rollback/${ts}`, restore), { status: 303, location: `${HERE}/edit?done=restored` })
      t.match(await opened.store.get(KEY), { fields: { title: 'Reading tide tables' } })
      t.equal((await opened.store.get(KEY))?.source?.toString(), FILE)
      t.equal((await browser.get(`${HERE}/revisions/1000000000000`)).status, 404)
      t.equal((await browser.get(`${HERE}/revisions/x`)).status, 422)
    },
    SITE,
  ),
)

t.test('what was deleted is listed, and comes back', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened }) => {
      t.match((await browser.get(BASE)).html, `href="${BASE}?deleted=true"`)
      await browser.post(HERE, { _method: 'DELETE' })
      t.equal(await opened.store.get(KEY), undefined)
      const list = await browser.get(`${BASE}?deleted=true`)
      t.equal(list.status, 200)
      t.match(list.html, `href="${HERE}/revisions"`)
      const past = await browser.get(`${HERE}/revisions`)
      t.equal(past.status, 200)
      t.match(past.html, /Deleted/)
      const action = new RegExp(`formaction="(${HERE}/rollback/\\d{13})"`).exec(list.html)?.[1] ?? ''
      t.match(await browser.post(action), { status: 303, location: `${HERE}/edit?done=restored` })
      t.equal((await opened.store.get(KEY))?.source?.toString(), FILE)
      t.match((await browser.get(`${BASE}?deleted=true`)).html, 'Nothing was deleted')
    },
    SITE,
  ),
)

t.test('the file and the answer of the API can be read; the file by who may change it', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      const file = (await browser.get(`${HERE}/file`)).html
      t.match(file, 'title: Reading tide tables # kept')
      t.match(file, '<code>posts/tides.md</code>', 'its path in the folder of content')
      const api = await browser.get(`${HERE}/api`)
      t.match(api.html, '&#34;title&#34;: &#34;Reading tide tables&#34;')
      t.match(api.html, 'https://example.org/api/cms/posts/tides')
      const { browser: viewer } = await as('viewer')
      t.equal((await viewer.get(`${HERE}/file`)).status, 404)
      t.equal((await viewer.get(`${HERE}/api`)).status, 200)
      const history = await viewer.get(`${HERE}/revisions`)
      t.equal(history.status, 200)
      t.notMatch(history.html, 'rollback/')
      const [first = ''] = linksOf(history.html)
      t.equal((await viewer.get(`${first}/file`)).status, 404)
      t.equal((await viewer.post(`${HERE}/rollback/${first.slice(-13)}`)).status, 403)
      t.equal((await viewer.get(`${BASE}?deleted=true`)).status, 403)
    },
    SITE,
  ),
)

t.test('a conflict says whose the other edit is', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
      const { browser: other } = await as('editor')
      await other.post(HERE, { ...formIn((await other.get(`${HERE}/edit`)).html, HERE), title: 'Theirs' })
      const answer = await browser.post(HERE, { ...form, title: 'Mine' })
      t.equal(answer.status, 409)
      t.match(answer.html, /editor saved this post, [\w ]+ \d\d:\d\d, while you wrote/)
      t.match(answer.html, 'editor’s')
    },
    SITE,
  ),
)

t.test('what has no revisions has no page of them', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      t.notMatch((await browser.get(`${HERE}/edit`)).html, `${HERE}/revisions`)
      t.notMatch((await browser.get(BASE)).html, 'deleted=true')
      t.equal((await browser.get(`${HERE}/revisions`)).status, 404)
      t.equal((await browser.get('/admin/users/x/revisions')).status, 404)
    },
    { config: { features: { api: true, auth: true, admin: true } } },
  ),
)

t.test('menus have a history, too', (t) =>
  panelOf(
    t,
    { 'content/menus/main.yaml': 'label: Main\nitems:\n  - label: Home\n    url: /\n' },
    async (t, { browser, app, opened }) => {
      const menu = '/admin/menus/main'
      const items = [{ label: 'Home', url: '/', children: [{ label: 'Harbours <b>', url: '/harbours' }] }]
      await app.ask('PUT /api/menus/main', { body: { items } })
      t.match((await browser.get(`${menu}/edit`)).html, `href="${menu}/revisions"`)
      const page = await browser.get(`${menu}/revisions`)
      t.notMatch((await browser.get('/admin/menus?deleted=true')).html, 'Restore', 'their list has none that were deleted')
      t.match(page.html, 'Harbours &lt;b&gt;  →  /harbours')
      const [first = ''] = [...page.html.matchAll(/href="([^"]*revisions\/\d{13})"/g)].map(([, url]) => String(url)).slice(-1)
      const form = formIn((await browser.get(first)).html, first.replace('revisions', 'rollback'))
      t.match(await browser.post(first.replace('revisions', 'rollback'), form), {
        status: 303,
        location: `${menu}/edit?done=restored`,
      })
      t.notMatch(JSON.stringify((await opened.store.get(keyOf('menus', 'main')))?.fields), 'Harbours')
    },
    { ...SITE, config: { features: { ...PANEL_FEATURES, menus: true } } },
  ),
)

t.test('menus and files that were deleted are listed, and come back', (t) =>
  panelOf(
    t,
    { 'content/posts/tides.md': FILE, 'content/menus/main.yaml': 'label: Main\nitems: [] # none\n' },
    async (t, { browser, app, opened, as }) => {
      const made = await app.ask('POST /api/media', formOf(['file', PNG, 'quay.png'], ['alt', 'A quay']))
      t.equal(made.status, 201)
      const { browser: author } = await as('author')
      for (const [kind, list, id] of [
        ['menus', '/admin/menus', 'main'],
        ['media', '/admin/media', 'quay.png'],
      ] as const) {
        const here = `${list}/${id}`
        const before = (await opened.store.get(keyOf(kind, id)))?.source?.toString()
        t.match((await browser.get(list)).html, `href="${list}?deleted=true"`)
        await browser.get(`${here}/edit`)
        t.match(await browser.post(here, { _method: 'DELETE' }), { status: 303 })
        t.equal(await opened.store.get(keyOf(kind, id)), undefined)
        const gone = await browser.get(`${list}?deleted=true`)
        const action = new RegExp(`formaction="(${here}/rollback/\\d{13})"`).exec(gone.html)?.[1] ?? ''
        t.match((await browser.get(`${here}/revisions`)).html, /Deleted/)
        t.equal((await author.get(`${here}/revisions`)).status, 404)
        t.notMatch((await author.get(`${list}?deleted=true`)).html, 'Restore', 'others bring nothing back')
        t.match(await browser.post(action), { status: 303, location: `${here}/edit?done=restored` })
        t.equal((await opened.store.get(keyOf(kind, id)))?.source?.toString(), before)
        t.match((await browser.get(`${list}?deleted=true`)).html, 'Nothing was deleted')
      }
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)

t.test('files have a history of what was said of them', (t) =>
  panelOf(
    t,
    {},
    async (t, { browser, app, opened }) => {
      await app.ask('POST /api/media', formOf(['file', PNG, 'quay.png'], ['alt', 'A quay']))
      const here = '/admin/media/quay.png'
      await app.ask('PUT /api/media/quay.png', { body: { alt: 'A <b>quay</b> at dusk', focal_point: { x: 0.25, y: 0.5 } } })
      t.match((await browser.get(`${here}/edit`)).html, `href="${here}/revisions"`)
      const page = await browser.get(`${here}/revisions`)
      t.match(page.html, /Changed alt, focal point/)
      t.match(page.html, '25 % from the left, 50 % from the top')
      t.match(page.html, '&lt;b&gt;')
      t.notMatch(page.html, '<b>quay')
      const first = [...page.html.matchAll(/href="([^"]*revisions\/\d{13})"/g)].map(([, url]) => String(url)).at(-1) ?? ''
      t.match((await browser.get(`${first}/file`)).html, 'alt: A quay')
      const back = first.replace('revisions', 'rollback')
      t.match(await browser.post(back, formIn((await browser.get(first)).html, back)), { status: 303, location: /done=restored/ })
      t.equal((await opened.store.get(keyOf('media', 'quay.png')))?.fields.alt, 'A quay')
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)

t.test('each kind that has a file shows it, and what the API answers', (t) =>
  panelOf(
    t,
    {
      'content/posts/tides.md': FILE,
      'content/menus/main.yaml': 'label: Main # kept\nitems:\n  - label: Home\n    url: /\n',
      'content/settings/site.yaml': 'tagline: Of the sea # kept\n',
      'content/taxonomy/tags/moon.yaml': 'name: Moon # kept\n',
    },
    async (t, { browser, app, as, ada }) => {
      await app.ask('POST /api/media', formOf(['file', PNG, 'quay.png'], ['alt', 'A quay']))
      const { browser: author } = await as('author')
      for (const [here, api, text] of [
        ['/admin/menus/main', '/api/menus/main', 'label: Main # kept'],
        ['/admin/settings/site', '/api/settings', 'tagline: Of the sea # kept'],
        ['/admin/tags/moon', '/api/cms/taxonomy/tags/moon', 'name: Moon # kept'],
        ['/admin/media/quay.png', '/api/media/quay.png', 'alt: A quay'],
      ] as const) {
        const edit = await browser.get(`${here}/edit`)
        for (const way of ['file', 'api']) t.match(edit.html, `href="${here}/${way}"`)
        t.match((await browser.get(`${here}/file`)).html, text)
        const shown = await browser.get(`${here}/api`)
        t.match(shown.html, `https://example.org${api}`)
        const source = [...tagsOf(shown.html)].find(({ attributes }) => attributes.get('id') === 'source')?.text ?? ''
        const { data } = JSON.parse(decoded(source))
        t.same(data, (await app.ask(`GET ${api}`)).body.data, api)
        t.equal((await author.get(`${here}/file`)).status, 404)
      }
      const [here, api] = [`/admin/users/${ada.id}`, `/api/users/${ada.id}`]
      t.match((await browser.get(`${here}/edit`)).html, `href="${here}/api"`)
      const shown = (await browser.get(`${here}/api`)).html
      const source = [...tagsOf(shown)].find(({ attributes }) => attributes.get('id') === 'source')?.text ?? ''
      t.same(JSON.parse(decoded(source)), (await app.ask(`GET ${api}`)).body)
      t.equal((await author.get(`${here}/api`)).status, 404)
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)

t.test('a group of settings has a history, and goes back as one', (t) =>
  panelOf(
    t,
    { 'content/settings/site.yaml': 'tagline: Of the sea # kept\nfooter: Bye\n' },
    async (t, { browser, opened, as }) => {
      const here = '/admin/settings/site'
      const edit = await browser.get(`${here}/edit`)
      t.match(edit.html, `href="${here}/revisions"`)
      const form = { ...formIn(edit.html, here), tagline: 'Of <b>tides</b>', footer: '', description: 'New' }
      t.match(await browser.post(here, form), { status: 303, location: /done=saved/ })
      t.equal((await opened.store.history(keyOf('settings', 'site'), {}))?.items.length, 2, 'one write')
      const page = await browser.get(`${here}/revisions`)
      t.match(page.html, /Changed tagline, footer, description/)
      t.match(page.html, '&lt;b&gt;')
      const first = [...page.html.matchAll(/href="([^"]*revisions\/\d{13})"/g)].map(([, url]) => String(url)).at(-1) ?? ''
      t.match((await browser.get(`${first}/file`)).html, 'tagline: Of the sea # kept')
      const back = first.replace('revisions', 'rollback')
      const answer = await browser.post(back, formIn((await browser.get(first)).html, back))
      t.match(answer, { status: 303, location: `${here}/edit?done=restored` })
      t.match(
        (await opened.store.get(keyOf('settings', 'site')))?.source?.toString(),
        /^tagline: Of the sea # kept\nfooter: Bye\n$/,
      )
      t.match((await browser.get(`${here}/revisions`)).html, '3 versions')
      const { browser: editor } = await as('editor')
      t.equal((await editor.get(`${here}/revisions`)).status, 404)
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)

t.test('what was just done can be undone, by who did it', (t) =>
  panelOf(
    t,
    {
      'content/posts/tides.md': FILE,
      'content/posts/draft.md': '---\ntitle: A draft\nstatus: draft\n---\nText.\n',
      'content/menus/main.yaml': 'items:\n  - { id: aaaaaaaa, label: Home, url: / } # kept\n',
      'content/settings/site.yaml': 'tagline: Of the sea # kept\n',
    },
    async (t, { browser, app, opened, as }) => {
      const textOf = async (kind: string, id: string) => (await opened.store.get(keyOf(kind, id)))?.source?.toString()
      const undone = async (done: string, list: string) => {
        const { html } = await browser.get(done)
        const action = /<form method="post" action="([^"]*rollback[^"]*)" id="undo">/.exec(html)?.[1] ?? ''
        t.ok(action.startsWith(list), `Undo of ${done}`)
        return browser.post(action, formIn(html, action))
      }
      for (const [kind, id, here, change] of [
        ['posts', 'tides', HERE, { title: 'Other', do: 'save' }],
        ['menus', 'main', '/admin/menus/main', { 'items[i0][label]': 'Other', do: '' }],
        ['settings', 'site', '/admin/settings/site', { tagline: 'Other' }],
      ] as const) {
        const before = await textOf(kind, id)
        const saved = await browser.post(here, { ...formIn((await browser.get(`${here}/edit`)).html, here), ...change })
        t.match(saved.location, /done=saved/)
        t.not(await textOf(kind, id), before)
        t.match(await undone(saved.location ?? '', here), { status: 303, location: /done=undone/ })
        t.equal(await textOf(kind, id), before)
        if (kind === 'settings') continue
        await browser.get(`${here}/edit`)
        const removed = await browser.post(here, { _method: 'DELETE' })
        t.match(await undone(removed.location ?? '', here), { status: 303, location: /done=undone/ })
        t.equal(await textOf(kind, id), before)
      }
      const draft = `${BASE}/draft`
      const form = formIn((await browser.get(`${draft}/edit`)).html, draft)
      const published = await browser.post(draft, { ...form, do: 'published' })
      t.match(published.location, /done=published/)
      t.match(await undone(published.location ?? '', draft), { status: 303 })
      t.equal((await app.ask('GET /api/cms/posts/draft')).body.data.status, 'draft', 'the status, too')

      const again = await browser.post(HERE, {
        ...formIn((await browser.get(`${HERE}/edit`)).html, HERE),
        title: 'Mine',
        do: 'save',
      })
      const { browser: editor } = await as('editor')
      t.notMatch((await editor.get(again.location ?? '')).html, 'Undo', 'it is not theirs')
      await app.ask('PUT /api/cms/posts/tides', { body: { title: 'Theirs' } })
      t.notMatch((await browser.get(again.location ?? '')).html, 'Undo', 'others changed it since')
      for (const id of ['none', 'a.b', '%00', 'tides']) {
        const page = await browser.get(`/admin/media?done=removed.${id}`)
        t.match([page.status, page.html.includes('>Undo<')], [200, false])
      }
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)

t.test('an undo stands in no other form: what is saved is saved again, without a script too', (t) =>
  panelOf(
    t,
    { 'content/posts/tides.md': FILE },
    async (t, { browser }) => {
      const saved = await browser.post(HERE, {
        ...formIn((await browser.get(`${HERE}/edit`)).html, HERE),
        title: 'Other',
        do: 'save',
      })
      const { html } = await browser.get(saved.location ?? '')
      t.match(html, /<button class="link" form="undo">Undo</)
      let depth = 0
      for (const [tag] of html.matchAll(/<\/?form\b/g)) {
        depth += tag === '<form' ? 1 : -1
        t.ok(depth === 0 || depth === 1, 'browsers end both forms at the end of an inner one')
      }
    },
    { ...SITE, config: { features: PANEL_FEATURES } },
  ),
)
