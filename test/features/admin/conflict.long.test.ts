import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'

const BODY = 'First paragraph.\r\n\r\nSlack water lasts fifteen minutes.\r\n\r\nThird one.\r\n\r\nThe rule is good.\r\n'
const FILES = {
  'content/posts/tides.md': `---\ntitle: Reading tide tables # kept\ntags: [tides]\nweight: 3\n---\n${BODY}`,
}
const BASE = '/admin/content/posts'
const HERE = `${BASE}/tides`
const KEY = keyOf('posts', 'tides')
const settled = (html: string) => /data-settled="(\d+)"> of \d+ settled/.exec(html)?.[1]

t.test('two edits that meet are settled place by place', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    const theirs = BODY.replace('fifteen', 'between twelve and fifteen').replace('good', 'useless').replaceAll('\r\n', '\n')
    await app.ask('PUT /api/cms/posts/tides', { body: { title: 'How to read them', body: theirs, weight: 4 } })
    const newer = await opened.store.get(KEY)
    const mine = BODY.replace('fifteen', 'twenty').replace('First', 'The first').replace('The rule is good.', 'The rule is fine.')
    const answer = await browser.post(HERE, {
      ...form,
      title: 'Tide tables <b>',
      body: mine,
      'tags[]': ['tides', 'code'],
      do: 'save',
    })
    t.equal(answer.status, 409)
    t.equal((await opened.store.get(KEY))?.version, newer?.version, 'nothing is written')
    t.match(answer.html, /Two edits meet in three places/)
    t.match(answer.html, /Tide tables &lt;b&gt;|<ins>[^<]*<span/)
    t.notMatch(answer.html, '<b>Tide')
    t.match(answer.html, /Body, paragraph 2 of 4/)
    t.match(
      answer.html,
      /<del><span class="unseen">taken out: <\/span>fifteen<\/del><ins><span class="unseen">added: <\/span>twenty<\/ins>/,
    )
    t.match(answer.html, /Also kept: your tags; their weight/)
    const page = formIn(answer.html, HERE)
    t.match(page, { base: newer?.version, _from: form.base, _method: 'PUT', do: 'save' })
    const half = await browser.post(HERE, { ...page, '_settle[title]': 'mine' })
    t.equal(half.status, 422, 'each place wants an answer')
    t.equal(settled(half.html), '1')
    t.equal((await opened.store.get(KEY))?.version, newer?.version)
    const places = [...answer.html.matchAll(/name="(_settle\[body\]\[\d+\])" value="mine"/g)].map(([, name]) => String(name))
    t.equal(places.length, 2)
    const [first = '', last = ''] = places
    const done = await browser.post(HERE, {
      ...formIn(half.html, HERE),
      [first]: 'own',
      [first.replace('_settle', '_own')]: 'Slack water\r\nlasts twelve to twenty minutes.',
      [last]: 'theirs',
    })
    t.match(done, { status: 303, location: `${HERE}/edit?done=saved` })
    const saved = await opened.store.get(KEY)
    t.match(saved?.fields, { title: 'Tide tables <b>', tags: ['tides', 'code'], weight: 4 })
    t.equal(
      saved?.body,
      newer?.body
        .replace('First', 'The first')
        .replace(
          /Slack.*minutes\./,
          newer.body.includes('\r')
            ? 'Slack water\r\nlasts twelve to twenty minutes.'
            : 'Slack water\nlasts twelve to twenty minutes.',
        ),
    )
  }),
)

t.test('a third edit meanwhile is another page, and no answer is lost', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    await app.ask('PUT /api/cms/posts/tides', { body: { title: 'Theirs', tags: ['sea'] } })
    const page = await browser.post(HERE, { ...form, title: 'Mine', 'tags[]': ['tides', 'code'] })
    t.equal(page.status, 409)
    await app.ask('PUT /api/cms/posts/tides', { body: { title: 'Theirs again' } })
    const answers = { '_settle[title]': 'own', '_own[title]': 'Both', '_settle[tags]': 'own', '_own[tags]': 'tides\r\nsea\r\n' }
    const again = await browser.post(HERE, { ...formIn(page.html, HERE), ...answers })
    t.equal(again.status, 409)
    t.match(again.html, 'Theirs again')
    const kept = formIn(again.html, HERE)
    t.match(kept, { '_settle[title]': 'own', '_own[title]': 'Both' })
    t.match(await browser.post(HERE, { ...kept, '_settle[tags]': 'own', '_own[tags]': 'tides\r\nsea' }), { status: 303 })
    t.match((await opened.store.get(KEY))?.fields, { title: 'Both', tags: ['tides', 'sea'], weight: 3 })
  }),
)

t.test('of a version that is not known any more, all that differs is told', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    const answer = await browser.post(HERE, { ...form, base: '0'.repeat(40), title: 'Mine' })
    t.equal(answer.status, 409)
    t.match(answer.html, 'is not known any more')
    t.notMatch(answer.html, 'clash-before')
    t.match(await browser.post(HERE, { ...formIn(answer.html, HERE), '_settle[title]': 'mine' }), { status: 303 })
    t.match((await opened.store.get(KEY))?.fields, { title: 'Mine', weight: 3 })
  }),
)

t.test('the way back is the form with all that was typed', (t) =>
  panelOf(t, FILES, async (t, { browser, app }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    await app.ask('PUT /api/cms/posts/tides', { body: { title: 'Theirs' } })
    const page = await browser.post(HERE, { ...form, title: 'Mine', body: 'Typed' })
    const back = await browser.post(HERE, { ...formIn(page.html, HERE), _back: 'form' })
    t.equal(back.status, 200)
    t.match(formIn(back.html, HERE), { title: 'Mine', body: 'Typed', base: form.base })
  }),
)

t.test('what is gone meanwhile can be made again of what was typed', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, app }) => {
    const form = formIn((await browser.get(`${HERE}/edit`)).html, HERE)
    await app.ask('DELETE /api/cms/posts/tides')
    const answer = await browser.post(HERE, { ...form, title: 'Mine', body: 'Typed\r\ntext' })
    t.equal(answer.status, 409)
    t.match(answer.html, /Typed\r?\ntext/)
    t.equal(await opened.store.get(KEY), undefined)
    const made = await browser.post(BASE, formIn(answer.html, BASE))
    t.match(made, { status: 303, location: `${HERE}/edit?done=created` })
    t.match(await opened.store.get(KEY), { body: 'Typed\ntext', fields: { title: 'Mine', status: 'draft', tags: ['tides'] } })
    t.equal((await browser.post(`${BASE}/never`, { _method: 'PUT', title: 'x' })).status, 404)
  }),
)

const OTHERS = {
  'content/posts/tides.md': '---\ntitle: Tides\ntags: [moon]\n---\nText.\n',
  'content/settings/site.yaml': 'tagline: Of the sea # kept\nfooter: Bye\n',
  'content/taxonomy/tags/moon.yaml': 'name: Moon # kept\ndescription: Ours\n',
  'content/menus/main.yaml': `items:
  - id: aaaaaaaa
    label: Stories # a remark
    url: /stories
  - id: bbbbbbbb
    label: Harbours
    url: /harbours
  - id: cccccccc
    label: Boats
    url: /boats
`,
}

t.test('settings and terms that meet are settled as records are', (t) =>
  panelOf(t, OTHERS, async (t, { browser, opened, app }) => {
    for (const { here, name, also, change, key } of [
      {
        here: '/admin/settings/site',
        ...{ name: 'tagline', also: 'footer', key: keyOf('settings', 'site') },
        change: () => app.ask('PUT /api/settings/site.tagline', { body: { value: 'Theirs' } }),
      },
      {
        here: '/admin/tags/moon',
        ...{ name: 'name', also: 'description', key: keyOf('taxonomy/tags', 'moon') },
        change: () => app.ask('PUT /api/cms/taxonomy/tags/moon', { body: { name: 'Theirs' } }),
      },
    ]) {
      const form = formIn((await browser.get(`${here}/edit`)).html, here)
      await change()
      t.match(await browser.post(here, { ...form, [also]: 'Apart' }), { status: 303 }, 'what does not meet stays')
      const before = (await opened.store.get(key))?.version
      const answer = await browser.post(here, { ...form, [name]: 'Mine <b>' })
      t.match(answer, { status: 409, html: /Two edits meet in one place/ })
      t.match(answer.html, /Mine &lt;b&gt;|&lt;b&gt;/)
      t.equal((await opened.store.get(key))?.version, before, 'nothing is written')
      const page = formIn(answer.html, here)
      const open = await browser.post(here, page)
      t.match(open, { status: 422, html: /one is left/ })
      t.equal(formIn((await browser.post(here, { ...page, _back: 'form' })).html, here)[name], 'Mine <b>')
      t.match(await browser.post(here, { ...page, [`_settle[${name}]`]: 'own', [`_own[${name}]`]: 'Both' }), { status: 303 })
      const made = (await opened.store.get(key))?.source?.toString() ?? ''
      t.match(made, `${name}: Both # kept`)
      t.match(made, `${also}: Apart`)
    }
  }),
)

t.test('menus that meet are settled link by link', (t) =>
  panelOf(t, OTHERS, async (t, { browser, opened, app }) => {
    const here = '/admin/menus/main'
    const key = keyOf('menus', 'main')
    const form = formIn((await browser.get(`${here}/edit`)).html, here)
    const link = (id: string, label: string, url: string, children: object[] = []) => ({ id, label, url, children })
    const theirs = [
      link('cccccccc', 'Boats', '/boats'),
      link('aaaaaaaa', 'Tales', '/stories', [link('bbbbbbbb', 'Havens', '/havens')]),
      link('new', 'Theirs alone', '/theirs'),
    ]
    t.equal((await app.ask('PUT /api/menus/main', { body: { items: theirs } })).status, 200)
    const mine = {
      ...form,
      'items[i0][label]': 'Stories <b>',
      'items[i1][url]': '/ports',
      'items[i1][depth]': '0',
      'items[i2][label]': 'Ships',
      'items[i2][depth]': '1',
    }
    const before = (await opened.store.get(key))?.version
    const answer = await browser.post(here, { ...mine, do: '' })
    t.equal(answer.status, 409)
    t.match(answer.html, /Stories &lt;b&gt;: label/)
    t.match(answer.html, 'Harbours: address')
    t.notMatch(answer.html, 'Harbours: label', 'theirs alone')
    t.notMatch(answer.html, '<b>: label')
    t.equal((await opened.store.get(key))?.version, before, 'nothing is written')
    const page = formIn(answer.html, here)
    const some = await browser.post(here, { ...page, '_settle[items.aaaaaaaa.label]': 'mine' })
    t.match(some, { status: 422, html: /Harbours: address/ })
    t.match(some.html, /value="mine" checked/, 'an answer stays')
    t.match(formIn((await browser.post(here, { ...page, _back: 'form' })).html, here), { 'items[i1][url]': '/ports' })
    const settled = await browser.post(here, {
      ...page,
      '_settle[items.aaaaaaaa.label]': 'own',
      '_own[items.aaaaaaaa.label]': 'Tales and stories',
      '_settle[items.bbbbbbbb.url]': 'mine',
    })
    t.match(settled, { status: 303, location: /done=saved/ })
    t.match((await app.ask('GET /api/menus/main')).body.data.items, [
      { label: 'Tales and stories', children: [{ label: 'Havens', url: '/ports', children: [{ label: 'Ships' }] }] },
      { label: 'Theirs alone' },
    ])
  }),
)

t.test('the order of a menu is one side’s; a menu that is gone is made again', (t) =>
  panelOf(t, OTHERS, async (t, { browser, app }) => {
    const here = '/admin/menus/main'
    const form = formIn((await browser.get(`${here}/edit`)).html, here)
    const { items } = (await app.ask('GET /api/menus/main')).body.data
    const ids = async () => (await app.ask('GET /api/menus/main')).body.data.items.map(({ label }: { label: string }) => label)
    await app.ask('PUT /api/menus/main', { body: { items: [...items].reverse() } })
    const moved = await browser.post(here, { ...form, do: 'up:bbbbbbbb' })
    const mine = { ...formIn(moved.html, here), label: 'The top', do: '' }
    const answer = await browser.post(here, mine)
    t.match(answer, { status: 409, html: /Order and nesting/ })
    t.match(answer.html, /Harbours {2}→ {2}\/harbours/)
    const page = formIn(answer.html, here)
    t.match(await browser.post(here, { ...page, '_settle[items]': 'mine' }), { status: 303 })
    t.strictSame(await ids(), ['Harbours', 'Stories', 'Boats'])
    t.equal((await app.ask('GET /api/menus/main')).body.data.label, 'The top')

    const late = formIn((await browser.get(`${here}/edit`)).html, here)
    await app.ask('DELETE /api/menus/main')
    const gone = await browser.post(here, { ...late, 'items[i0][label]': 'Late', do: '' })
    t.match(gone, { status: 409, html: /This menu is gone/ })
    t.match(await browser.post(here, formIn(gone.html, here)), { status: 303, location: /done=created/ })
    t.strictSame(await ids(), ['Late', 'Stories', 'Boats'])
  }),
)
