import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const config = {
  site: { name: 'S', url: 'https://example.org', locale: 'en', timezone: 'UTC', content: 'content', templates: 'templates' },
  build: { base_url: null, drafts: false, future: false, urls: 'file' as const },
  features: { sitemap: true, taxonomy: true, search: false },
  media: { types: [] },
}

t.test('check names pages that share a file of a built site, as a build does', (t) => {
  const files = {
    'content/index.md': '---\ntitle: Home\n---\n',
    'content/a.md': '---\ntitle: A\npermalink: /x\n---\n',
    'content/b.md': '---\ntitle: B\npermalink: /x.html\n---\n',
  }
  return eachStore(t, { files }, async (t, opened) => {
    const { site } = publicSite(t, opened, false, { config })
    const found = (await site.remarks()).filter(({ severity }) => severity === 'error')
    t.match(found, [{ file: /^pages\/[ab]$/, message: /is that of x\.html in a built site/, hint: /permalink/ }])
    const { problems } = await site.build('public')
    t.same(
      problems.filter(({ severity }) => severity === 'error'),
      found,
    )
  })
})

t.test('check names pictures that templates lack, each once, with the first page', (t) => {
  const files = {
    'content/index.md': '---\ntitle: Home\n---\n',
    'content/a.md': '---\ntitle: A\n---\n',
    'content/b.md': '---\ntitle: B\n---\n',
  }
  const templates = {
    'templates/site/page.liquid': '{{ page.title }}\n{{ "/none.png" | image }}',
    'templates/site/404.liquid': '{{ "/lost.png" | image }}',
  }
  return eachStore(t, { files }, async (t, opened) => {
    const { site } = publicSite(t, opened, false, { files: templates })
    const found = await site.rendered()
    t.match(
      found.map(({ file, line, message, severity }) => `${severity} ${file}:${line} ${message}`),
      [
        /^warning templates\/site\/404\.liquid:1 The picture "\/lost\.png" .*\/404/,
        /^warning templates\/site\/page\.liquid:2 The picture "\/none\.png" .* \/a /,
      ],
    )
  })
})
