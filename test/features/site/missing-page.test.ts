import { readFileSync } from 'node:fs'
import t from 'tap'
import { TestApp } from '#support/app.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const FILES = {
  'content/index.md': '---\ntitle: Home\n---\n',
  'content/posts/a.md': '---\ntitle: A\n---\n',
  'content/posts/b.md': '---\ntitle: B\ndraft: true\n---\n',
  'content/drafts/c.md': '---\ntitle: C\ndraft: true\n---\n',
}
const site = {
  name: 'Site',
  url: 'https://example.org/repo',
  locale: 'en',
  timezone: 'UTC',
  content: 'content',
  templates: 'templates',
}
const config = {
  site,
  build: { base_url: null, drafts: false, future: false },
  features: { sitemap: true, taxonomy: true, search: true },
  media: { types: [] },
}

t.test('the page for what is not there leads on: home, to the search and to the lists', (t) =>
  eachStore(t, { files: FILES }, async (t, opened) => {
    const { site, html, folder } = publicSite(t, opened, true, { config })
    const page = await html('/repo/nothing')
    t.match(page, '<meta name="robots" content="noindex">')
    t.notMatch(page, 'rel="canonical"')
    t.match(page, '<a href="/repo/">Start at the front page.</a>')
    t.match(page, '<form class="search" role="search" action="/repo/search"')
    t.match(page, '<li><a href="/repo/posts">Posts</a> <span class="count">1</span></li>')
    t.notMatch(page, /drafts/i)
    await site.build('public')
    t.equal(readFileSync(folder.path('public/404.html'), 'utf8'), page, 'as it is built')
    t.notMatch(await publicSite(t, opened).html('/nothing'), '<form class="search"', 'without a search')
    const app = new TestApp(opened, { config: { features: { site: true } } })
    t.teardown(() => app.close())
    t.match(await app.bare('GET /nothing'), { status: 404, text: /This page is not here/ })
    t.match(await app.bare('HEAD /nothing'), { status: 404, text: '' })
  }),
)
