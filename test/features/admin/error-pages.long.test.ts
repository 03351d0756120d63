import t from 'tap'
import { panelOf } from '#support/panel.ts'

const BASE = '/admin/content/posts'
const FILES = {
  'content/posts/winter-lay-up.md': '---\ntitle: Winter lay-up\nstatus: draft\n---\nText.\n',
  'content/posts/broken.md': '---\ntitle: [\n---\n',
}
const GIVEN = { site: { history: true } } as const

t.test('a page of what is not there says what was asked for, what is close to it, and the way on', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      const { status, html } = await browser.get(`${BASE}/winter-%3Clayup/edit`)
      t.equal(status, 404)
      t.match(html, /There is no post with the id <code>winter-&lt;layup<\/code>/)
      t.match(html, `Close to it: <a href="${BASE}/winter-lay-up/edit">Winter lay-up</a>`)
      t.match(html, /class="button primary" href="\/admin\/content\/posts">All posts</)
      t.match(html, `href="${BASE}?deleted=true"`)
      t.match((await browser.get('/admin/tags/none/edit')).html, /There is no tag with the id <code>none</)
      const { browser: viewer } = await as('viewer')
      const theirs = await viewer.get(`${BASE}/winter-layup/edit`)
      t.notMatch(theirs.html, /Winter lay-up|deleted=true/, 'nothing that they may not see is close to it')
      t.equal((await viewer.get('/admin/users/x/edit')).html.includes('users'), false)
    },
    GIVEN,
  ),
)

t.test('the page of a record that can’t be read says where, and leads on', (t) =>
  panelOf(
    t,
    FILES,
    async (t, { browser, as }) => {
      const { status, html } = await browser.get(`${BASE}/broken/edit`)
      t.equal(status, 422)
      t.match(html, /<h1>This file can’t be read<\/h1>[\s\S]*broken[\s\S]*All posts/)
      const { browser: viewer } = await as('viewer')
      t.notMatch((await viewer.get(`${BASE}/broken/edit`)).html, 'broken.md')
    },
    GIVEN,
  ),
)

t.test('an address that answers another method says so', (t) =>
  panelOf(t, FILES, async (t, { browser }) => {
    await browser.get(BASE)
    for (const [method, url, allow] of [
      ['GET', '/admin/logout', 'POST'],
      ['GET', '/admin/account/password', 'PUT'],
      ['POST', '/admin/problems', 'GET'],
      ['POST', '/admin/account', 'GET, PUT'],
    ] as const) {
      const { status, html, headers } = method === 'GET' ? await browser.get(url) : await browser.post(url)
      t.match([status, headers.allow], [405, allow], `${method} ${url}`)
      t.match(html, /<h1>This can’t be done here<\/h1>/)
    }
    for (const url of ['/admin/nothing', '/admin/content/nothing', '/admin/nothing/x/edit'])
      t.equal((await browser.get(url)).status, 404, url)
  }),
)
