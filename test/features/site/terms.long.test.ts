import fc from 'fast-check'
import t, { type Test } from 'tap'
import { localAccess } from '#core/access/access.ts'
import { keyOf } from '#core/key.ts'
import { TermStore } from '#core/terms/store.ts'
import type { Taxonomy } from '#core/types/content-type.ts'
import { TermKin, type TermLink, type TermListing } from '#features/site/outline/terms.ts'
import { Terms } from '#features/taxonomy/terms.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore, type OpenedStore } from '#support/stores.ts'

const access = localAccess({ name: 'Test', email: 'test@example.org' })
const CATEGORIES: Taxonomy = { name: 'categories', singular: 'category', hierarchical: true }

const FILES = {
  'content/posts/a.md': '---\ntitle: A\ncategories: [Berlin]\ntags: [news, x]\n---\n',
  'content/posts/b.md': '---\ntitle: B\ncategories: [germany]\n---\n',
  'content/posts/d.md': '---\ntitle: D\ncategories: [hidden]\nstatus: draft\n---\n',
  'content/taxonomy/categories/europe.yaml': 'name: Europe & more\ndescription: All <of> it.\n',
  'content/taxonomy/categories/Germany.yaml': 'name: Germany\nparent: Europe\n',
  'content/taxonomy/categories/berlin.yaml': 'name: Berlin\nparent: germany\n',
  'content/taxonomy/tags/news.yaml': 'name: News\nparent: x\n',
}

function siteOn(t: Test, opened: OpenedStore) {
  const { types, clock } = opened
  // As a site is opened.
  const store = new TermStore(opened.store, types, clock)
  return { store, ...publicSite(t, { store, types, clock }) }
}

t.test('a record is on the page of the declared term that its file says by its name', (t) =>
  eachStore(
    t,
    {
      files: {
        'content/posts/a.md': '---\ntitle: First\ntags: [Guides]\n---\n',
        'content/posts/b.md': '---\ntitle: Second\ntags: [guide]\n---\n',
        'content/taxonomy/tags/guide.yaml': 'name: Guides\n',
      },
    },
    async (t, opened) => {
      const { html, site, store } = siteOn(t, opened)
      for (const title of ['First', 'Second']) t.match(await html('/tags/guide'), `>${title}<`)
      t.equal((await site.page('/tags/guides')).status, 404)
      const change = { key: keyOf('taxonomy/tags', 'guide'), put: { set: { name: 'How-tos' } } }
      await store.write([change], { name: 'Ada', email: 'ada@example.org' })
      t.notMatch(await html('/tags/guide'), '>First<', 'and where the name changes by hand it is another')
      t.match(await html('/tags/guides'), '>First<')
    },
  ),
)

t.test('a term that no file declares is called as the records with a page call it most often', (t) =>
  eachStore(
    t,
    {
      files: {
        'content/posts/a.md': '---\ntitle: A\ntags: [Node.js]\ncategory: Berlin\n---\n',
        'content/posts/b.md': '---\ntitle: B\ntags: [node.js, "R&D <lab>"]\n---\n',
        'content/posts/c.md': '---\ntitle: C\ntags: [node-js]\n---\n',
        'content/posts/away.md': '---\ntitle: Away\ntags: [Node.js, Only Here, guide]\nunlisted: true\n---\n',
        'content/posts/d.md': '---\ntitle: D\ntags: [NODE.JS]\nstatus: draft\n---\n',
        'content/posts/e.md': '---\ntitle: E\ntags: [NODE.JS]\ndate: 2100-01-01\n---\n',
        'content/posts/f.md': '---\ntitle: F\ntags: [NODE.JS]\nexpires_at: 2001-01-01\n---\n',
        'content/taxonomy/tags/guide.yaml': 'name: Guides\n',
        'content/taxonomy/categories/berlin.yaml': 'parent: Deutschland & Co.\n',
      },
    },
    async (t, opened) => {
      const { html, store } = siteOn(t, opened)
      t.match(await html('/tags/node-js'), '<h1>Node.js</h1>')
      t.match(await html('/tags'), />Node\.js</)
      t.match(await html('/tags'), />R&amp;D &lt;lab&gt;</)
      t.match(await html('/posts/c'), />Node\.js</, 'also where its own file calls it otherwise')
      for (const path of ['/tags', '/tags/node-js', '/posts/a', '/feed.xml']) t.notMatch(await html(path), 'NODE.JS', path)
      t.match(await html('/categories/berlin'), '<a href="/categories/deutschland-and-co">Deutschland &amp; Co.</a>')
      const away = await html('/posts/away')
      t.match(away, />Only Here</, 'a term without a page has its name, too')
      t.match(away, />Guides</)
      const publish = { key: keyOf('posts', 'd'), put: { set: { status: 'published' } } }
      const unexpire = { key: keyOf('posts', 'f'), put: { set: { expires_at: null } } }
      const more = { key: keyOf('posts', 'g'), put: { set: { title: 'G', status: 'published', tags: ['NODE.JS'] } } }
      await store.write([publish, unexpire, more], { name: 'Ada', email: 'ada@example.org' })
      t.match(await html('/tags/node-js'), '<h1>NODE.JS</h1>')
      t.match(await html('/posts/c'), />NODE\.JS</)
    },
  ),
)

t.test('pages of terms show what is above and below, with descriptions and counts', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const { html, site } = siteOn(t, opened)
    t.match(await html('/categories/europe'), /<h1>Europe &amp; more<\/h1>\n<p class="standfirst">All &lt;of&gt; it\.<\/p>/)
    t.match(await html('/categories/europe'), /href="\/categories\/germany">Germany <span class="count">2</)
    const berlin = await html('/categories/berlin')
    t.match(berlin, /Category · <a href="\/categories\/europe">Europe &amp; more<\/a> · <a href="\/categories\/germany">Germany</)
    t.match(berlin, />A</)
    t.notMatch(berlin, />B</)
    const all = (await html('/categories')).replaceAll(/\n/g, '')
    t.match(
      all,
      /Europe &amp; more<\/a> <span class="count">2<.*<ul><li><a href="\/categories\/germany">.*<ul><li><a href="\/categories\/berlin">/,
    )
    t.notMatch(all, /hidden/)
    t.notMatch(await html('/tags/news'), /href="\/tags\/x"/, 'what is not hierarchical has nothing above it')
    t.equal((await site.page('/categories/hidden')).status, 404)
  }),
)

t.test('the page of a term that was renamed or merged leads on', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const { site } = siteOn(t, opened)
    const terms = new Terms(opened)
    t.equal((await site.page('/categories/germany')).status, 200)
    await terms.update(access, 'categories', 'germany', { slug: 'deutschland' })
    t.match(await site.page('/categories/germany'), { status: 308, location: '/categories/deutschland' })
    await terms.remove(access, 'categories', 'deutschland', { replaceWith: 'berlin' })
    for (const old of ['germany', 'deutschland'])
      t.match(await site.page(`/categories/${old}`), { status: 308, location: '/categories/berlin' })
    await terms.update(access, 'tags', 'x', { slug: 'y' })
    t.match(await site.page('/tags/x'), { status: 308, location: '/tags/y' })
  }),
)

const listing = (id: string, parent: string | undefined): TermListing => ({
  ...{
    url: `/categories/${id}`,
    entries: [],
    taxonomy: CATEGORIES,
    id,
    name: id,
    description: '',
    parent,
    aliases: [],
    perPage: 10,
    feedLimit: 20,
  },
})

function namesIn(tree: readonly TermLink[]): string[] {
  return tree.flatMap(({ name, children }) => [name, ...namesIn(children)])
}

function depthOf(tree: readonly TermLink[]): number {
  return tree.length === 0 ? 0 : 1 + Math.max(...tree.map(({ children }) => depthOf(children)))
}

t.test('a tree has each term once, whatever is said to be above it', async (t) => {
  const id = fc.integer({ min: 0, max: 11 }).map((n) => `t${n}`)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ id, parent: fc.option(id, { nil: undefined }) }), { selector: (one) => one.id }),
      async (made) => {
        const terms = made.map((one) => listing(one.id, one.parent === one.id ? undefined : one.parent))
        const kin = new TermKin(terms)
        t.same(namesIn(kin.tree(terms, (url) => url)).sort(), terms.map((term) => term.id).sort())
        for (const term of terms) kin.around(term, (url) => url)
      },
    ),
  )
})

t.test('ten thousand terms each below the last are a tree that can be shown', async (t) => {
  const terms = Array.from({ length: 10_000 }, (_, n) => listing(`t${n}`, n === 0 ? undefined : `t${n - 1}`))
  const kin = new TermKin(terms)
  const tree = kin.tree(terms, (url) => `/base${url}`)
  t.same([namesIn(tree).length, depthOf(tree)], [10_000, 8])
  t.equal(kin.around(terms.at(-1) as TermListing, (url) => url).parents.length, 31)
  t.equal(tree[0]?.url, '/base/categories/t0')
})
