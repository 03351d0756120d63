import { SEARCH_PAGE } from '#core/permalink.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'
import { mayBeSearched } from '../searching/place.ts'
import type { PageImage } from './page-image.ts'
import type { PageFacts } from './plans.ts'
import type { SiteFacts } from './site-facts.ts'
import type { RecordView } from './views.ts'

/** The facts of a page that programs elsewhere read of it. */
export interface Described {
  readonly facts: PageFacts
  /** Whole. */
  readonly canonical: string
  readonly image: PageImage | undefined
  /** The record that the page is of. */
  readonly record: RecordView | undefined
}

/** The site as programs elsewhere read of it: scheme and host, and the addresses of its front page and its search. */
export interface DescribedSite extends Pick<SiteFacts, 'name' | 'locale'> {
  readonly origin: string
  readonly home: string
  readonly search: string | null
  readonly description: string
}

/** Returns the site of a snapshot as programs elsewhere read of it. */
export function describedSite({ name, locale, searchable }: SiteFacts, snapshot: SiteSnapshot): DescribedSite {
  const { origin, outline, settings } = snapshot
  const search = searchable && mayBeSearched(outline) ? hrefOf(snapshot, SEARCH_PAGE) : null
  return { name, locale, origin, home: hrefOf(snapshot, '/'), search, description: String(settings.site?.description ?? '') }
}

/** Returns what a page says of itself to search engines, as JSON-LD in the words of schema.org; null where they are to pass it. */
export function structuredData(page: Described, site: DescribedSite): object | null {
  const { facts } = page
  if (facts.noindex) return null
  const own = facts.kind === 'home' ? websiteOf(site) : facts.og === 'article' ? articleOf(page, site) : undefined
  const graph = [...(own ? [own] : []), ...(facts.kind === 'home' ? [] : [trailOf(page, site)])]
  return { '@context': 'https://schema.org', '@graph': graph }
}

function websiteOf({ name, origin, home, search, description, locale }: DescribedSite): object {
  const target = search !== null && { '@type': 'EntryPoint', urlTemplate: `${origin}${search}?q={search_term_string}` }
  const asking = target && { '@type': 'SearchAction', target, 'query-input': 'required name=search_term_string' }
  return {
    '@type': 'WebSite',
    url: origin + home,
    name,
    ...(description !== '' && { description }),
    inLanguage: locale,
    ...(asking && { potentialAction: asking }),
  }
}

function articleOf({ facts, canonical, image, record }: Described, { name, origin, home, locale }: DescribedSite): object {
  const authors = (record?.authors ?? []).map((author) => ({
    '@type': 'Person',
    name: author.name,
    ...(author.url !== null && { url: origin + author.url }),
  }))
  const terms = (record?.terms ?? []).map((term) => term.name)
  return {
    '@type': record?.type === 'pages' ? 'Article' : 'BlogPosting',
    url: canonical,
    mainEntityOfPage: canonical,
    headline: facts.title,
    ...(facts.description !== '' && { description: facts.description }),
    ...(image && { image: image.url }),
    ...(record?.published_at && { datePublished: record.published_at }),
    ...(record?.updated_at && { dateModified: record.updated_at }),
    ...(authors.length > 0 && { author: authors }),
    ...(terms.length > 0 && { keywords: terms }),
    inLanguage: locale,
    isPartOf: { '@type': 'WebSite', name, url: origin + home },
  }
}

function trailOf({ facts, canonical }: Described, { name, origin, home }: DescribedSite): object {
  const steps = [
    { name, item: origin + home },
    ...facts.breadcrumbs.map(({ title, url }) => ({ name: title, item: origin + url })),
    { name: facts.title, item: canonical },
  ]
  return {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, index) => ({ '@type': 'ListItem', position: index + 1, ...step })),
  }
}
