import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change, Store } from '#core/store.ts'
import { Unavailable } from '#lib/errors.ts'
import { formIn } from '#support/page-form.ts'
import { type Form, PANEL_FEATURES, PanelBrowser, type PanelGiven, panelOf, panelOn } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { eachStore } from '#support/stores.ts'

const BASE = '/admin/content/posts'
const FILES = Object.fromEntries(
  ['a', 'b', 'c', 'd'].map((id) => [
    `content/posts/${id}.md`,
    `---\ntitle: "Post ${id.toUpperCase()}"   # kept\nstatus: ${id === 'd' ? 'published' : 'draft'}\ntags: [old]\n---\n\nText of ${id}.\r\nNo line end`,
  ]),
)
const SITE = { site: { history: true }, config: { features: PANEL_FEATURES } }

/** Does an action to some, as the list's form does, and returns the page that says so. */
async function acted({ browser }: Pick<PanelGiven, 'browser'>, form: Form) {
  await browser.get(BASE)
  const answer = await browser.post(BASE, { _method: 'PUT', back: BASE, sure: 'yes', ...form })
  if (answer.status !== 303) throw new Error(`${answer.status}: ${answer.html}`)
  return browser.get(answer.location ?? '')
}

/** The fields of the form that undoes it; undefined where the page has none. */
function undoIn(html: string) {
  if (!html.includes('<button class="link" form="undo">Undo</button>')) return undefined
  const form = html.slice(html.lastIndexOf('<form', html.indexOf('id="undo"')))
  return formIn(form, BASE)
}

/** A property of a store, its methods bound to it. */
function bound(of: Store, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name)
  return typeof value === 'function' ? value.bind(of) : value
}

const textOf = async ({ opened }: PanelGiven, id: string) => (await opened.store.get(keyOf('posts', id)))?.source?.toString()
const allOf = async (given: PanelGiven) => Promise.all(['a', 'b', 'c', 'd'].map((id) => textOf(given, id)))

t.test('an action on several is undone at once, to the byte: those that it changed, and no others', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser } = given
      const before = await allOf(given)
      for (const [action, terms, words] of [
        ['publish', {}, '3 posts published.'],
        ['add', { 'tags[]': ['new', 'newer, newest'] }, '4 posts changed.'],
        ['delete', {}, '4 posts deleted.'],
      ] as const) {
        const { html } = await acted(given, { 'ids[]': ['a', 'b', 'c', 'd'], action, ...terms })
        t.ok(html.includes(words), `${action}: ${words}`)
        t.notSame(await allOf(given), before)
        const answer = await browser.post(BASE, undoIn(html))
        t.match(answer, { status: 303, location: /done=undone/ })
        const after = await browser.get(answer.location ?? '')
        t.match(after.html, `Undone: ${action === 'publish' ? 3 : 4} posts are as they were before.`)
        t.notMatch(after.html, /not undone|>Undo</)
        t.same(await allOf(given), before, `${action} is undone`)
      }
      const { html } = await acted(given, { 'ids[]': ['d'], action: 'publish' })
      t.match(html, 'Nothing was changed: they are so already.')
      t.equal(undoIn(html), undefined)
    },
    SITE,
  ),
)

t.test('a status goes back the way it came, also where it may not be chosen so', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser, app } = given
      const all = { 'ids[]': ['a', 'b', 'c', 'd'] }
      await app.ask('POST /api/cms/posts/actions', { body: { ids: ['b'], set: { status: 'in_review' } } })
      await acted(given, { 'ids[]': ['d'], action: 'archive' })
      for (const [action, ids] of [
        ['publish', ['b']],
        ['unpublish', ['b', 'd']],
        ['archive', ['d']],
      ] as const) {
        if (action === 'archive') await acted(given, { ...all, action: 'unpublish' })
        if (action === 'archive') await acted(given, { 'ids[]': ['d'], action: 'publish' })
        const before = await allOf(given)
        const { html } = await acted(given, { 'ids[]': ids, action })
        t.notSame(await allOf(given), before, action)
        const undone = await browser.get((await browser.post(BASE, undoIn(html))).location ?? '')
        t.notMatch(undone.html, 'not undone', action)
        t.same(await allOf(given), before, `${action} is undone`)
      }
      await app.ask('PUT /api/cms/posts/d', { body: { status: 'archived' } })
      const { data } = (await app.ask('GET /api/cms/posts/d/revisions')).body
      const live = data.find((one: { action: string }) => one.action === 'published')
      await app.ask('PUT /api/cms/posts/d', { body: { title: 'Since' } })
      await browser.get(`${BASE}/d/edit`)
      const forced = await browser.post(`${BASE}/d/rollback/${live.ts}`, { undo: 'true' })
      t.equal(forced.status, 303)
      t.match(
        (await given.opened.store.get(keyOf('posts', 'd')))?.fields,
        { status: 'archived' },
        'the last change alone is undone',
      )
    },
    SITE,
  ),
)

t.test('what the server fails at is told, and can be undone after all', (t) =>
  eachStore(t, { ...SITE.site, files: FILES }, async (t, opened) => {
    let failure: Error | undefined
    const write: Store['write'] = (changes: readonly Change[], ...others) =>
      failure && changes.some(({ key }) => key.id === 'b') ? Promise.reject(failure) : opened.store.write(changes, ...others)
    const store = new Proxy(opened.store, { get: (of, name) => (name === 'write' ? write : bound(of, name)) })
    const given = await panelOn(t, { ...opened, store }, { config: SITE.config })
    const { browser } = given
    const before = await allOf(given)
    for (const one of [new Unavailable('The store is away.'), new Error('A bug.')]) {
      const { html } = await acted(given, { 'ids[]': ['a', 'b', 'c'], action: 'publish' })
      const form = undoIn(html)
      failure = one
      const answer = await browser.post(BASE, form)
      failure = undefined
      t.equal(answer.status, one instanceof Unavailable ? 303 : 500)
      const told = await browser.get(`${BASE}?done=undone&undo=${form?.undo}`)
      t.match(told.html, 'Undone: 2 posts are as they were before.')
      t.match(told.html, /One post was not undone\..*“Post B” is not as it was yet/s)
      t.same([await textOf(given, 'a'), await textOf(given, 'c')], [before[0], before[2]])
      const again = undoIn(told.html)
      t.match(await Promise.all([browser.post(BASE, again), browser.post(BASE, again)]), [{ status: 303 }, { status: 303 }])
      t.same(await allOf(given), before)
      t.match((await browser.get(`${BASE}?done=undone&undo=${form?.undo}`)).html, 'Undone: one post is as it was before.')
    }
  }),
)

t.test('what somebody makes while it is brought back is not written over', (t) =>
  eachStore(t, { ...SITE.site, files: FILES }, async (t, opened) => {
    let looks = Number.POSITIVE_INFINITY
    const theirs = { title: 'Theirs' }
    const get: Store['get'] = async (key, ...others) => {
      const found = await opened.store.get(key, ...others)
      // Between the look of the panel and that of the rollback.
      if (key.id === 'c' && --looks === 0) await opened.store.write([{ key, put: { set: theirs }, expects: 'absent' }], BY)
      return found
    }
    const store = new Proxy(opened.store, { get: (of, name) => (name === 'get' ? get : bound(of, name)) })
    const given = await panelOn(t, { ...opened, store }, { config: SITE.config })
    const { browser } = given
    const { html } = await acted(given, { 'ids[]': ['c'], action: 'delete' })
    looks = 2
    const undone = await browser.get((await browser.post(BASE, undoIn(html))).location ?? '')
    t.match(undone.html, /“Post C” was changed since/)
    t.match((await opened.store.get(keyOf('posts', 'c')))?.fields, theirs)

    const removed = await browser.post(`${BASE}/d`, { _method: 'DELETE' })
    const page = await browser.get(removed.location ?? '')
    const action = /<form method="post" action="([^"]*rollback[^"]*)" id="undo">/.exec(page.html)?.[1] ?? ''
    await opened.store.write([{ key: keyOf('posts', 'd'), put: { set: theirs } }], BY)
    t.equal((await browser.post(action, formIn(page.html, action))).status, 412)
    t.match((await opened.store.get(keyOf('posts', 'd')))?.fields, theirs)
  }),
)

t.test('what others have changed since stays as it is, and is named', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser, app } = given
      const before = await allOf(given)
      const published = await acted(given, { 'ids[]': ['a', 'b', 'c'], action: 'publish' })
      await app.ask('PUT /api/cms/posts/a', { body: { title: 'Theirs' } })
      await app.ask('DELETE /api/cms/posts/b')
      const undone = await browser.get((await browser.post(BASE, undoIn(published.html))).location ?? '')
      t.match(undone.html, 'Undone: one post is as it was before.')
      t.match(undone.html, /2 posts were not undone\..*“Post A” was changed since.*“Post B” is not there any more/s)
      t.match((await given.opened.store.get(keyOf('posts', 'a')))?.fields, { title: 'Theirs', status: 'published' })
      t.same([await textOf(given, 'b'), await textOf(given, 'c')], [undefined, before[2]])

      const removed = await acted(given, { 'ids[]': ['c', 'd'], action: 'delete' })
      await app.ask('POST /api/cms/posts', { body: { slug: 'c', title: 'A new one' } })
      const back = await browser.get((await browser.post(BASE, undoIn(removed.html))).location ?? '')
      t.match(back.html, /One post was not undone\..*“Post C” was changed since/s)
      t.match((await given.opened.store.get(keyOf('posts', 'c')))?.fields, { title: 'A new one' })
      t.equal(await textOf(given, 'd'), before[3])
    },
    SITE,
  ),
)

t.test('an undo is for the session that did it, for two minutes, and once', (t) =>
  panelOf(
    t,
    { ...FILES, 'content/about.md': '---\ntitle: About\n---\n' },
    async (t, given) => {
      const { browser, opened, app, ada } = given
      const before = await allOf(given)
      await browser.get(BASE)
      const done = await browser.post(BASE, { _method: 'PUT', 'ids[]': ['a', 'b'], action: 'publish' })
      const { html } = await browser.get(done.location ?? '')
      const form = undoIn(html) ?? {}
      const other = new PanelBrowser(app, opened.clock)
      await other.signIn(ada.email)
      t.equal(undoIn((await other.get(done.location ?? '')).html), undefined, 'another session is not offered it')
      t.equal((await other.post(BASE, { ...form, _csrf: other.csrf })).status, 409)
      t.equal((await browser.post('/admin/content/pages', form)).status, 409, 'nor is another list')
      t.notSame(await allOf(given), before)
      const [first, second] = [await browser.post(BASE, form), await browser.post(BASE, form)]
      t.match([first, second], [{ status: 303 }, { status: 303, location: first.location }], 'a form that is sent twice')
      t.same(await allOf(given), before)

      const later = await acted(given, { 'ids[]': ['a', 'b'], action: 'publish' })
      opened.clock.advance(121_000)
      const late = await browser.post(BASE, undoIn(later.html))
      t.match([late.status, /can’t be undone any more/.test(late.html)], [409, true])
      for (const token of ['', 'x', '../a', 'x'.repeat(5000), '%00'])
        t.equal((await browser.get(`${BASE}?done=published&undo=${encodeURIComponent(token)}`)).status, 200)
    },
    SITE,
  ),
)

t.test('rights are looked at anew when it is undone', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser, user } = await given.as('editor')
      const { html } = await acted({ browser }, { 'ids[]': ['a', 'd'], action: 'delete' })
      const form = undoIn(html)
      t.ok(form)
      await given.app.features.users.update(user.id, { role: 'viewer' }, BY)
      t.not((await browser.post(BASE, form)).status, 303)
      await browser.signIn(user.email)
      await browser.post(BASE, { ...form, _csrf: browser.csrf })
      t.same([await textOf(given, 'a'), await textOf(given, 'd')], [undefined, undefined])
    },
    SITE,
  ),
)

t.test('terms are asked for before they are given to several', (t) =>
  panelOf(
    t,
    FILES,
    async (t, given) => {
      const { browser } = given
      await browser.get(BASE)
      const ask = await browser.post(BASE, { _method: 'PUT', 'ids[]': ['a', 'b'], action: 'add', 'tags[]': '' })
      t.equal(ask.status, 200)
      t.match(ask.html, /Post A[\s\S]*Post B/)
      const form = formIn(ask.html, BASE)
      t.equal((await browser.post(BASE, { ...form, action: 'add' })).status, 422)
      t.match((await browser.post(BASE, { ...form, action: 'add', 'tags[]': ['old', 'fresh'] })).location, /done=saved/)
      t.same((await given.opened.store.get(keyOf('posts', 'a')))?.fields.tags, ['old', 'fresh'])
    },
    SITE,
  ),
)

t.test('where some of those selected can’t be changed, none is, and the list says which with its ticks', (t) =>
  panelOf(
    t,
    { ...FILES, 'content/posts/broken.md': '---\ntitle: [\n---\n' },
    async (t, given) => {
      const before = await allOf(given)
      const { browser } = given
      await browser.get(BASE)
      const back = `${BASE}?sort=title`
      const refused = await browser.post(back, { _method: 'PUT', 'ids[]': ['a', 'broken', 'gone'], action: 'publish' })
      t.equal(refused.status, 404)
      t.match(refused.html, /Nothing was changed\.[\s\S]*“broken”[\s\S]*“gone”/)
      t.match(refused.html, 'value="a" checked')
      t.notMatch(refused.html, 'value="b" checked')
      t.same(await allOf(given), before)
      const many = Array.from({ length: 4000 }, (_, n) => `p${n}`)
      t.equal((await browser.post(BASE, { _method: 'PUT', 'ids[]': many, action: 'publish' })).status, 422)
    },
    SITE,
  ),
)

t.test('all of a list are selected by a link, and its tabs say how many there are of each status', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      const { html } = await browser.get(`${BASE}?per_page=2`)
      const url = /href="([^"]*selected=all)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
      t.match(html, 'Select all 4')
      const all = await browser.get(url)
      t.equal(all.html.match(/name="ids\[\]" value="[a-d]" checked/g)?.length, 4)
      t.notMatch(all.html, 'selected=all', 'no way on from there selects all')
      t.match(html, /Draft <data value="3">[\s\S]*Published <data value="1">/)
      t.notMatch((await browser.get(`${BASE}?tag=old`)).html, /Draft <data/)
    },
    SITE,
  ),
)

t.test('where nothing is selected, or too much, the list says so', (t) =>
  panelOf(t, FILES, async (t, { browser }) => {
    await browser.get(BASE)
    const none = await browser.post(`${BASE}?sort=title`, { _method: 'PUT', action: 'publish' })
    t.match([none.status, none.html], [422, /Nothing is selected/])
    t.match(none.html, 'value="a"', 'with its rows')
    const most = await browser.post(BASE, {
      _method: 'PUT',
      action: 'delete',
      'ids[]': ['a', ...Array.from({ length: 100 }, (_, n) => `p${n}`)],
    })
    t.match([most.status, most.html], [422, /At most 100 are changed at once: 101 were selected/])
    t.match(most.html, 'value="a" checked')
  }),
)

t.test('the page of problems leads to the records', (t) =>
  panelOf(t, { ...FILES, 'content/posts/2026/broken.md': '---\ntitle: [\n---\n' }, async (t, { browser }) => {
    const { html } = await browser.get('/admin/problems')
    const [, url = ''] = /<a href="(\/admin\/content\/posts\/[^"]*)"><code>/.exec(html) ?? []
    t.equal(url, `${BASE}/2026~broken/edit`)
    t.match((await browser.get(url)).html, 'broken.md')
  }),
)
