import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Site } from '#features/site/site.ts'
import { makeSite } from '#support/sites.ts'
import { eachStore } from '#support/stores.ts'

const TEMPLATES = fileURLToPath(new URL('../../../templates/site/', import.meta.url))
const HEAD = '---\ntitle: T\ndate: 2024-01-01\nexcerpt: In short\n---\n'

t.test('the feed holds a text whole, and one that is long by its excerpt', (t) => {
  const files = {
    'content/posts/short.md': `${HEAD}Whole & sound.\n`,
    'content/posts/long.md': `${HEAD}${'A word. '.repeat(10_000)}\n`,
    'content/posts/grows.md': `${HEAD}${'|a|b|\n|-|-|\n'}${'|a|b|\n'.repeat(5_000)}`,
  }
  return eachStore(t, { files }, async (t, { store, types, clock }) => {
    const folder = makeSite()
    t.teardown(() => folder.remove())
    const site = new Site({
      ...{ root: folder.root, store, types, clock },
      config: {
        site: {
          name: 'Site',
          url: 'https://example.org',
          locale: 'en',
          timezone: 'UTC',
          content: 'content',
          templates: 'templates',
        },
        build: { base_url: null, drafts: false, future: false },
        features: { sitemap: true, taxonomy: true, search: false },
      },
      templatesDir: TEMPLATES,
      ownTemplatesDir: folder.path('templates'),
    })
    t.teardown(() => site.close())
    const xml = String((await site.page('/feed.xml')).body)
    const entries = new Map(xml.split('<entry>').map((entry) => [/posts\/(\w+)/.exec(entry)?.[1], entry]))
    t.match(entries.get('short'), '<content type="html">&lt;p&gt;Whole &amp;amp; sound.&lt;/p&gt;')
    for (const id of ['long', 'grows']) {
      t.match(entries.get(id), '<summary>In short</summary>')
      t.notMatch(entries.get(id), '<content')
    }
    t.ok(xml.length < 10_000, `${xml.length} characters`)
  })
})
