import fc from 'fast-check'
import t from 'tap'
import { keyOf } from '#core/key.ts'
import { DEEPEST_ITEM, type FlatItem, flatItems, type Move, moved, movesOf, treeOf } from '#features/admin/menus/flat-menu.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'

const FILES = {
  'content/posts/hello.md': '---\ntitle: Hello\n---\nText.\n',
  'content/menus/main.yaml': `# The links at the top
items:
  - id: aaaaaaaa
    label: Stories # a remark
    url: /stories
  - id: bbbbbbbb
    label: Harbours
    url: /harbours
  - id: cccccccc
    record: posts/hello
`,
}
const HERE = '/admin/menus/main'

const flat = (...items: [id: string, depth: number][]): FlatItem[] =>
  items.map(([id, depth]) => ({ id, depth, label: id, url: `/${id}`, record: '', isNewTab: false }))

const names = (items: readonly FlatItem[]) => items.map(({ id, depth }) => `${'-'.repeat(depth)}${id}`).join(' ')

t.test('an item moves with all that is below it', async (t) => {
  const items = flat(['a', 0], ['b', 1], ['c', 2], ['d', 0], ['e', 1])
  t.equal(names(moved(items, 'd', 'up')), 'd -e a -b --c')
  t.equal(names(moved(items, 'a', 'down')), 'd -e a -b --c')
  t.equal(names(moved(items, 'd', 'in')), 'a -b --c -d --e')
  t.equal(names(moved(items, 'b', 'out')), 'a b -c d -e')
  t.equal(names(moved(items, 'a', 'remove')), 'd -e')
  t.equal(names(moved(items, 'a', 'up')), names(items), 'at the end nothing changes')
})

t.test('whatever is moved, no item is lost, and each has a parent', async (t) => {
  const step = fc.tuple(fc.nat(7), fc.constantFrom<Move>('up', 'down', 'in', 'out'))
  const story = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    let items = flat(['0', 0], ['1', 1], ['2', 2], ['3', 2], ['4', 0], ['5', 1], ['6', 0], ['7', 1])
    for (const [n, move] of steps) {
      const id = String(n)
      const can = movesOf(items, id)
      const next = moved(items, id, move)
      if (can[move as keyof typeof can] === (names(next) === names(items))) throw new Error(`${move} ${id} of ${names(items)}`)
      if (move === 'up' && can.up && names(moved(next, id, 'down')) !== names(items))
        throw new Error(`up and down: ${names(items)}`)
      items = next
      const isTree = items.every(({ depth }, at) => depth <= (items[at - 1]?.depth ?? -1) + 1 && depth <= DEEPEST_ITEM)
      if (!isTree || new Set(items.map((item) => item.id)).size !== 8) throw new Error(names(items))
      if (names(flatItems(treeOf(items))) !== names(items)) throw new Error(`there and back: ${names(items)}`)
    }
  })
  t.doesNotThrow(() => fc.assert(story, { numRuns: 500 }))
})

t.test('a menu is nested by buttons, and nothing is saved before Save', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const key = keyOf('menus', 'main')
    const before = (await opened.store.get(key))?.version
    const page = await browser.get(`${HERE}/edit`)
    t.match(await browser.post(HERE, { ...formIn(page.html, HERE), do: '' }), { status: 303, location: /done=nothing/ })
    const nested = await browser.post(HERE, { ...formIn(page.html, HERE), do: 'in:bbbbbbbb' })
    t.match(nested, { status: 200, html: /Unsaved: Harbours, now first under Stories/ })
    const more = await browser.post(HERE, {
      ...formIn(nested.html, HERE),
      'add[label]': 'Boats',
      'add[url]': '/boats',
      do: 'add',
    })
    t.equal((await opened.store.get(key))?.version, before, 'nothing is saved yet')
    t.match(await browser.post(HERE, { ...formIn(more.html, HERE), do: '' }), { status: 303, location: /done=saved/ })
    const items = (await opened.store.get(key))?.fields.items
    t.match(items, [
      { id: 'aaaaaaaa', label: 'Stories', children: [{ id: 'bbbbbbbb' }] },
      { id: 'cccccccc' },
      { label: 'Boats', url: '/boats' },
    ])
    const again = await browser.get(`${HERE}/edit`)
    const wrong = await browser.post(HERE, { ...formIn(again.html, HERE), 'items[i0][record]': 'posts/none', do: '' })
    t.equal(wrong.status, 422)
    t.match(formIn(wrong.html, HERE), { 'items[i0][record]': 'posts/none' })
    t.match(wrong.html, '<a href="#f-items-0-record">Stories: ', 'the summary leads to the field')
    const deep = await browser.post(HERE, { ...formIn(again.html, HERE), 'items[i1][url]': 'javascript:x', do: '' })
    t.match(
      deep.html,
      /<details[^>]* open>[\s\S]*id="f-items-1-url"[^>]* aria-invalid="true"/,
      'of one that is below another, too',
    )
    t.equal(deep.html.match(/<details class="tree-edit[^>]* open>/g)?.length, 1)
  }),
)

t.test('who may not write menus reads them', (t) =>
  panelOf(t, FILES, async (t, { as }) => {
    const { browser } = await as('author')
    t.equal((await browser.get(`${HERE}/edit`)).status, 200)
    const refused = await browser.post(HERE, { _method: 'PUT', base: '0'.repeat(40), do: '' })
    t.equal(refused.status, 403)
  }),
)

t.test('a link to a record goes by its title, and says where there is none', (t) =>
  panelOf(
    t,
    {
      ...FILES,
      'content/menus/foot.yaml': 'items:\n  - record: {type: posts, id: hello}\n  - record: {type: posts, id: gone}\n',
    },
    async (t, { browser }) => {
      const { html } = await browser.get('/admin/menus/foot/edit')
      t.match(html, /<b>Hello<\/b>/)
      t.match(html, /posts\/gone: there is no such record/)
      t.equal(html.split('there is no such record').length, 2)
    },
  ),
)
