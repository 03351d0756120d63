import { type Element, elementsOf, xmlOf } from './xml.ts'

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const RFC_822 =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d (?:GMT|[+-]\d{4})$/
const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const IMAGES = 'http://www.google.com/schemas/sitemap-image/1.1'

/** Gathers what is wrong: a rule that does not hold is put down by its name. */
class Rules {
  readonly faults: string[] = []

  holds(rule: string, isSo: boolean): void {
    if (!isSo) this.faults.push(rule)
  }

  /** The text of the one element of a name. */
  only(element: Element, name: string): string {
    const found = elementsOf(element, name)
    this.holds(`${element.name} has one ${name}`, found.length === 1)
    return found[0]?.text ?? ''
  }
}

function faultsOf(check: (rules: Rules) => void): string[] {
  const rules = new Rules()
  try {
    check(rules)
  } catch (error) {
    rules.faults.push(String(error))
  }
  return rules.faults
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\/[^\s<>"]+$/.test(text) && URL.canParse(text)
}

function areUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** Names what a feed has that RFC 4287 (Atom) does not let it have. */
export function atomFaults(text: string): string[] {
  return faultsOf((rules) => {
    const feed = xmlOf(text)
    rules.holds('feed of Atom', feed.name === 'feed' && feed.attributes.xmlns === 'http://www.w3.org/2005/Atom')
    const entries = elementsOf(feed, 'entry')
    for (const one of [feed, ...entries]) {
      rules.only(one, 'title')
      rules.holds('id is an address', isAddress(rules.only(one, 'id')))
      rules.holds('updated is a time', RFC_3339.test(rules.only(one, 'updated')))
      const links = elementsOf(one, 'link')
      rules.holds(
        'links are addresses',
        links.every(({ attributes }) => isAddress(attributes.href)),
      )
      const authors = elementsOf(one, 'author')
      rules.holds(
        'authors have names',
        authors.every((author) => rules.only(author, 'name') !== ''),
      )
    }
    rules.holds('one link to itself', elementsOf(feed, 'link').filter(({ attributes }) => attributes.rel === 'self').length === 1)
    const isBySomebody = (one: Element) => elementsOf(one, 'author').length > 0
    rules.holds('all is by somebody', isBySomebody(feed) || entries.every(isBySomebody))
    rules.holds('ids are unique', areUnique(entries.map((entry) => rules.only(entry, 'id'))))
    for (const entry of entries) {
      const isAlternate = ({ attributes }: Element) => (attributes.rel ?? 'alternate') === 'alternate'
      rules.holds('published is a time', RFC_3339.test(rules.only(entry, 'published')))
      rules.holds('an entry has its page', elementsOf(entry, 'link').some(isAlternate))
      rules.holds(
        'categories have terms',
        elementsOf(entry, 'category').every(({ attributes }) => attributes.term !== undefined),
      )
      rules.holds(
        'content is HTML',
        elementsOf(entry, 'content').every(({ attributes }) => attributes.type === 'html'),
      )
    }
  })
}

/** Names what a feed has that RSS 2.0 does not let it have. */
export function rssFaults(text: string): string[] {
  return faultsOf((rules) => {
    const rss = xmlOf(text)
    rules.holds('RSS 2.0', rss.name === 'rss' && rss.attributes.version === '2.0')
    const [channel, ...more] = elementsOf(rss, 'channel')
    rules.holds('one channel', more.length === 0)
    if (!channel) throw new Error('There is no channel.')
    for (const name of ['title', 'description']) rules.only(channel, name)
    rules.holds('the channel has its page', isAddress(rules.only(channel, 'link')))
    rules.holds('lastBuildDate is a time', RFC_822.test(rules.only(channel, 'lastBuildDate')))
    const items = elementsOf(channel, 'item')
    for (const item of items) {
      for (const name of ['title', 'description']) rules.only(item, name)
      rules.holds('an item has its page', isAddress(rules.only(item, 'link')) && isAddress(rules.only(item, 'guid')))
      rules.holds('pubDate is a time', RFC_822.test(rules.only(item, 'pubDate')))
    }
    rules.holds('guids are unique', areUnique(items.map((item) => rules.only(item, 'guid'))))
  })
}

/** Names what a feed has that JSON Feed 1.1 does not let it have. */
export function jsonFeedFaults(text: string): string[] {
  return faultsOf((rules) => {
    const feed = JSON.parse(text)
    rules.holds('JSON Feed 1.1', feed.version === 'https://jsonfeed.org/version/1.1')
    rules.holds('a title and items', typeof feed.title === 'string' && Array.isArray(feed.items))
    rules.holds('its addresses', isAddress(feed.home_page_url) && isAddress(feed.feed_url))
    rules.holds('ids are unique', areUnique(feed.items.map(({ id }: { id: string }) => id)))
    for (const item of feed.items) {
      rules.holds('an item has its page', isAddress(item.id) && isAddress(item.url))
      rules.holds('its times', RFC_3339.test(item.date_published) && RFC_3339.test(item.date_modified))
      rules.holds('a title', typeof item.title === 'string')
      rules.holds('one content', [item.content_html, item.content_text].filter((one) => typeof one === 'string').length === 1)
      rules.holds(
        'authors have names',
        (item.authors ?? []).every(({ name }: { name: unknown }) => typeof name === 'string'),
      )
      rules.holds(
        'tags are texts',
        (item.tags ?? []).every((tag: unknown) => typeof tag === 'string'),
      )
    }
  })
}

/** Names what a sitemap (of addresses that begin with `below`) or an index of sitemaps has that sitemaps.org 0.9 does not let it have. */
export function sitemapFaults(text: string, below: string): string[] {
  return faultsOf((rules) => {
    const set = xmlOf(text)
    const each = set.name === 'sitemapindex' ? 'sitemap' : 'url'
    rules.holds('a sitemap', ['urlset', 'sitemapindex'].includes(set.name) && set.attributes.xmlns === SITEMAPS)
    for (const url of set.children) {
      rules.holds(`only ${each}`, url.name === each)
      for (const child of url.children) {
        if (child.name === 'image:image') checkImage(rules, set, child)
        else rules.holds(`${child.name} is known`, ['loc', 'lastmod'].includes(child.name))
      }
      rules.holds(
        'lastmod is a time',
        elementsOf(url, 'lastmod').every((lastmod) => RFC_3339.test(lastmod.text)),
      )
    }
    const addresses = set.children.map((url) => rules.only(url, 'loc'))
    const isBelow = (address: string) => isAddress(address) && address.startsWith(below) && address.length < 2048
    rules.holds('addresses of the site', addresses.every(isBelow))
    rules.holds('addresses are unique', areUnique(addresses))
  })
}

/** The rules of Google's extension for pictures. */
function checkImage(rules: Rules, set: Element, image: Element): void {
  rules.holds('the namespace of pictures', set.attributes['xmlns:image'] === IMAGES)
  rules.holds('a picture has its address', isAddress(rules.only(image, 'image:loc')) && image.children.length === 1)
}
