// The same pages as the shipped theme makes, for `npm run bench:site`.
const PER_PAGE = 10
const NEWEST = 20
const day = (options) => new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' })
const long = day({ dateStyle: 'long' })
const short = day({ dateStyle: 'medium' })

export default function (config) {
  config.addFilter('day', (date) => long.format(date))
  config.addFilter('short_day', (date) => short.format(date))
  config.addFilter('iso', (date) => date.toISOString())
  config.addFilter('rfc', (date) => date.toUTCString())
  config.addFilter('newest', (posts) => posts.slice(0, NEWEST))
  config.addFilter('feed_json', (list, site) =>
    JSON.stringify(
      {
        version: 'https://jsonfeed.org/version/1.1',
        title: list.title,
        home_page_url: site.url + list.url,
        items: list.posts.slice(0, NEWEST).map(({ url, date, data, templateContent }) => ({
          id: site.url + url,
          url: site.url + url,
          title: data.title,
          content_text: list.whole ? templateContent : data.excerpt,
          date_published: date.toISOString(),
          tags: data.tags,
        })),
      },
      null,
      1,
    ),
  )
  config.addFilter('json_ld', (page, site, title, author, excerpt, tags) => jsonLd(page, site, { title, author, excerpt, tags }))
  const newestFirst = (api) => api.getFilteredByGlob('posts/**/*.md').reverse()
  config.addCollection('newest', newestFirst)
  config.addCollection('lists', (api) => lists(newestFirst(api)))
  config.addCollection('listPages', (api) => lists(newestFirst(api)).flatMap(pagesOf))
  return {
    dir: { input: '.', includes: '_includes', output: '_site' },
    markdownTemplateEngine: false,
    htmlTemplateEngine: 'liquid',
  }
}

/** What a page says of itself to search engines: one of a list has no author. */
function jsonLd({ url, date }, site, { title, author, excerpt, tags }) {
  const own = site.url + url
  const home = { name: site.name, item: `${site.url}/` }
  const steps = [home, ...(author ? [{ name: 'Posts', item: `${site.url}/posts/` }] : []), { name: title, item: own }]
  const trail = {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, n) => ({ '@type': 'ListItem', position: n + 1, ...step })),
  }
  const article = {
    '@type': 'BlogPosting',
    url: own,
    mainEntityOfPage: own,
    headline: title,
    description: excerpt,
    datePublished: date,
    dateModified: date,
    author: [{ '@type': 'Person', name: author }],
    keywords: tags,
    inLanguage: 'en',
    isPartOf: { '@type': 'WebSite', name: site.name, url: home.item },
  }
  const json = JSON.stringify({ '@context': 'https://schema.org', '@graph': author ? [article, trail] : [trail] })
  return json.replaceAll('<', '\\u003c')
}

/** Home, the section, and each term. */
function lists(posts) {
  const by = (taxonomy, namesOf) => {
    const terms = new Map()
    for (const post of posts) for (const name of namesOf(post)) terms.set(name, [...(terms.get(name) ?? []), post])
    return [...terms].sort().map(([title, posts]) => ({ kind: 'term', title, url: `/${taxonomy}/${title}/`, posts }))
  }
  return [
    { kind: 'home', title: 'Bench', url: '/', posts, whole: true },
    { kind: 'list', title: 'Posts', url: '/posts/', posts },
    ...by('tags', ({ data }) => data.tags),
    ...by('categories', ({ data }) => [data.category]),
  ]
}

function pagesOf(list) {
  const count = Math.ceil(list.posts.length / PER_PAGE)
  const at = (n) => (n === 1 ? list.url : `${list.url}page/${n}/`)
  return Array.from({ length: count }, (_, i) => ({
    ...list,
    url: at(i + 1),
    posts: list.posts.slice(i * PER_PAGE, (i + 1) * PER_PAGE),
    number: i + 1,
    count,
    newer: i > 0 ? at(i) : undefined,
    older: i + 1 < count ? at(i + 2) : undefined,
  }))
}
