import t from 'tap'
import { keyOf } from '#core/key.ts'
import { formIn } from '#support/page-form.ts'
import { panelOf } from '#support/panel.ts'

const BASE = '/admin/content/posts'
const FILES = {
  'content/posts/words.md': '---\ntitle: Words\ntags: [tides, tides, "Long rope"]\n---\nx\n',
  'content/posts/numbers.md': '---\ntitle: Numbers\ntags: [2026, "a"]\n---\nx\n',
}

t.test('terms are taken away by a tick, and typed', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    const page = await browser.get(`${BASE}/words/edit`)
    t.match(page.html, /<input type="checkbox" name="tags\[\]" value="long-rope" checked>long-rope<\/label>/)
    t.match(page.html, /<input type="text" id="f-tags-more" name="tags\[\]" value=""/)
    const form = formIn(page.html, `${BASE}/words`)
    t.match(await browser.post(`${BASE}/words`, { ...form, 'tags[]': ['', 'long-rope', 'new'], do: 'save' }), { status: 303 })
    t.strictSame((await opened.store.get(keyOf('posts', 'words')))?.fields.tags, ['long-rope', 'new'])
  }),
)

t.test('terms of any sort stay as they are in a form that is sent as it came', (t) =>
  panelOf(t, FILES, async (t, { browser, opened }) => {
    for (const id of ['words', 'numbers']) {
      const before = (await opened.store.get(keyOf('posts', id)))?.version
      const page = await browser.get(`${BASE}/${id}/edit`)
      const answer = await browser.post(`${BASE}/${id}`, { ...formIn(page.html, `${BASE}/${id}`), do: 'save' })
      t.match(answer, { status: 303, location: /done=nothing/ }, id)
      t.equal((await opened.store.get(keyOf('posts', id)))?.version, before, id)
    }
  }),
)
