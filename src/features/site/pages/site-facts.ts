import type { SiteSnapshot } from '../outline/site-snapshot.ts'

/** The name of the site and other facts about it, from the configuration. */
export interface SiteFacts {
  readonly name: string
  readonly url: string
  readonly locale: string
  readonly timezone: string
  /** True if it has a search page, provided that it is small enough. */
  readonly searchable: boolean
}

/** Returns the facts about a site that its pages show. */
export function siteFacts(config: {
  readonly site: Readonly<Record<'name' | 'url' | 'locale' | 'timezone', string>>
  readonly features: { readonly search: boolean }
}): SiteFacts {
  const { name, url, locale, timezone } = config.site
  return { name, url, locale, timezone, searchable: config.features.search }
}

/** Scripts that are written from right to left. */
const FROM_RIGHT: ReadonlySet<string> = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Samr', 'Syrc', 'Thaa', 'Yezi'])

/** The direction in which a language is written. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  return FROM_RIGHT.has(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
}

/** Returns a text of all that each page of a snapshot depends on beside the theme; `site` is what templates get of the site. */
export function basisOf(site: object, { origin, base, urls, menus, settings }: SiteSnapshot): string {
  return JSON.stringify([site, origin, base, urls, [...menus], settings])
}
