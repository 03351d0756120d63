import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { ResourceDefinition } from '#module/panel.ts'
import { loaded, setOf } from '#support/module-panel.ts'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, panelOn } from '#support/panel.ts'
import { eachStore } from '#support/stores.ts'

const CONTACTS: ResourceDefinition = {
  name: 'people',
  label: 'Contacts',
  singular: 'contact',
  group: 'people',
  scope: 'content:write',
  fields: [
    { name: 'title', type: 'text', label: 'Full name', rules: 'required|max:40' },
    { name: 'email', type: 'email', rules: 'required|unique:people' },
    { name: 'plate', type: 'plate' },
    { name: 'friend', type: 'text', rules: 'exists:people' },
    { name: 'age', type: 'integer', rules: 'min:1' },
    { name: 'body', type: 'markdown' },
  ],
  columns: ['title', 'email', 'plate', 'age'],
}

const MODULE = loaded('contacts', {
  resources: [CONTACTS],
  fieldTypes: {
    plate: {
      base: 'text',
      rules: 'max:12',
      help: 'As on a car.',
      check: (value) => {
        if (value === 'BOOM-1') throw new Error('boom')
        return /^[A-Z]{1,3}-\d+$/.test(String(value)) ? undefined : 'must be a plate such as HH-12.'
      },
      present: (value) => `Plate ${value}`,
    },
  },
})
const WITH_MODULES = { features: { ...PANEL_FEATURES, modules: true } }
const BASE = '/admin/x/contacts/people'

t.test('documents of a module are listed, made, changed and removed in the panel', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const { browser, as } = await panelOn(t, opened, { config: WITH_MODULES, deps: { modules: setOf(MODULE) } })
    t.match((await browser.get(BASE)).html, /No contacts yet/)
    const form = formIn((await browser.get(`${BASE}/create`)).html, BASE)
    const wrong = await browser.post(BASE, { ...form, title: '', email: 'x', plate: 'hh12', friend: 'nobody', age: '0' })
    t.equal(wrong.status, 422)
    for (const words of ['title is required', 'must be a valid email', 'must be a plate such as HH-12', 'must be at least 1'])
      t.match(wrong.html, words)
    t.match(wrong.html, 'As on a car.')
    const good = { ...form, title: 'Ada <b>', email: 'ada@example.org', plate: 'HH-12', age: '36', body: 'One\r\ntwo' }
    t.match((await browser.post(BASE, { ...good, friend: 'nobody' })).html, 'there is no &#34;nobody&#34; in people')
    t.match((await browser.post(BASE, { ...good, plate: 'BOOM-1' })).html, 'the module contacts failed')
    const made = await browser.post(BASE, good)
    const [, id = ''] = /people\/([0-9a-f]{16})\/edit/.exec(made.location ?? '') ?? []
    t.match(made, { status: 303, location: `${BASE}/${id}/edit?done=created` })
    t.match((await browser.post(BASE, { ...good, title: 'Other' })).html, 'has already been taken')
    t.match(await browser.post(BASE, { ...good, title: 'Bea', email: 'bea@example.org', friend: id, age: '7' }), { status: 303 })
    const list = (await browser.get(`${BASE}?sort=-title`)).html
    t.match(list, /Full name[\s\S]*Email[\s\S]*Plate[\s\S]*Age/)
    t.match(list, /Bea[\s\S]*Ada &lt;b&gt;[\s\S]*Plate HH-12/)
    t.match((await browser.get(`${BASE}?sort=age`)).html, /Bea[\s\S]*Ada/)
    const found = (await browser.get(`${BASE}?q=ADA%40`)).html
    t.match(found, 'Ada &lt;b&gt;')
    t.notMatch(found, '>Bea<')
    t.equal((await browser.get(`${BASE}?sort=nothing`)).status, 400)
    t.match((await browser.get(`${BASE}?per_page=1&page=2`)).html, '2–2 of 2')
    const one = `${BASE}/${id}`
    const edit = formIn((await browser.get(`${one}/edit`)).html, one)
    t.match(edit, { title: 'Ada <b>', body: 'One\r\ntwo' })
    t.match(await browser.post(one, edit), { location: /done=nothing/ })
    t.match(await browser.post(one, { ...edit, age: '37' }), { status: 303, location: /done=saved/ })
    const late = await browser.post(one, { ...edit, age: '50' })
    t.match([late.status, late.html], [409, /37[\s\S]*50|50[\s\S]*37/], 'a form of an earlier version')
    const settled = formIn(late.html, one)
    t.match(await browser.post(one, { ...settled, ...picks(late.html) }), { status: 303 })
    t.match((await browser.get(`${one}/edit`)).html, 'value="50"')
    const { browser: viewer } = await as('viewer')
    for (const url of [BASE, `${BASE}/create`, `${one}/edit`]) t.equal((await viewer.get(url)).status, 404, url)
    t.match(await browser.post(one, { _method: 'DELETE' }), { status: 303, location: `${BASE}?done=removed` })
    t.equal((await browser.get(`${one}/edit`)).status, 404)
    for (const url of ['/admin/x/contacts/other', '/admin/x/other/people', '/admin/x/contacts', '/admin/x'])
      t.equal((await browser.get(url)).status, 404, url)
  }),
)

t.test('what comes from elsewhere is shown and removed, and neither made nor changed', (t) =>
  eachStore(t, {}, async (t, opened) => {
    const fields = [...CONTACTS.fields, { name: 'answers', type: 'json' as const }]
    const letters = { ...CONTACTS, fields, readOnly: true, icon: 'mail', empty: 'They come <by> mail.' }
    const modules = setOf(loaded('contacts', { ...MODULE.definition, resources: [letters] }))
    const { browser } = await panelOn(t, opened, { config: WITH_MODULES, deps: { modules } })
    t.match((await browser.get(BASE)).html, 'They come &lt;by&gt; mail.')
    const key = keyOf('.contacts-people', 'a'.repeat(16))
    const set = { f_title: 'Ada', f_email: 'ada@example.org', f_answers: { 'what <i>': 'One\ntwo <b>', agreed: true } }
    await opened.store.write([{ key, put: { set }, expects: 'absent' }], { name: 'Ada', email: 'ada@example.org' })
    const list = (await browser.get(BASE)).html
    t.match(list, 'ada@example.org')
    t.notMatch(list, `${BASE}/create`)
    t.notOk((await browser.get(`${BASE}/create`)).status === 200)
    const one = `${BASE}/${key.id}`
    const form = (await browser.get(`${one}/edit`)).html
    t.match(form, 'ada@example.org')
    t.match(form, />what &lt;i&gt;<[\s\S]*>One\ntwo &lt;b&gt;<[\s\S]*>agreed<[\s\S]*>Yes</, 'by name, not as JSON')
    t.match(form, />\s*Back\s*</)
    t.match(await browser.post(one, { _method: 'PUT', title: 'Bea', email: 'b@example.org' }), { status: 403 })
    t.match(await browser.post(BASE, { title: 'Bea', email: 'b@example.org' }), { status: 403 })
    t.match(await opened.store.get(key), { fields: set })
    t.match(await browser.post(one, { _method: 'DELETE' }), { status: 303, location: `${BASE}?done=removed` })
  }),
)

/** Takes the form's own side of everything that two edits meet in. */
function picks(html: string): Record<string, string> {
  const names = [...html.matchAll(/type="radio"[^>]*name="([^"]+)"[^>]*value="mine"/g)].map(([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, 'mine']))
}
