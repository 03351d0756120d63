import t from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const types = plainTypes({ posts: { permalink: '/blog/{slug}' } })

function many(count: number, textOf: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => textOf(n)).join('')
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

t.test('a record with very many authors or terms takes no page away', (t) => {
  const files = {
    'content/authors/ada.yaml': 'name: Ada\n',
    'content/posts/same.md': `---\ntitle: Same\ndate: 2026-01-01\nauthor: [${many(120_000, () => 'ada,')} bob]\n---\n`,
    'content/posts/other.md': `---\ntitle: Other\ndate: 2026-01-01\nauthor: [${many(3000, (n) => `n${n},`)}]\n---\n`,
    'content/posts/named.md': `---\ntitle: Named\ndate: 2026-01-01\ntags: [${many(4000, (n) => `tag${n},`)}]\n---\n`,
  }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { html } = publicSite(t, opened)
    const same = await html('/blog/same')
    t.equal(countOf(same, 'class="author"'), 1, 'each of the first is named once')
    t.match(same, />Ada<\/a>/)
    t.equal(countOf(await html('/blog/other'), 'class="author"'), 100)
    t.equal(countOf(await html('/blog/named'), 'rel="tag"'), 1000)
    t.match(await html('/tags/tag3999'), 'href="/blog/named"', 'it is on the pages of all its terms')
    t.match(await html('/'), 'href="/blog/same"')
    const feed = await html('/feed.xml')
    t.equal(countOf(feed, '<author><name>n'), 100)
  })
})

t.test('a menu shows its first 500 items, and the check names one with more', (t) => {
  const row = (n: number, more = '') => `  - { label: L${n}, url: "/x${n}"${more} }\n`
  const menu = `items:\n${many(499, (n) => row(n))}${row(499, ', children: [{ label: Below, url: /y }]')}${many(20_000, (n) => row(500 + n))}`
  const files = { 'content/posts/a.md': '---\ntitle: A\n---\n', 'content/menus/main.yaml': menu }
  return eachStore(t, { files, types }, async (t, opened) => {
    const { site, html } = publicSite(t, opened)
    const home = await html('/')
    t.match(home, 'href="/x499"')
    t.notMatch(home, 'href="/x500"')
    t.notMatch(home, 'href="/y"')
    const problems = await site.remarks()
    t.match(problems[0], { message: 'A menu shows the first 500 items: this one has 20501.', severity: 'warning' })
  })
})

t.test('the check names a menu that is too deep, and none that is not', async (t) => {
  const nested = (levels: number): string =>
    `{ label: L, url: /blog/a${levels > 1 ? `, children: [${nested(levels - 1)}]` : ''} }`
  for (const [levels, says] of [
    [8, []],
    [9, ['A menu shows 8 levels: this one has more.']],
  ] as const) {
    const files = { 'content/posts/a.md': '---\ntitle: A\n---\n', 'content/menus/main.yaml': `items: [${nested(levels)}]\n` }
    await eachStore(t, { files, types }, async (t, opened) => {
      const { site } = publicSite(t, opened)
      t.same(
        (await site.remarks()).map(({ message }) => message),
        says,
      )
    })
  }
})
