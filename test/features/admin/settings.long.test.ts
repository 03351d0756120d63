import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\n---\nText.\n',
  'content/settings/site.yaml': '# Of the site\ntagline: Old # a remark\n',
}
const HERE = '/admin/settings/site'

t.test('settings are changed group by group; what was not touched is not written', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const page = await browser.get('/admin/settings')
    t.equal(page.status, 200)
    const form = formIn(page.html, HERE)
    const before = (await opened.store.get(keyOf('settings', 'site')))?.version
    t.match(await browser.post(HERE, { ...form, do: 'save' }), { status: 303, location: /done=nothing/ })
    t.equal((await opened.store.get(keyOf('settings', 'site')))?.version, before)
    t.match(await browser.post(HERE, { ...form, tagline: 'New', do: 'save' }), { status: 303, location: /done=saved/ })
    t.match((await app.ask('GET /api/settings/site.tagline')).body.data, { value: 'New' })
    const added = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    const drawn = await browser.post(HERE, { ...added, do: 'add:social' })
    t.equal(drawn.status, 200)
    const wrong = await browser.post(HERE, { ...formIn(drawn.html, HERE), 'social[0][name]': 'Elsewhere', do: 'save' })
    t.equal(wrong.status, 422)
    const again = formIn(wrong.html, HERE)
    t.equal(again['social[0][name]'], 'Elsewhere')
    await browser.post(HERE, { ...again, 'social[0][url]': 'https://example.org/me', do: 'save' })
    t.match((await app.ask('GET /api/settings/site.social')).body.data.value, [
      { name: 'Elsewhere', url: 'https://example.org/me' },
    ])
  }),
)

t.test('what others changed meanwhile is not written over unseen', (t) =>
  panelOf(t, FILES, async (t, { browser, app }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    await app.ask('PUT /api/settings/site.tagline', { body: { value: 'Theirs' } })
    const answer = await browser.post(HERE, { ...form, tagline: 'Mine', do: 'save' })
    t.equal(answer.status, 409)
    t.match((await app.ask('GET /api/settings/site.tagline')).body.data, { value: 'Theirs' })
    const again = formIn(answer.html, HERE)
    t.equal(again.tagline, 'Mine')
    await browser.post(HERE, { ...again, '_settle[tagline]': 'mine' })
    t.match((await app.ask('GET /api/settings/site.tagline')).body.data, { value: 'Mine' })
  }),
)

t.test('a setting of one’s own is added; editors have no page of settings', (t) =>
  panelOf(t, FILES, async (t, { browser, app, as }) => {
    const action = '/admin/settings/custom'
    const form = formIn((await browser.get(`${action}/edit`)).html, action)
    t.equal((await browser.post(action, { ...form, new_name: 'a b', new_value: 'x', do: 'save' })).status, 422)
    await browser.post(action, { ...form, new_name: 'hours', new_value: '{"mon": "9-5"}', do: 'save' })
    t.match((await app.ask('GET /api/settings/custom.hours')).body.data, { value: { mon: '9-5' } })
    const { browser: editor } = await as('editor')
    t.equal((await editor.get('/admin/settings')).status, 404)
    await editor.get('/admin/account')
    t.equal((await editor.post(HERE, { _method: 'PUT', tagline: 'x' })).status, 404)
  }),
)
