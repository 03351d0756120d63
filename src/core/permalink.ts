import { dayAt } from '#frontmatter/instants.ts'
import { hasNoPage, yesOrNo } from '#frontmatter/other-tools.ts'
import { composed } from '#lib/text/normal-form.ts'
import type { Head } from './document.ts'
import { idToPath } from './key.ts'
import { pageHref } from './page-address.ts'
import { instantOf } from './status.ts'
import type { ContentType, Taxonomy } from './types/content-type.ts'

/**
 * The address of a record's page. `url` is a percent-encoded path without a trailing slash. It is null with a `fault` (the end of
 * a sentence: "it …") if the record should have a page but can't.
 */
export interface Permalink {
  readonly url: string | null
  readonly fault?: string
}

/** The parts of a record that decide its page's path. */
export type Located = Pick<Head, 'key' | 'fields' | 'problem'>

/** First segments of addresses that belong to Quire itself. */
export const TAKEN_SEGMENTS: ReadonlySet<string> = new Set([
  'api',
  'admin',
  'media',
  '.well-known',
  'healthz',
  'readyz',
  'metrics',
])

/** The folder of addresses for types whose own names are taken: `/content/api`. */
export const PREFIX_OF_TAKEN = '/content'

/** The path of the search page, on a site that has search; its files are below it. */
export const SEARCH_PAGE = '/search'

const TAKEN_PATH =
  /^\/(?:404$|(?:404\.html|_redirects|robots\.txt|llms\.txt|sitemap(?:-\d+)?\.xml|feed\.xml|rss\.xml|feed\.json)(?:\/|$))/
/** An address that ends so is a file in a built site, with nothing below it. */
const FILE = /\.html?$/i
const NOT_IN_FILE_NAMES = /[\p{Cc}\\:*?"<>|]/u
const MAX_SEGMENT_BYTES = 240
/** Most characters of an address: browsers and servers take no longer ones. */
const LONGEST = 2_000
const NO_PAGE: Permalink = { url: null }

/** The path of a record's page on the site, percent-encoded for an href (`/blog/caf%C3%A9`); null where it has none. */
export function urlOf(type: ContentType, head: Located): string | null {
  return permalinkOf(type, head).url
}

/** As `urlOf`, as the site's links and its API spell it. */
export function shownUrlOf(type: ContentType, head: Located): string | null {
  const url = urlOf(type, head)
  return url === null ? null : pageHref(url, type.urls)
}

/**
 * As `urlOf`, with the reason where a page can't be had: a date that is not set, a name that can't be in an address, a taken
 * segment.
 */
export function permalinkOf(type: ContentType, head: Located): Permalink {
  if (type.permalink === null || head.problem?.severity === 'error') return NO_PAGE
  const own = head.fields.permalink
  if (yesOrNo(own) === false || hasNoPage(head.fields)) return NO_PAGE
  if (typeof own === 'string' && own.trim() !== '') return ownPlace(own.trim())
  if (head.key.id === 'index') return type.name === 'pages' ? { url: '/' } : placed(listUrlOf(type))
  return filled(type.permalink, type, head)
}

/**
 * One spelling for a request's or an author's path: segments decoded and encoded again, none empty, no `index.html`, no trailing
 * slash; undefined where it is malformed.
 */
export function plainPath(path: string): string | undefined {
  if (PLAIN_PATH.test(path)) return path
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.at(-1) === 'index.html') segments.pop()
  try {
    return `/${segments.map((segment) => encodeSegment(decodeURIComponent(segment))).join('/')}`
  } catch {
    return undefined
  }
}

/** Returns the path of a type's list: `/blog` for the permalink `/blog/{slug}`, else `/{type}`. */
export function listUrlOf(type: ContentType): string {
  const fixed = (type.permalink ?? '').replaceAll('{type}', type.name).split('{', 1)[0] ?? ''
  const folder = plainPath(fixed.slice(0, fixed.lastIndexOf('/') + 1)) ?? '/'
  if (folder !== '/') return folder
  return plainPath(`${isTaken(`/${type.name}`) ? PREFIX_OF_TAKEN : ''}/${type.name}`) ?? '/'
}

/** The permalink of a type that says none. */
export function defaultPermalink(name: string): string {
  return name === 'pages' ? '/{path}' : `${isTaken(`/${name}`) ? PREFIX_OF_TAKEN : ''}/{type}/{path}`
}

/** Returns whether the site has a page of its own at an address without a record: the home page, the list of a type, terms. */
export function isListed(url: string, types: readonly ContentType[], taxonomies: readonly Taxonomy[]): boolean {
  if (url === '/' || types.some((type) => type.name !== 'pages' && listUrlOf(type) === url)) return true
  return taxonomies.some(({ name }) => firstSegment(url) === name.toLowerCase())
}

/** Most paths are plain as they are. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9_-]+)+$/
const PLAIN_PART = /^[A-Za-z0-9._~-]*$/

function ownPlace(path: string): Permalink {
  if (path.startsWith('/')) return placed(path)
  return { url: null, fault: `has the permalink "${path}", which does not begin with "/"` }
}

/** The parts of a record that its address may be made of: `date` gives the year, the month and the day of its publication. */
interface AddressParts {
  readonly type: ContentType
  readonly head: Located
  readonly date: () => readonly string[]
}

/** The values of the placeholders of a permalink; undefined where a record has none. */
const PLACEHOLDERS = {
  type: ({ type }) => type.name,
  slug: ({ head }) => String(head.fields.slug ?? ''),
  id: ({ head }) => head.key.id,
  path: ({ head }) => {
    const path = idToPath(head.key.id)
    return path.slice(0, path.lastIndexOf('/') + 1) + String(head.fields.slug ?? '')
  },
  year: ({ date }) => date()[0],
  month: ({ date }) => date()[1],
  day: ({ date }) => date()[2],
} as const satisfies Record<string, (of: AddressParts) => string | undefined>

/** The names of the placeholders of a permalink. */
export const PERMALINK_PLACEHOLDERS = Object.keys(PLACEHOLDERS) as readonly (keyof typeof PLACEHOLDERS)[]

const PLACEHOLDER = new RegExp(`\\{(${PERMALINK_PLACEHOLDERS.join('|')})\\}`, 'g')

function filled(template: string, type: ContentType, head: Located): Permalink {
  let day: readonly string[] | undefined
  const date = () => {
    const published = instantOf(head.fields.published_at)
    day ??= published === undefined ? [] : dayAt(published, type.timezone).split('-')
    return day
  }
  let missing = false
  const text = template.replace(PLACEHOLDER, (_, name: keyof typeof PLACEHOLDERS) => {
    const value = PLACEHOLDERS[name]({ type, head, date })
    missing ||= value === undefined
    return encodePath(value ?? '')
  })
  if (missing) return { url: null, fault: `has no published_at, which the permalink "${template}" needs` }
  return placed(text)
}

/** Encodes a path that is not to be decoded: a `%` in a slug is a `%`. */
function encodePath(path: string): string {
  return path.replaceAll('%', '%25')
}

/** Returns the address of a page at a path, or the reason why no page can be there. */
export function placed(path: string): Permalink {
  // A record may have a hundred thousand aliases: nothing but its first part can be wrong with a plain path that is short.
  if (path.length <= MAX_SEGMENT_BYTES && PLAIN_PATH.test(path) && !isTakenPlain(path)) return { url: path }
  if (path.length > LONGEST) return { url: null, fault: `has an address of more than ${LONGEST.toLocaleString('en')} characters` }
  const url = plainPath(path)
  if (url === undefined) return { url: null, fault: `has the address "${path}", whose percent-encoding is broken` }
  const segments = url.slice(1).split('/')
  if (isTaken(url) || TAKEN_PATH.test(url)) {
    return { url: null, fault: `has the address "${url}", which belongs to Quire itself` }
  }
  if (segments.slice(0, -1).some((segment) => FILE.test(segment))) {
    return { url: null, fault: `has the address "${url}", which goes on behind the name of a page (.html)` }
  }
  const fault = url === '/' ? undefined : firstFault(segments)
  return fault === undefined ? { url } : { url: null, fault: `has the address "${url}", which ${fault}` }
}

function firstFault(segments: readonly string[]): string | undefined {
  for (const segment of segments) {
    const fault = segmentFault(decodeURIComponent(segment))
    if (fault !== undefined) return fault
  }
  return undefined
}

function segmentFault(segment: string): string | undefined {
  if (segment.startsWith('.')) return 'has a part that begins with a dot'
  if (NOT_IN_FILE_NAMES.test(segment) || segment.includes('/')) return 'has a character that a file name can not have'
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `has a part of more than ${MAX_SEGMENT_BYTES} bytes`
  return undefined
}

/** Returns the address of a path of names, `/` between them, that are not encoded: `/blog/a%20b.jpg`. */
export function addressOfPath(path: string): string {
  return `/${path.split('/').map(encodeSegment).join('/')}`
}

/** Returns the names that a plain path stands for, `/` between them. */
export function pathOfAddress(address: string): string {
  return address.slice(1).split('/').map(decodeURIComponent).join('/')
}

/** RFC 3986 path segment, without the marks that end a path. */
function encodeSegment(segment: string): string {
  if (PLAIN_PART.test(segment)) return segment
  return encodeURI(composed(segment)).replaceAll('/', '%2F').replaceAll('?', '%3F').replaceAll('#', '%23')
}

/** As `isTaken`, of a plain path; also what else belongs to Quire. */
function isTakenPlain(path: string): boolean {
  const end = path.indexOf('/', 1)
  const first = path.slice(1, end < 0 ? undefined : end)
  return TAKEN_SEGMENTS.has(first.toLowerCase()) || path === '/404' || first === '_redirects'
}

/** True for a path, percent-encoded, that begins with one of `TAKEN_SEGMENTS`, in whatever case. */
export function isTaken(path: string): boolean {
  return TAKEN_SEGMENTS.has(firstSegment(path))
}

function firstSegment(path: string): string {
  const segment = /[^/]+/.exec(path)?.[0] ?? ''
  try {
    return decodeURIComponent(segment).toLowerCase()
  } catch {
    return segment
  }
}
