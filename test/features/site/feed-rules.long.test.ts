import fc from 'fast-check'
import t from 'tap'
import { atomFaults, jsonFeedFaults, rssFaults, sitemapFaults } from '#support/feed-faults.ts'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'
import { elementsOf, xmlOf } from '#support/xml.ts'

const SIGNS = [
  '<',
  '>',
  '&',
  '"',
  "'",
  ']]>',
  '\u0000',
  '\u0008',
  '\u001b',
  '\ud800',
  '\ufffe',
  '\u2028',
  '😀',
  '&amp;',
  '&#0;',
  ' ',
  'a',
  '<!--',
]

/** Posts whose texts are hostile to who writes XML. */
const HOSTILE = Object.fromEntries(
  fc.sample(fc.array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 8 }), 25).map((signs, n): [string, string] => {
    const text = signs.join('')
    const fields = {
      title: `T${text}`,
      date: '2026-01-01',
      tags: [`t${text}`],
      author: text,
      ...(n % 2 === 0 && { excerpt: text }),
    }
    return [
      `content/posts/p${n}.md`,
      `---json\n${JSON.stringify(fields)}\n---\n${text.replace(/\ud800/g, '')} [link](/x "${n}") ![](y.png)\n`,
    ]
  }),
)

t.test('feeds and sitemap keep the rules of their forms, whatever the texts', (t) => {
  const files = {
    ...HOSTILE,
    'content/index.md': '---\ntitle: Home\n---\n',
    'content/posts/far.md': `---\ntitle: Far\ndate: 2026-01-02\npermalink: ${'/abcdefghi'.repeat(199)}\n---\n`,
    'content/posts/old.md': '---\ntitle: Old\ndate: 0001-01-01\n---\n',
    'content/posts/umlaut.md': "---\ntitle: Ü\ndate: 2026-01-03\npermalink: /ü/ß 'x' & y\n---\n",
  }
  return eachStore(t, { files, types: plainTypes(), now: '2026-02-01T00:00:00Z' }, async (t, opened) => {
    const names = {
      name: 'A <b> & "c"',
      url: 'https://example.org/re-po-of-a-long-name-as-any-may-have-it',
      locale: 'en',
      timezone: 'UTC',
      content: 'content',
      templates: 'templates',
    }
    const config = { site: names, features: { sitemap: true, taxonomy: true, search: false }, media: { types: ['jpeg'] } }
    const { html } = publicSite(t, opened, false, {
      config: { ...config, build: { base_url: null, drafts: false, future: false } },
    })
    for (const place of ['', '/posts', '/tags/ta']) {
      if (place === '/tags/ta' && (await html(`${place}/feed.json`)).startsWith('<')) continue
      t.strictSame(atomFaults(await html(`${place}/feed.xml`)), [], place)
      t.strictSame(rssFaults(await html(`${place}/rss.xml`)), [], place)
      t.strictSame(jsonFeedFaults(await html(`${place}/feed.json`)), [], place)
    }
    const sitemap = await html('/sitemap.xml')
    t.strictSame(sitemapFaults(sitemap, 'https://example.org/re-po-of-a-long-name-as-any-may-have-it/'), [])
    const addresses = elementsOf(xmlOf(sitemap), 'url').map((url) => url.children[0]?.text ?? '')
    t.notOk(
      addresses.some((address) => address.includes('abcdefghi')),
      'what is too long for a sitemap is in none',
    )
    t.ok(addresses.includes('https://example.org/re-po-of-a-long-name-as-any-may-have-it/posts/old'))
    t.match(
      await html('/robots.txt'),
      /^Sitemap: https:\/\/example\.org\/re-po-of-a-long-name-as-any-may-have-it\/sitemap\.xml$/m,
    )
  })
})

t.test('the checks find what is wrong', async (t) => {
  for (const wrong of [
    '<a>',
    '<a></b>',
    '<a>&</a>',
    '<a b="<"></a>',
    '<a>\u0000</a>',
    '<a/><b/>',
    'x<a/>',
    '<a>]]></a>',
    '<a>&#0;</a>',
  ])
    t.throws(() => xmlOf(wrong), wrong)
  t.strictSame(xmlOf('<a b="&lt;">c &amp; d<e/></a>').text, 'c & d')
  for (const faults of [atomFaults, rssFaults, jsonFeedFaults, (text: string) => sitemapFaults(text, 'https://example.org/')])
    t.not(faults('<feed xmlns="http://www.w3.org/2005/Atom"/>').length, 0)
})
