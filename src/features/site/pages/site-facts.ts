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
