import t from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'
import { BY } from '#support/signing-in.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({
  authors: { fields: {} },
  posts: {
    fields: {
      author: { type: 'reference', to: 'authors' },
      related: { type: 'reference', to: 'posts' },
      team: { type: 'reference', to: 'authors', multiple: true },
      parts: { type: 'list', of: { type: 'object', fields: { by: { type: 'reference', to: 'authors' } } } },
    },
  },
})
const POSTS = '/admin/content/posts'
const FILES = {
  'content/authors/mara.yaml': 'title: Mara <b>Lindqvist</b>\n',
  'content/authors/bo.yaml': 'title: Bo\n',
  'content/posts/one.md': '---\ntitle: One\nauthor: bo\nteam: [mara, gone]\nparts: [{ by: bo }]\n---\nx\n',
  'content/posts/left.md': '---\ntitle: Left\nauthor: somebody\n---\nx\n',
  'content/posts/secret.md': '---\ntitle: A secret plan\nstatus: draft\nauthor: mara\n---\nx\n',
}

/** The options of the select of a field: values with labels, the chosen one with a star. */
function optionsIn(html: string, name: string): string[] {
  const [, select = ''] = html.split(`name="${name}"`)
  return [...(select.split('</select>')[0] ?? '').matchAll(/<option value="([^"]*)"( selected)?>([^<]*)</g)].map(
    ([, value, chosen, label]) => `${value}: ${label}${chosen ? ' *' : ''}`,
  )
}

t.test('a list names what its references lead to', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser }) => {
      const { html } = await browser.get(`${POSTS}?columns=author,team`)
      t.match(html, />Mara &lt;b&gt;Lindqvist&lt;\/b&gt;, gone</, 'what is not there goes by its id')
      t.match(html, /title="Bo">Bo</)
      t.match(html, /title="somebody">somebody</)
      t.notMatch(html, />bo</)
    },
    { site: { types } },
  ),
)

t.test('a reference is chosen by title, where there are few', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened, ada }) => {
      const fresh = await browser.get(`${POSTS}/create`)
      const names = ['bo: Bo', 'mara: Mara &lt;b&gt;Lindqvist&lt;/b&gt;']
      t.strictSame(optionsIn(fresh.html, 'author'), [': You (Ada) *', ...names, `${ada.handle}: Ada (you)`])
      t.match(fresh.html, /<a href="\/admin\/content\/authors\/create" target="_blank">New author<\/a>/)
      const page = await browser.get(`${POSTS}/one/edit`)
      t.strictSame(optionsIn(page.html, 'author'), [': ', 'bo: Bo *', names[1], `${ada.handle}: Ada (you)`])
      t.strictSame(optionsIn(page.html, 'parts[0][by]'), [': ', 'bo: Bo *', names[1]])
      t.match(page.html, /name="team\[\]" value="mara" checked>Mara &lt;b&gt;Lindqvist&lt;\/b&gt;<\/label>/)
      t.match(page.html, /name="team\[\]" value="gone" checked>gone<\/label>/)
      t.match(page.html, /<datalist id="f-team-known"><option value="bo">Bo<\/option>/)

      const left = await browser.get(`${POSTS}/left/edit`)
      t.match(optionsIn(left.html, 'author')[1], 'somebody: somebody *', 'what is no record stays chosen')
      const same = await browser.post(`${POSTS}/left`, { ...formIn(left.html, `${POSTS}/left`), do: 'save' })
      t.match(same, { status: 303, location: /done=nothing/ })
      const given = await browser.post(`${POSTS}/left`, { ...formIn(left.html, `${POSTS}/left`), author: 'mara', do: 'save' })
      t.equal(given.status, 303)
      t.equal((await opened.store.get(keyOf('posts', 'left')))?.fields.author, 'mara')

      const form = formIn(page.html, `${POSTS}/one`)
      const wrong = await browser.post(`${POSTS}/one`, { ...form, 'team[]': ['mara', 'nobody'], do: 'save' })
      t.equal(wrong.status, 422)
      t.match(wrong.html, /there is no &#34;nobody&#34; in authors/)
      t.match(wrong.html, /There are Bo \(bo\), Mara &lt;b&gt;Lindqvist&lt;\/b&gt; \(mara\)\./)
    },
    { site: { types } },
  ),
)

t.test('what a reader may not see is not offered', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      t.match((await browser.get(`${POSTS}/create`)).html, /A secret plan/)
      t.match(
        (await browser.get(`${POSTS}/offered?q=SECRET`)).html,
        /^\{"data":\[\{"value":"secret","label":"A secret plan"\}\],"total":1\}$/,
      )
      const { browser: other } = await as('author')
      const page = await other.get(`${POSTS}/create`)
      t.match(page.html, /<option value="one">One<\/option>/)
      t.notMatch(page.html, /secret/)
      t.match(await other.get(`${POSTS}/offered?q=secret`), { status: 200, html: '{"data":[],"total":0}' })
      t.notMatch((await other.get(`${POSTS}/offered`)).html, /secret/)
      const { browser: viewer } = await as('viewer')
      t.notMatch((await viewer.get(`${POSTS}/one/edit`)).html, /New author/)
      t.equal((await viewer.get('/admin/users/offered')).status, 404)
      t.equal((await browser.get(`${POSTS}/offered?q=${'x'.repeat(257)}`)).status, 422)
    },
    { site: { types } },
  ),
)

t.test('where there are many, titles are suggested, and found by words of theirs', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, opened }) => {
      const changes = Array.from({ length: 120 }, (_, n): Change => {
        const id = `p${String(n).padStart(3, '0')}`
        return { key: keyOf('authors', id), put: { set: { title: `Person ${n}` } } }
      })
      await opened.store.write([...changes, { key: keyOf('authors', 'zoe'), put: { set: { title: 'Zoë Quist' } } }], BY)
      await opened.store.write([{ key: keyOf('posts', 'one'), put: { set: { author: 'zoe' } } }], BY)
      const page = await browser.get(`${POSTS}/one/edit`)
      t.match(
        page.html,
        /<input type="text"[^>]*name="author"[^>]*value="zoe"[^>]*list="f-author-known" data-offered="\/admin\/content\/authors\/offered"/,
      )
      t.match(page.html, /<p class="hint">Zoë Quist<\/p>/)
      const suggested = [...page.html.matchAll(/<option value="p\d+">Person/g)].length
      t.ok(suggested > 0 && suggested <= 4 * 100, `${suggested} names`)
      const found = await browser.get('/admin/content/authors/offered?q=zoe')
      t.match(found.html, /"data":\[\{"value":"zoe","label":"Zoë Quist"\}\],"total":1/, 'accents and case aside')
      const wrong = await browser.post(`${POSTS}/one`, { ...formIn(page.html, `${POSTS}/one`), author: 'Zoe', do: 'save' })
      t.match(wrong, { status: 422, html: /Type a part of its title and choose one/ })
      const saved = await browser.post(`${POSTS}/one`, { ...formIn(page.html, `${POSTS}/one`), author: 'p119', do: 'save' })
      t.equal(saved.status, 303)
      t.equal((await opened.store.get(keyOf('posts', 'one')))?.fields.author, 'p119')
    },
    { site: { types } },
  ),
)

t.test('a list with many references names what there is within bounds', (t) =>
  panelOf(
    t,
    { ...FILES, 'content/posts/long.md': `---\ntitle: Long\nparts: [${'{ by: bo }, '.repeat(200)}]\n---\nx\n` },
    async (t, { browser, opened }) => {
      const changes = Array.from(
        { length: 90 },
        (_, n): Change => ({ key: keyOf('authors', `p${n}`), put: { set: { title: `P ${n}` } } }),
      )
      await opened.store.write(changes, BY)
      const { html } = await browser.get(`${POSTS}/long/edit`)
      t.ok((html.match(/<option/g) ?? []).length < 11_000)
      t.match(html, /name="parts\[199\]\[by\]"[^>]*value="bo"/, 'the last ones are typed')
      const form = formIn(html, `${POSTS}/long`)
      t.match(await browser.post(`${POSTS}/long`, { ...form, do: 'save' }), { status: 303, location: /done=nothing/ })
    },
    { site: { types } },
  ),
)

t.test('terms are found by words of their names', (t) =>
  panelOf(t, { 'content/posts/a.md': '---\ntitle: A\ntags: [Long rope, Oak]\n---\nx\n' }, async (t, { browser }) => {
    t.match((await browser.get(`${POSTS}/a/edit`)).html, /name="tags\[\]" value=""[^>]*data-offered="\/admin\/tags\/offered"/)
    t.match(
      (await browser.get('/admin/tags/offered?q=rope')).html,
      /^\{"data":\[\{"value":"long-rope","label":"Long rope"\}\],"total":1\}$/,
    )
  }),
)
