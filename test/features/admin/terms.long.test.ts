import t from 'tap'
import { keyOf } from '#core/key.ts'
import { decoded, formIn, tagsOf } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'

const HERE = '/admin/categories'
const FILES = {
  'content/posts/one.md': '---\ntitle: One\ncategories: [spring, Loose]\n---\nText.\n',
  'content/taxonomy/categories/sea.yaml': 'name: Sea # kept\n',
  'content/taxonomy/categories/tides.yaml': 'name: Tides\nparent: sea\n',
  'content/taxonomy/categories/spring.yaml': 'name: Spring tides\nparent: tides\n',
  'content/taxonomy/categories/boats.yaml': 'name: Boats <b>\n',
}

/** The terms of a page as it draws them, each as deep as it is. */
const drawn = (html: string) =>
  [...tagsOf(html)]
    .filter(({ attributes }) => attributes.has('data-item'))
    .map(({ attributes }) => `${'-'.repeat(Number(attributes.get('data-depth')))}${attributes.get('data-item')}`)

/** What a button of a term sends. */
const placeOf = (html: string, id: string, way: string) =>
  [...tagsOf(html)].find(
    ({ name, attributes }) =>
      name === 'button' && attributes.get('data-way') === way && attributes.get('formaction') === `${HERE}/${id}/place`,
  )?.attributes

const term = (id: string) => keyOf('taxonomy/categories', id)

t.test('terms that nest are a tree, and are put in and out by buttons', (t) =>
  panelOf(t, FILES, async (t, { browser, opened, as }) => {
    const page = await browser.get(HERE)
    t.strictSame(drawn(page.html), ['boats', 'loose', 'sea', '-tides', '--spring'])
    t.notMatch(page.html, 'Boats <b>')
    t.ok(placeOf(page.html, 'boats', 'in')?.has('disabled'), 'nothing is before it')
    t.ok(placeOf(page.html, 'boats', 'out')?.has('disabled'))
    const place = placeOf(page.html, 'sea', 'in')?.get('value') ?? ''
    const moved = await browser.post(`${HERE}/sea/place`, { place, page: '1' })
    t.match(moved, { status: 303, location: /done=placed.*#term-sea$/ })
    t.equal((await opened.store.get(term('sea')))?.source?.toString(), 'name: Sea # kept\nparent: loose\n')
    const after = await browser.get((moved.location ?? '').split('#', 1)[0] ?? '')
    t.strictSame(drawn(after.html), ['boats', 'loose', '-sea', '--tides', '---spring'])
    t.match(decoded(after.html), 'Sea is below Loose now.')

    const undo = formIn(after.html, `${HERE}/sea/place`)
    t.match(await browser.post(`${HERE}/sea/place`, undo), { status: 303, location: /done=placed/ })
    t.equal((await opened.store.get(term('sea')))?.fields.parent, undefined, 'taken back')

    const stale = await browser.post(`${HERE}/sea/place`, { place, page: '1' })
    t.match(stale, { status: 303 }, 'it is again where it began')
    t.equal((await browser.post(`${HERE}/sea/place`, { place: '/spring', page: '1' })).status, 422, 'no circle')
    t.match((await browser.get(`${HERE}?q=spr`)).html, 'Spring tides')
    const { browser: author } = await as('author')
    const read = await author.get(HERE)
    t.strictSame([drawn(read.html).length > 3, read.html.includes('data-way')], [true, false])
    t.equal((await author.post(`${HERE}/sea/place`, { place: '/boats' })).status, 403)
  }),
)

t.test('a term that was moved meanwhile is not moved again unseen', (t) =>
  panelOf(t, FILES, async (t, { browser, app, opened }) => {
    const page = await browser.get(HERE)
    const out = placeOf(page.html, 'spring', 'out')?.get('value') ?? ''
    await app.ask('PUT /api/cms/taxonomy/categories/spring', { body: { parent: 'boats' } })
    const answer = await browser.post(`${HERE}/spring/place`, { place: out, page: '1' })
    t.match(answer, { status: 409, html: /Others changed the same|is not known any more/ })
    t.strictSame(drawn(answer.html), ['boats', '-spring', 'loose', 'sea', '-tides'], 'as it is now')
    t.equal((await opened.store.get(term('spring')))?.fields.parent, 'boats')
  }),
)

t.test('a term is renamed in the tree, and merged into another', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const page = await browser.get(HERE)
    const action = `${HERE}/tides/rename`
    const form = formIn(page.html, action)
    t.match(await browser.post(action, { ...form, name: 'Ebb and flow' }), { status: 303, location: /done=saved/ })
    t.equal((await opened.store.get(term('tides')))?.fields.name, 'Ebb and flow')
    const wrong = await browser.post(action, { ...formIn((await browser.get(HERE)).html, action), name: 'x'.repeat(201) })
    t.equal(wrong.status, 422)
    t.equal(formIn(wrong.html, action).name, 'x'.repeat(201), 'what was typed stays')

    const ask = await browser.get(`${HERE}/spring/delete?merge=true`)
    t.match(ask.html, /Merge Spring tides into another/)
    const open = await browser.post(`${HERE}/spring`, formIn(ask.html, `${HERE}/spring`))
    t.match(open, { status: 422, html: /Choose the category that takes its place/ })
    t.match(await browser.post(`${HERE}/spring`, { ...formIn(ask.html, `${HERE}/spring`), replace_with: 'boats' }), {
      status: 303,
    })
    t.strictSame((await opened.store.get(keyOf('posts', 'one')))?.fields.categories, ['boats', 'loose'])
    t.equal(await opened.store.get(term('spring')), undefined)
  }),
)

t.test('terms that files put in a circle are all there', (t) =>
  panelOf(
    t,
    {
      'content/posts/one.md': FILES['content/posts/one.md'],
      'content/taxonomy/categories/a.yaml': 'name: A\nparent: b\n',
      'content/taxonomy/categories/b.yaml': 'name: B\nparent: a\n',
    },
    async (t, { browser }) => {
      t.strictSame(
        drawn((await browser.get(HERE)).html)
          .map((one) => one.replaceAll('-', ''))
          .sort(),
        ['a', 'b', 'loose', 'spring'],
      )
    },
  ),
)
