import t from 'tap'
import { keyOf } from '#core/key.ts'
import { TestApp } from '#support/app.ts'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, PanelBrowser, panelOf } from '#support/panel.ts'

const POST = `---
title: "Hello"   # a remark
tags: [tides, 'News']
weight: 3
---

A text.\r
Two kinds of line ends.
`
const FILES = { 'content/posts/hello.md': POST, 'content/posts/b.md': '---\ntitle: B\nstatus: draft\n---\nNo line end' }
const BASE = '/admin/content/posts'

t.test('a record is made, changed and removed without scripts', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const blank = await browser.get(`${BASE}/create`)
    t.equal(blank.status, 200)
    const made = await browser.post(BASE, { ...formIn(blank.html, BASE), title: 'New one', body: 'One\r\nTwo\r\n', do: 'save' })
    t.match(made, { status: 303, location: `${BASE}/new-one/edit?done=created` })
    const key = keyOf('posts', 'new-one')
    t.match(await opened.store.get(key), { body: 'One\nTwo\n', fields: { title: 'New one', status: 'draft', author: 'ada' } })
    const edit = await browser.get(`${BASE}/new-one/edit`)
    const form = formIn(edit.html, `${BASE}/new-one`)
    t.match(await browser.post(`${BASE}/new-one`, { ...form, title: 'Newer', do: 'published' }), {
      status: 303,
      location: /done=published/,
    })
    t.match((await opened.store.get(key))?.fields, { title: 'Newer', status: 'published' })
    t.equal((await browser.get(`${BASE}/new-one/delete`)).status, 200)
    t.ok(await opened.store.get(key), 'asking removes nothing')
    t.match(await browser.post(`${BASE}/new-one`, { _method: 'DELETE' }), { status: 303 })
    t.equal(await opened.store.get(key), undefined)
  }),
)

t.test('a form that is sent back as it came changes nothing', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    for (const id of ['hello', 'b']) {
      const before = (await opened.store.get(keyOf('posts', id)))?.version
      const edit = await browser.get(`${BASE}/${id}/edit`)
      const answer = await browser.post(`${BASE}/${id}`, { ...formIn(edit.html, `${BASE}/${id}`), do: 'save' })
      t.match(answer, { status: 303, location: `${BASE}/${id}/edit?done=nothing` })
      t.equal((await opened.store.get(keyOf('posts', id)))?.version, before)
    }
  }),
)

t.test('what is wrong is said at its field, and nothing that was typed is lost', (t) =>
  panelOf(t, FILES, async (t, { browser }) => {
    const edit = await browser.get(`${BASE}/hello/edit`)
    const form = formIn(edit.html, `${BASE}/hello`)
    const typed = { ...form, title: 'x'.repeat(201), body: 'Typed <b> & "kept"', do: 'save' }
    const answer = await browser.post(`${BASE}/hello`, typed)
    t.equal(answer.status, 422)
    t.match(answer.html, /id="f-title-error"|f-title-error/)
    const again = formIn(answer.html, `${BASE}/hello`)
    t.match({ title: again.title, body: again.body, base: again.base }, { title: typed.title, body: typed.body, base: form.base })
    t.equal((await browser.post(`${BASE}/hello`, { ...form, base: 'x' })).status, 422, 'a form says which version it began from')
  }),
)

t.test('edits of others are kept; one that meets mine is not written over', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const edit = await browser.get(`${BASE}/hello/edit`)
    const form = formIn(edit.html, `${BASE}/hello`)
    await app.ask('PUT /api/cms/posts/hello', { body: { weight: 4 } })
    const merged = await browser.post(`${BASE}/hello`, { ...form, title: 'Mine' })
    t.match(merged, { status: 303 })
    t.match((await browser.get(merged.location ?? '')).html, 'Saved. Others had changed other parts meanwhile: both are kept.')
    const alone = await browser.post(`${BASE}/b`, {
      ...formIn((await browser.get(`${BASE}/b/edit`)).html, `${BASE}/b`),
      title: 'C',
    })
    t.notMatch((await browser.get(alone.location ?? '')).html, 'Others had changed')
    t.match((await opened.store.get(keyOf('posts', 'hello')))?.fields, { title: 'Mine', weight: 4 })
    const answer = await browser.post(`${BASE}/hello`, { ...form, title: 'Other' })
    t.equal(answer.status, 409)
    t.match((await opened.store.get(keyOf('posts', 'hello')))?.fields, { title: 'Mine' })
  }),
)

t.test('an action is done to those selected; removing asks first', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    await browser.get(BASE)
    t.match(await browser.post(BASE, { _method: 'PUT', 'ids[]': ['b'], action: 'publish' }), {
      status: 303,
      location: /done=published/,
    })
    t.match((await opened.store.get(keyOf('posts', 'b')))?.fields, { status: 'published' })
    await browser.post(BASE, { _method: 'PUT', 'ids[]': ['b', 'hello'], action: 'add', 'tags[]': ['extra'] })
    t.match((await opened.store.get(keyOf('posts', 'b')))?.fields.tags, ['extra'])
    const ask = await browser.post(BASE, { _method: 'PUT', 'ids[]': ['b', 'hello'], action: 'delete' })
    t.equal(ask.status, 200)
    t.ok(await opened.store.get(keyOf('posts', 'b')))
    t.match(await browser.post(BASE, { ...formIn(ask.html, BASE), action: 'delete' }), { status: 303, location: /done=removed/ })
    t.equal(await opened.store.get(keyOf('posts', 'b')), undefined)
  }),
)

t.test('who may not, does not: a page says so, and nothing is linked', (t) =>
  panelOf(t, FILES, async (t, { as }) => {
    const { browser } = await as('viewer')
    const list = await browser.get(BASE)
    t.equal(list.status, 200)
    t.notMatch(list.html, new RegExp(`${BASE}/create`))
    t.equal((await browser.get(`${BASE}/create`)).status, 403)
    t.equal((await browser.get(`${BASE}/b/edit`)).status, 404, 'a draft does not exist for them')
    const edit = await browser.get(`${BASE}/hello/edit`)
    t.equal(edit.status, 200)
    t.notMatch(edit.html, /name="do"/)
    t.equal((await browser.post(`${BASE}/hello`, { _method: 'PUT', base: '0'.repeat(40), title: 'x' })).status, 403)
    t.equal((await browser.get('/admin/users')).status, 404)
  }),
)

t.test('terms and users have the same pages', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened }) => {
    const blank = await browser.get('/admin/tags/create')
    t.match(await browser.post('/admin/tags', { ...formIn(blank.html, '/admin/tags'), name: 'Harbours' }), {
      status: 303,
      location: /harbours/,
    })
    const rename = await browser.get('/admin/tags/tides/edit')
    await browser.post('/admin/tags/tides', { ...formIn(rename.html, '/admin/tags/tides'), slug: 'waves' })
    t.match((await opened.store.get(keyOf('posts', 'hello')))?.fields.tags, ['waves', 'news'])
    const ask = await browser.get('/admin/tags/waves/delete')
    await browser.post('/admin/tags/waves', { ...formIn(ask.html, '/admin/tags/waves'), replace_with: 'harbours' })
    t.match((await opened.store.get(keyOf('posts', 'hello')))?.fields.tags, ['harbours', 'news'])
    const invite = await browser.get('/admin/users/create')
    t.match(invite.html, 'Send invitation')
    const sent = await browser.post('/admin/users', {
      ...formIn(invite.html, '/admin/users'),
      email: 'bo@example.org',
      name: 'Bo',
      role: 'author',
    })
    t.equal(sent.status, 303)
    t.match(app.messages.at(-1), { template: 'invitation', to: 'bo@example.org' })
    const bo = await app.features.users.byEmail('bo@example.org')
    t.match(await browser.post(`/admin/users/${bo?.id}/disable`), { status: 303 })
    t.match(await app.features.users.byEmail('bo@example.org'), { disabled: true })
  }),
)

t.test('what may be read and not changed has no field, no button and no tick', (t) =>
  panelOf(
    t,
    {
      'content/posts/theirs.md': '---\ntitle: Theirs\nauthor: ada\ntags: [tides]\nstatus: published\n---\nText.\n',
      'content/posts/own.md': '---\ntitle: Own\nauthor: author\n---\nText.\n',
    },
    async (t, { as }) => {
      const { browser, user } = await as('author')
      t.equal(user.handle, 'author')
      const { html } = await browser.get(`${BASE}/theirs/edit`)
      t.match(html, /You may read this post/)
      t.notMatch(html, /data-toolbar|Made of the title|saved exactly as typed|class="picked"|name="do" value|type="text"/)
      t.match(html, /<p class="chosen"><span>tides<\/span> <\/p>/)
      t.match(html, /Categories<\/legend>\s*<p class="chosen"><span class="note">None<\/span><\/p>/)
      t.match(html, /Address<\/span>\s*<p class="value">theirs<\/p>/)
      const own = await browser.get(`${BASE}/own/edit`)
      t.match(own.html, /data-toolbar[\s\S]*class="picked"/)
      const list = await browser.get(BASE)
      t.match(list.html, /name="ids\[\]" value="own"/)
      t.notMatch(list.html, /name="ids\[\]" value="theirs"/)
      t.match(list.html, /Theirs/)
      t.notMatch((await browser.get(`${BASE}?q=theirs`)).html, /class="tick"/, 'a list without ticks has no place for them')
    },
  ),
)

t.test('a form that is sent twice makes one', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const blank = await browser.get(`${BASE}/create`)
    const form = { ...formIn(blank.html, BASE), title: 'Twice', body: 'x', do: 'save' }
    const both = await Promise.all([browser.post(BASE, form), browser.post(BASE, form)])
    t.match(
      [...both, await browser.post(BASE, form)],
      Array(3).fill({ status: 303, location: `${BASE}/twice/edit?done=created` }),
    )
    t.match((await browser.post(BASE, { ...form, title: 'Twice ' })).location, /twice-2/, 'another form makes another')
    await browser.post(`${BASE}/twice`, { _method: 'DELETE' })
    t.match((await browser.post(BASE, form)).location, /twice/, 'and it is made again once it is gone')
    t.ok(await opened.store.get(keyOf('posts', 'twice')))

    const tokens = '/admin/tokens'
    const token = { ...formIn((await browser.get(`${tokens}/create`)).html, tokens), name: 'Deploy', 'scopes[]': ['read'] }
    t.match(
      [await browser.post(tokens, token), await browser.post(tokens, token)],
      Array(2).fill({ status: 303, location: tokens }),
    )
    const { html } = await browser.get(tokens)
    t.match(html, /cms_[\w-]{20}/, 'the secret is shown')
    t.equal(html.match(/data-row=/g)?.length, 1)
  }),
)

t.test('a form that is sent to two nodes at once makes one', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const other = new TestApp(opened, { config: { features: PANEL_FEATURES } })
    t.teardown(() => other.close())
    const there = new PanelBrowser(other, opened.clock)
    for (const [name, value] of browser.cookies) there.plant(name, value)
    const form = { ...formIn((await browser.get(`${BASE}/create`)).html, BASE), title: 'Twice', body: 'x', do: 'save' }
    const both = await Promise.all([browser.post(BASE, form), there.post(BASE, form)])
    for (const { status, html } of both) t.ok(status === 303 || (status === 409 && html.includes('This form was sent twice')))
    t.equal(await opened.store.get(keyOf('posts', 'twice-2')), undefined)
    t.ok(await opened.store.get(keyOf('posts', 'twice')))
    t.match(
      [await there.post(BASE, form), await browser.post(BASE, form)],
      Array(2).fill({ status: 303, location: `${BASE}/twice/edit?done=created` }),
    )
    t.equal(await opened.store.get(keyOf('posts', 'twice-2')), undefined)
  }),
)
