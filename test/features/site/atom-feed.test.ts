import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'

const HEAD = '---\ntitle: T\ndate: 2024-01-01\nexcerpt: In short\n---\n'

t.test('the feed holds a text whole, and one that is long by its excerpt', (t) => {
  const files = {
    'content/posts/short.md': `${HEAD}Whole & sound.\n`,
    'content/posts/long.md': `${HEAD}${'A word. '.repeat(10_000)}\n`,
    'content/posts/left.md': `${HEAD}<!-- ${'A word. '.repeat(10_000)} -->\n\nShort.\n`,
    'content/posts/grows.md': `${HEAD}${'|a|b|\n|-|-|\n'}${'|a|b|\n'.repeat(5_000)}`,
  }
  return eachStore(t, { files }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const xml = await html('/feed.xml')
    const entries = new Map(xml.split('<entry>').map((entry) => [/posts\/(\w+)/.exec(entry)?.[1], entry]))
    t.match(entries.get('short'), '<content type="html">&lt;p&gt;Whole &amp;amp; sound.&lt;/p&gt;')
    for (const id of ['long', 'left', 'grows']) {
      t.match(entries.get(id), '<summary>In short</summary>')
      t.notMatch(entries.get(id), '<content')
    }
    t.ok(xml.length < 10_000, `${xml.length} characters`)
  })
})
