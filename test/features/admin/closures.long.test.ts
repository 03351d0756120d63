import t from 'tap'
import { Templates } from '#liquid/templates.ts'
import { formIn } from '#support/page-form.ts'
import { PANEL_FEATURES, panelOn } from '#support/panel.ts'
import { pagesFrom } from '#support/panel-pages.ts'
import { openFiles } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { pixels } from '../../media/pictures.ts'

const POST = '---\ntitle: "A & <b>B</b>"\nstatus: published\ntags: [one, two]\nauthor: ada\n---\nText of "a"\r\n\n<i>\n'
const parts = Array.from({ length: 30 }, (_, n) => ({ name: `Part ${n}`, tools: ['a', `<${n}>`] }))

t.test('closures make the bytes of each page of the panel that LiquidJS makes', async (t) => {
  const part = {
    type: 'object',
    fields: { name: { type: 'text', rules: 'required' }, tools: { type: 'list', of: { type: 'text' } } },
  } as const
  const types = plainTypes({
    posts: {
      taxonomies: ['categories', 'tags'],
      fields: { cover: { type: 'media' }, kind: { type: 'select', options: ['a', 'b'] } },
    },
    boats: {
      fields: {
        parts: { type: 'list', of: part },
        owner: { type: 'reference', to: 'posts' },
        at: { type: 'datetime' },
        is: { type: 'boolean' },
      },
    },
  })
  const files = {
    'content/posts/a.md': POST,
    'content/posts/b.md': '---\ntitle: B\nstatus: in_review\n---\nText',
    'content/posts/c.md': '---\ntitle: C\nstatus: published\npublished_at: 2100-01-01\n---\nText',
    'content/posts/broken.md': '---\ntitle: [\n---\n',
    'content/boats/elbe.md': `---json\n${JSON.stringify({ title: 'Elbe', parts, owner: 'a', is: true, extra: { a: [1] } })}\n---\n`,
    'content/taxonomy/categories/coast.yaml': 'name: Coast\n',
    'content/taxonomy/categories/dunes.yaml': 'name: Dunes\nparent: coast\n',
    'content/menus/main.yaml':
      'items:\n  - { id: aaaaaaaa, label: Home, url: /, children: [{ id: bbbbbbbb, record: { type: posts, id: a } }] }\n',
    'content/settings/site.yaml': 'tagline: Of <the> sea\n',
  }
  const beside = { 'content/media/2026/red.png': await pixels().png().toBuffer() }
  const opened = await openFiles({ files, beside, types, history: true })
  t.teardown(opened.close)
  const rendered: { templates: Templates; name: string; data: object; globals?: object; made: string | undefined }[] = []
  const { atOnce } = Templates.prototype
  t.teardown(() => Object.assign(Templates.prototype, { atOnce }))
  Templates.prototype.atOnce = function (name, data, globals) {
    this.atOnceMs = Number.POSITIVE_INFINITY
    const made = atOnce.call(this, name, data, globals)
    if ('csrf' in data) rendered.push({ templates: this, name, data, ...(globals && { globals }), made })
    return made
  }
  const { browser, app } = await panelOn(t, opened, { config: { features: PANEL_FEATURES } })
  await app.ask('PUT /api/cms/posts/a', { body: { title: 'Another', body: 'Other words\n' } })
  const isAgain = (url: string) => /[?&](?:sort|against)=/.test(url)
  for await (const { url, status } of pagesFrom(browser, ['/admin'], isAgain)) t.ok(status < 500, url)
  const here = '/admin/content/boats/elbe'
  const form = formIn((await browser.get(`${here}/edit`)).html, here)
  await browser.post(here, { ...form, 'parts[3][name]': '', at: 'x', do: 'save' })
  await browser.post(here, { ...form, do: 'add:parts' })
  await app.ask('PUT /api/cms/boats/elbe', { body: { title: 'Theirs' } })
  await browser.post(here, { ...form, title: 'Mine', do: 'save' })
  for (const action of ['add', 'delete', 'publish', 'nothing'])
    await browser.post('/admin/content/posts', { _method: 'PUT', 'ids[]': ['a', 'broken'], action })
  await browser.post('/admin/logout')
  for (const url of ['/admin/login', '/admin/verify', '/admin/none', '/admin/login/link?token=x']) await browser.get(url)
  Templates.prototype.atOnce = () => undefined
  for (const { templates, name, data, globals, made } of rendered)
    t.ok(made === (await templates.render(name, data, globals)), `${name}: ${'path' in data ? data.path : ''}`)
  const shown = new Set(rendered.map(({ name }) => name))
  t.ok(shown.size > 20, `${shown.size} templates: ${[...shown].join(' ')}`)
})
