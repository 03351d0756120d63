import fc from 'fast-check'
import t, { type Test } from 'tap'
import { publicSite } from '#support/public-site.ts'
import { eachStore } from '#support/stores.ts'
import { plainTypes } from '#support/types.ts'

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const RFC_822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** An element of XML. */
interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

/** The root of a document; throws where it is not well-formed (XML 1.0). */
function xmlOf(text: string): Element {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) throw new Error('a character that XML can not have')
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const rest = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  for (const [token, close, name = '', given = '', empty] of rest.matchAll(
    /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|[^<]+|</g,
  )) {
    const parent = open.at(-1) as Element
    if (name === '') {
      if (token === '<' || (open.length === 1 && token.trim() !== '')) throw new Error(`${token} is no element`)
      parent.text += decoded(token)
    } else if (close) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends nothing`)
    } else {
      const attributes = [...given.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, key, value = '']) => [key, decoded(value)])
      const element: Element = { name, attributes: Object.fromEntries(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!empty) open.push(element)
    }
  }
  if (open.length > 1 || root.children.length !== 1) throw new Error('not one root')
  return root.children[0] as Element
}

function decoded(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text) || text.includes(']]>')) throw new Error(`${text} has a bare sign`)
  return text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ({ '&lt;': '<', '&gt;': '>', '&quot;': '"' })[entity] ?? '&')
}

function all({ children }: Element, name: string): Element[] {
  return children.filter((child) => child.name === name)
}

/** The text of the one element of a name. */
function only(element: Element, name: string): string {
  const [first, ...more] = all(element, name)
  if (!first || more.length > 0) throw new Error(`${element.name} has not one ${name}`)
  return first.text
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\/[^\s<>"]+$/.test(text) && URL.canParse(text)
}

function areUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** Checks a feed as RFC 4287 has it. */
function checkAtom(t: Test, text: string): void {
  const feed = xmlOf(text)
  t.match(feed, { name: 'feed', attributes: { xmlns: 'http://www.w3.org/2005/Atom' } })
  const entries = all(feed, 'entry')
  for (const one of [feed, ...entries]) {
    only(one, 'title')
    t.ok(isAddress(only(one, 'id')) && RFC_3339.test(only(one, 'updated')))
    t.ok(all(one, 'link').every(({ attributes }) => isAddress(attributes.href)))
    t.ok(all(one, 'author').every((author) => only(author, 'name') !== ''))
  }
  t.equal(all(feed, 'link').filter(({ attributes }) => attributes.rel === 'self').length, 1)
  t.ok(all(feed, 'author').length > 0 || entries.every((entry) => all(entry, 'author').length > 0))
  t.ok(areUnique(entries.map((entry) => only(entry, 'id'))))
  for (const entry of entries) {
    t.ok(RFC_3339.test(only(entry, 'published')))
    t.ok(all(entry, 'link').some(({ attributes }) => (attributes.rel ?? 'alternate') === 'alternate'))
    t.ok(all(entry, 'category').every(({ attributes }) => attributes.term !== undefined))
    t.ok(all(entry, 'content').every(({ attributes }) => attributes.type === 'html'))
  }
}

/** Checks a feed as RSS 2.0 has it. */
function checkRss(t: Test, text: string): void {
  const rss = xmlOf(text)
  t.match(rss, { name: 'rss', attributes: { version: '2.0' } })
  const [channel, ...more] = all(rss, 'channel') as [Element, ...Element[]]
  t.equal(more.length, 0)
  for (const name of ['title', 'description']) only(channel, name)
  t.ok(isAddress(only(channel, 'link')))
  t.match(only(channel, 'lastBuildDate'), RFC_822)
  const items = all(channel, 'item')
  for (const item of items) {
    for (const name of ['title', 'description']) only(item, name)
    t.ok(isAddress(only(item, 'link')) && isAddress(only(item, 'guid')))
    t.match(only(item, 'pubDate'), RFC_822)
  }
  t.ok(areUnique(items.map((item) => only(item, 'guid'))))
}

/** Checks a feed as JSON Feed 1.1 has it. */
function checkJsonFeed(t: Test, text: string): void {
  const feed = JSON.parse(text)
  t.match(feed, { version: 'https://jsonfeed.org/version/1.1', title: String, items: Array })
  t.ok(isAddress(feed.home_page_url) && isAddress(feed.feed_url))
  t.ok(areUnique(feed.items.map(({ id }: { id: string }) => id)))
  for (const item of feed.items) {
    t.ok(isAddress(item.id) && isAddress(item.url) && RFC_3339.test(item.date_published) && RFC_3339.test(item.date_modified))
    t.equal(typeof item.title, 'string')
    t.equal([item.content_html, item.content_text].filter((one) => typeof one === 'string').length, 1)
    t.ok((item.authors ?? []).every(({ name }: { name: unknown }) => typeof name === 'string'))
    t.ok((item.tags ?? []).every((tag: unknown) => typeof tag === 'string'))
  }
}

/** Checks a sitemap as its schema has it (sitemaps.org 0.9). */
function checkSitemap(t: Test, text: string, below: string): string[] {
  const set = xmlOf(text)
  t.match(set, { name: 'urlset', attributes: { xmlns: SITEMAPS } })
  const addresses = set.children.map((url) => {
    t.equal(url.name, 'url')
    t.ok(url.children.every(({ name }) => ['loc', 'lastmod'].includes(name)))
    t.ok(all(url, 'lastmod').every((lastmod) => RFC_3339.test(lastmod.text)))
    return only(url, 'loc')
  })
  t.ok(addresses.every((address) => isAddress(address) && address.startsWith(below) && address.length < 2048))
  t.ok(areUnique(addresses))
  return addresses
}

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
      checkAtom(t, await html(`${place}/feed.xml`))
      checkRss(t, await html(`${place}/rss.xml`))
      checkJsonFeed(t, await html(`${place}/feed.json`))
    }
    const addresses = checkSitemap(t, await html('/sitemap.xml'), 'https://example.org/re-po-of-a-long-name-as-any-may-have-it/')
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
})
