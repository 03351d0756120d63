import { spelled } from '#core/links/resolve.ts'
import { Cache } from '#lib/cache.ts'
import type { Asset } from '#lib/files/templates.ts'
import { isNow } from '#liquid/moments.ts'
import type { Templates } from '#liquid/templates.ts'
import { cut } from '#markdown/text.ts'
import type { TemplateSpot } from '../pictures/page-pictures.ts'
import { imageOf } from './image-filter.ts'
import type { PagePlace } from './page-place.ts'
import type { Words } from './words.ts'

/** The parts of a theme that filters use. */
export interface FilterParts {
  readonly assets: ReadonlyMap<string, Asset>
  readonly words: Words
  readonly locale: string
  readonly timezone: string
  /** The moment that `now` is on a page, in milliseconds since 1970; undefined where it is none. */
  momentOf(place: PagePlace): number | undefined
  /** The words of Markdown, without its marks. */
  excerpt(text: string): string
}

/** The most characters that are made into HTML within a template, where nothing else runs meanwhile. */
const MOST_MARKDOWN = 16 * 1024
const EXCERPT_LENGTH = 220
/** The most days that are kept as texts, and the most characters of a time that is kept. */
const KEPT_DAYS = 10_000
const LONGEST_TIME = 40
/** Characters by which a text in a script could end it, and their escapes in JSON. */
const OF_HTML = /[<>&\u2028\u2029]/g

/** Adds the filters of the site's templates. */
export function addFilters(templates: Templates, parts: FilterParts): void {
  const { assets, words, locale, timezone } = parts
  const dates = { day: 'long', short_day: 'medium' } as const
  for (const [name, dateStyle] of Object.entries(dates)) {
    const format = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: timezone })
    const day = dated(format)
    templates.addFilter(name, function (value: unknown) {
      const moment = isNow(value) ? parts.momentOf(placeIn(this.context)) : undefined
      return day(moment === undefined ? value : new Date(moment).toISOString())
    })
  }
  templates.addFilter('asset', function (name: unknown) {
    const asset = assets.get(String(name))
    if (!asset) throw new Error(`there is no asset "${String(name)}" in templates/site/assets`)
    return placeIn(this.context).base + asset.url
  })
  templates.addFilter('url', function (value: unknown) {
    return addressOf(value, placeIn(this.context))
  })
  templates.addFilter('absolute_url', function (value: unknown) {
    const place = placeIn(this.context)
    const address = addressOf(value, place)
    return address.startsWith('/') && !address.startsWith('//') ? place.origin + address : address
  })
  templates.addFilter('excerpt', (value: unknown, length: unknown = EXCERPT_LENGTH) => {
    const text = textOf(value)
    return cut(parts.excerpt(text), Number(length) || EXCERPT_LENGTH)
  })
  templates.addFilter('markdown', {
    raw: true,
    handler(value: unknown) {
      const text = textOf(value)
      if (text.length > MOST_MARKDOWN)
        throw new Error('it makes HTML of a text of over 16 KiB: put that into the text of a record')
      return placeIn(this.context).markdown(text)
    },
  })
  templates.addFilter('image', {
    raw: true,
    handler(value: unknown, ...options: unknown[]) {
      const place = placeIn(this.context)
      return imageOf(addressOf(value, place), Object.fromEntries(options.filter(isNamed)), place, tokenPlace(this))
    },
  })
  templates.addFilter('json', (value: unknown, space: unknown = 0) => {
    const json = JSON.stringify(value, undefined, Math.min(Number(space) || 0, 8)) ?? 'null'
    return json.replace(OF_HTML, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
  })
  templates.addFilter('t', (name: unknown, ...values: unknown[]) =>
    words.text(textOf(name), Object.fromEntries(values.filter(isNamed))),
  )
  templates.addFilter('forms', (name: unknown) => words.forms(textOf(name)))
}

/** The place in a template at which a filter stands. */
function tokenPlace({ token }: { readonly token?: object }): TemplateSpot {
  const { file, getPosition } = (token ?? {}) as { file?: string; getPosition?: () => readonly number[] }
  return { template: file, line: getPosition?.call(token)[0] }
}

function placeIn(context: { readonly globals?: unknown }): PagePlace {
  return context.globals as PagePlace
}

/** Addresses within the site get the path before it, those of pages as they are served; others, and those that have it, stay as they are. */
function addressOf(value: unknown, { base, pageAt }: Pick<PagePlace, 'base' | 'pageAt'>): string {
  const own: unknown = value !== null && typeof value === 'object' && 'url' in value ? value.url : value
  const text = textOf(own)
  const isBelow = base !== '' && (text === base || text.startsWith(`${base}/`))
  const isOwn = text.startsWith('/') && !text.startsWith('//') && !isBelow
  return isOwn ? base + spelled(text, { pageAt }) : text
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Arguments with a name come as pairs. */
function isNamed(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}

/** A filter for times. They are kept, since those of a record are on several pages. */
function dated(format: Intl.DateTimeFormat): (value: unknown) => string {
  const kept = new Cache<string>({ most: KEPT_DAYS })
  return (value) => {
    if (typeof value !== 'string') return ''
    const known = kept.get(value)
    if (known !== undefined) return known
    const time = Date.parse(value)
    const made = Number.isNaN(time) ? '' : format.format(time)
    if (value.length <= LONGEST_TIME) kept.set(value, made)
    return made
  }
}
