import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formIn } from '#support/page-form.ts'
import { type PanelAnswer, type PanelBrowser, panelOf } from '#support/panel.ts'

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\nweight: 3\n---\nText.\n',
  'content/posts/new.md': '# A record called new\n',
}
const BASE = '/admin/content/posts'
const DAY = 86_400_000

/** Sends what was typed, as the page's script does. */
function keep(browser: PanelBrowser, path: string, body: object, headers: object = {}): Promise<PanelAnswer> {
  const all = { 'content-type': 'application/json', accept: 'application/json', 'x-csrf-token': browser.csrf, ...headers }
  return browser.ask('PUT', `/admin/autosave/${path}`, { payload: JSON.stringify(body), headers: all })
}

/** The address at which a page of kept words goes on with them. */
function useIn(html: string): string {
  return (/href="([^"]+\?kept=[^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&')
}

/** Goes on with what was kept last of a form. */
async function goOn(browser: PanelBrowser, path: string): Promise<PanelAnswer> {
  return browser.get(useIn((await browser.get(`/admin/autosave/${path}/kept`)).html))
}

/** The addresses of kept words that a page links to. */
function keptIn(html: string): string[] {
  return [...html.matchAll(/href="(\/admin\/autosave\/[^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
}

t.test('what is typed is kept for its user alone, and gone with the save', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, as }) => {
    const key = keyOf('posts', 'hello')
    const before = await opened.store.get(key)
    const page = await browser.get(`${BASE}/hello/edit`)
    const form = formIn(page.html, `${BASE}/hello`)
    const fields = { ...form, title: 'Typed <b>', body: 'Text.\r\n\r\nMore "words".\r\n' }
    const kept = await keep(browser, 'posts/hello', { fields, base: form.base })
    t.equal(kept.status, 200)
    t.same(JSON.parse(kept.html), { kept_at: new Date(opened.clock.now()).toISOString() })
    t.equal((await opened.store.get(key))?.version, before?.version, 'never a write of the record')

    const again = await browser.get(`${BASE}/hello/edit`)
    t.match(again.html, /never saved/)
    t.notMatch(again.html, /Typed/)
    const differs = await browser.get('/admin/autosave/posts/hello/kept')
    t.match(differs.html, /Typed &lt;b&gt;|Typed<\/ins>|Typed/)
    t.notMatch(differs.html, /<b>"/)
    t.match((await browser.get('/admin')).html, /kept and never saved/)

    const { browser: other } = await as('editor')
    t.notMatch((await other.get(`${BASE}/hello/edit`)).html, /never saved/)
    t.equal((await other.get('/admin/autosave/posts/hello/kept')).status, 404)

    const used = await browser.get(useIn(differs.html))
    t.match(used.html, /Kept [^<]+, not saved yet/)
    const filled = formIn(used.html, `${BASE}/hello`)
    t.match(filled, { title: 'Typed <b>', body: 'Text.\r\n\r\nMore "words".\r\n', base: form.base })
    t.match(await browser.post(`${BASE}/hello`, { ...filled, do: 'save' }), { status: 303, location: /done=saved/ })
    t.match(await opened.store.get(key), { body: 'Text.\n\nMore "words".\n', fields: { title: 'Typed <b>', weight: 3 } })
    t.notMatch((await browser.get(`${BASE}/hello/edit`)).html, /never saved/)
    t.equal((await browser.get('/admin/autosave/posts/hello/kept')).status, 404)
  }),
)

t.test('a record that was changed since is said so, and both edits stay', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const page = await browser.get(`${BASE}/hello/edit`)
    const form = formIn(page.html, `${BASE}/hello`)
    await keep(browser, 'posts/hello', { fields: { ...form, title: 'Mine' }, base: form.base })
    await app.ask('PUT /api/cms/posts/hello', { body: { weight: 4 } })
    t.match((await browser.get(`${BASE}/hello/edit`)).html, /was changed since/)
    t.match((await browser.get('/admin/autosave/posts/hello/kept')).html, /was changed since/)
    const filled = formIn((await goOn(browser, 'posts/hello')).html, `${BASE}/hello`)
    t.match(filled, { title: 'Mine', base: form.base })
    const saved = await browser.post(`${BASE}/hello`, { ...filled, do: 'save' })
    const { fields } = (await opened.store.get(keyOf('posts', 'hello'))) ?? {}
    if (saved.status === 303) t.match(fields, { title: 'Mine', weight: 4 })
    else t.equal(saved.status, 409, 'where the version is not known any more, a page asks')
  }),
)

t.test('a new record, one that is called new, and one that is gone', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const page = await browser.get(`${BASE}/create`)
    const form = formIn(page.html, BASE)
    t.equal((await keep(browser, 'posts/new', { fields: { ...form, title: 'A first' } })).status, 200)
    const called = formIn((await browser.get(`${BASE}/new/edit`)).html, `${BASE}/new`)
    t.equal((await keep(browser, 'posts/new', { fields: { ...called, title: 'Other' }, base: called.base })).status, 200)
    t.match((await browser.get('/admin/autosave/posts/new/kept')).html, /A first/)
    t.match((await browser.get('/admin/autosave/posts/new/kept?record')).html, /Other/)
    t.match((await browser.get(`${BASE}/create`)).html, /never saved/)
    const filled = formIn((await goOn(browser, 'posts/new')).html, BASE)
    t.match(filled, { title: 'A first' })
    t.equal((await browser.post(BASE, { ...filled, do: 'save' })).status, 303)
    t.equal((await browser.get('/admin/autosave/posts/new/kept')).status, 404)
    await app.ask('DELETE /api/cms/posts/new')
    t.match((await browser.get('/admin')).html, /Other/)
    const gone = await browser.get('/admin/autosave/posts/new/kept?record')
    t.match(gone.html, /is gone by now/)
    t.match(useIn(gone.html), /create\?kept=[0-9a-f]+&of=new$/)
    t.match(formIn((await browser.get(useIn(gone.html))).html, BASE), { title: 'Other' })
    await browser.get('/admin/autosave/posts/new/kept?record')
    t.equal((await browser.post('/admin/autosave/posts/new?record', { _method: 'DELETE' })).status, 303)
    t.equal((await browser.get('/admin/autosave/posts/new/kept?record')).status, 404)
    t.equal(opened.name === 'memory' ? undefined : await opened.store.get(keyOf('posts', 'new')), undefined)
  }),
)

t.test('values as the API has them, and pairs as a form has them', (t) =>
  panelOf(t, FILES, async (t, { browser }) => {
    const { base } = formIn((await browser.get(`${BASE}/hello/edit`)).html, `${BASE}/hello`)
    const given = { title: 'As the API', tags: ['a', 'b'], weight: 7 }
    t.equal((await keep(browser, 'posts/hello', { fields: given, base })).status, 200)
    const pairs = [
      ['title', 'As a form'],
      ['weight', '8'],
    ]
    t.equal((await keep(browser, 'posts/hello', { fields: pairs, base })).status, 200)
    t.match(formIn((await goOn(browser, 'posts/hello')).html, `${BASE}/hello`), { title: 'As a form', weight: '8' })
    for (const bad of [
      [],
      { fields: 'x' },
      { fields: [['a']] },
      { fields: { 'a[': 'x' } },
      { fields: {}, base: 1 },
      { fields: {}, form: 1 },
      { fields: {}, form: '../x' },
      { pairs: 1, doubled: {} },
    ])
      t.match(await keep(browser, 'posts/hello', bad), { status: 400, html: /"error":"Bad request"/ })
  }),
)

t.test('who is not signed in is told so, and an earlier session gets the proof of now', (t) =>
  panelOf(t, FILES, async (t, { browser, as, ada }) => {
    await browser.get(`${BASE}/hello/edit`)
    const earlier = browser.csrf
    const body = { fields: { title: 'T' }, base: 'f'.repeat(40) }
    browser.plant('cms_session', 'over')
    t.match(await keep(browser, 'posts/hello', body), { status: 401, html: /"error":"Unauthorized"/ })
    await browser.signIn(ada.email)
    const refused = await keep(browser, 'posts/hello', body, { 'x-csrf-token': earlier })
    t.equal(refused.status, 403)
    const { csrf } = JSON.parse(refused.html)
    t.equal((await keep(browser, 'posts/hello', body, { 'x-csrf-token': csrf })).status, 200)
    t.match(await keep(browser, 'posts/hello', body, { 'x-csrf-token': 'x' }), { status: 403 })
    t.match(await keep(browser, 'posts/hello', body, { 'sec-fetch-site': 'cross-site' }), { status: 403 })
    const { browser: viewer } = await as('viewer')
    await viewer.get('/admin')
    t.match(await keep(viewer, 'posts/hello', body), { status: 403 })
  }),
)

t.test('a text of 1 MiB is kept; 100 texts at most, 30 days long, and none counts for the throttle', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened }) => {
      const { base } = formIn((await browser.get(`${BASE}/hello/edit`)).html, `${BASE}/hello`)
      const text = 'One word: "two" # three\r\n'.repeat(41_943)
      const begun = performance.now()
      t.equal((await keep(browser, 'posts/hello', { fields: { body: text }, base })).status, 200)
      t.comment(`1 MiB in ${Math.round(performance.now() - begun)} ms`)
      const used = await goOn(browser, 'posts/hello')
      t.equal(formIn(used.html, `${BASE}/hello`).body, text)
      for (let n = 1; n < 100; n++) await keep(browser, `posts/gone-${n}`, { fields: { title: `${n}` }, base })
      t.match(await keep(browser, 'posts/gone-100', { fields: { title: 'x' }, base }), { status: 507, html: /100 texts/ })
      t.equal((await keep(browser, 'posts/gone-7', { fields: { title: 'x' }, base })).status, 200)
      opened.clock.advance(31 * DAY)
      await browser.signIn('ada@example.org')
      t.notMatch((await browser.get(`${BASE}/hello/edit`)).html, /never saved/)
      t.equal((await keep(browser, 'posts/late', { fields: { title: 'Late' }, base })).status, 200)
      t.equal((await opened.store.heads('.autosaves', {})).total, 1, 'what is over is removed')
    },
    { config: { throttle: { api: 'off', search: 'off', auth: 'off', uploads: 'off', admin: '30,1' } } },
  ),
)

t.test('two forms of a new record are kept beside each other, and a save drops its own alone', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const first = formIn((await browser.get(`${BASE}/create`)).html, BASE)
    const second = formIn((await browser.get(`${BASE}/create`)).html, BASE)
    t.not(first._form, second._form)
    await keep(browser, 'posts/new', { fields: { ...first, title: 'Five hundred words' }, form: first._form })
    opened.clock.advance(60_000)
    await keep(browser, 'posts/new', { fields: { ...second, title: 'Something else' }, form: second._form })
    const both = await browser.get(`${BASE}/create`)
    t.match(both.html, /Something else, kept [\s\S]*Five hundred words, kept/)
    const [newer = '', older = ''] = keptIn(both.html)
    t.match((await browser.get(newer)).html, 'Something else')
    t.match((await browser.get(older)).html, 'Five hundred words')
    t.match((await browser.get('/admin')).html, /Something else[\s\S]*Five hundred words|Five hundred words[\s\S]*Something else/)
    t.equal((await browser.post(BASE, { ...second, title: 'Something else', do: 'save' })).status, 303)
    t.equal((await browser.get(newer)).status, 404)
    t.match((await browser.get(`${BASE}/create`)).html, /You typed words here/)
    const page = await browser.get(older)
    const going = formIn((await browser.get(useIn(page.html))).html, BASE)
    t.match(going, { title: 'Five hundred words' })
    await keep(browser, 'posts/new', { fields: { ...going, title: 'Six hundred words' }, form: going._form })
    t.equal((await browser.get(older)).status, 404, 'who goes on with words has them in one place')
    const [last = ''] = keptIn((await browser.get(`${BASE}/create`)).html)
    t.match((await browser.get(last)).html, 'Six hundred words')
    t.equal((await browser.post(last.replace('/kept', ''), { _method: 'DELETE' })).status, 303)
    t.notMatch((await browser.get(`${BASE}/create`)).html, /You typed words here/)
  }),
)

t.test('two forms of a record are kept beside each other, the words of its creation go along with it', (t) =>
  panelOf(t, FILES, async (t, { browser, as }) => {
    const here = `${BASE}/hello`
    const [one, two] = [
      formIn((await browser.get(`${here}/edit`)).html, here),
      formIn((await browser.get(`${here}/edit`)).html, here),
    ]
    await keep(browser, 'posts/hello', { fields: { ...one, title: 'Yesterday' }, base: one.base, form: one._form })
    await keep(browser, 'posts/hello', { fields: { ...two, title: 'Today' }, base: two.base, form: two._form })
    t.equal(keptIn((await browser.get(`${here}/edit`)).html).length, 2)
    t.equal((await browser.post(here, { ...two, title: 'Today', do: 'save' })).status, 303)
    const [left = '', ...others] = keptIn((await browser.get(`${here}/edit`)).html)
    t.strictSame(others, [])
    t.match((await browser.get(left)).html, 'Yesterday')
    const { browser: other } = await as('editor')
    const theirs = formIn((await other.get(`${here}/edit`)).html, here)
    await keep(other, 'posts/hello', { fields: { ...theirs, title: 'Theirs' }, base: theirs.base, form: one._form })
    t.match((await browser.get(left)).html, 'Yesterday', 'the form of one user is none of another, whatever it is called')
    // A form that made a record is one of this record from then on.
    const made = formIn((await browser.get(`${BASE}/create`)).html, BASE)
    await keep(browser, 'posts/new', { fields: { ...made, title: 'Just made' }, form: made._form })
    await keep(browser, 'posts/hello', {
      fields: { ...one, title: 'Typed on' },
      base: one.base,
      form: `${made._form} ${one._form}`,
    })
    t.notMatch((await browser.get(`${BASE}/create`)).html, /You typed words here/)
    t.match(await browser.get(left), { status: 404 })
    t.match((await browser.get('/admin/autosave/posts/hello/kept')).html, 'Typed on')
  }),
)

t.test('a form that is sent and not taken is kept, without a script', (t) =>
  panelOf(t, FILES, async (t, { browser, app }) => {
    const here = `${BASE}/hello`
    const form = formIn((await browser.get(`${here}/edit`)).html, here)
    const refused = await browser.post(here, { ...form, title: 'x'.repeat(201), body: 'Refused', do: 'save' })
    t.match(refused, { status: 422, html: /Kept [^<]+, not saved yet/ })
    t.equal(formIn(refused.html, here)._form, form._form, 'the form stays the one that it is')
    t.match((await browser.get('/admin/autosave/posts/hello/kept')).html, 'Refused')
    await app.ask('PUT /api/cms/posts/hello', { body: { title: 'Theirs' } })
    const conflict = await browser.post(here, { ...form, title: 'Mine', body: 'Met', do: 'save' })
    t.equal(conflict.status, 409)
    const [left = '', ...others] = keptIn((await browser.get(`${here}/edit`)).html)
    t.strictSame(others, [], 'in the place of what was kept before')
    t.match((await browser.get(left)).html, 'Met')
    const page = await browser.post(here, formIn(conflict.html, here))
    t.equal(page.status, 422, 'each place wants an answer')
    t.match(formIn((await browser.get(useIn((await browser.get(left)).html))).html, here), { title: 'Mine', body: 'Met' })
    t.equal((await browser.post(here, { ...formIn(page.html, here), '_settle[title]': 'mine' })).status, 303)
    t.equal((await browser.get(left)).status, 404, 'gone with the save')

    const made = formIn((await browser.get(`${BASE}/create`)).html, BASE)
    t.equal((await browser.post(BASE, { ...made, title: `New ${'x'.repeat(200)}`, do: 'save' })).status, 422)
    t.match((await browser.get('/admin/autosave/posts/new/kept')).html, 'New')
    t.equal((await browser.post(BASE, { ...made, title: 'New', do: 'nothing' })).status, 403)
    t.match((await browser.get('/admin/autosave/posts/new/kept')).html, 'New')
    t.equal((await browser.post(BASE, { ...made, title: 'New', do: 'save' })).status, 303)
    t.equal((await browser.get('/admin/autosave/posts/new/kept')).status, 404)

    const late = formIn((await browser.get(`${here}/edit`)).html, here)
    await app.ask('DELETE /api/cms/posts/hello')
    const gone = await browser.post(here, { ...late, title: 'Late', do: 'save' })
    t.equal(gone.status, 409)
    t.match((await browser.get('/admin')).html, 'Late')
    t.equal((await browser.post(BASE, formIn(gone.html, BASE))).status, 303)
    t.notMatch((await browser.get('/admin')).html, /kept and never saved/)
  }),
)
