import { likeSegment, RESERVED_TYPES } from '#core/key.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Fields } from '#lib/json.ts'
import type { RecordItem } from '../item.ts'
import { likeSlug } from '../places.ts'
import type { Ancestors } from './ancestors.ts'
import type { Attachments } from './attachments.ts'
import { bodyOf } from './bodies.ts'
import { restrictedBy } from './restrictions.ts'
import type { WxrItem } from './wxr.ts'

/** Everything beside a text that its record is made of. */
export interface Surroundings {
  readonly ancestors: Ancestors
  readonly attachments: Attachments
  readonly pages: ReadonlyMap<string, { readonly slug: string; readonly parent: string }>
  readonly types: ContentTypes
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['post', 'posts'],
  ['page', 'pages'],
])
/** Most pages that one is below. */
const DEEPEST = 20

/** Returns the record of a text of WordPress. */
export function recordOf(item: WxrItem, from: string, around: Surroundings): RecordItem {
  const { texts, terms, meta } = item
  const { post_type = 'post', title = '', post_name = '', post_id = '', creator = '', link = '' } = texts
  const named = TYPES.get(post_type) ?? likeSegment(post_type)
  const type = RESERVED_TYPES.has(named) ? `${named}-posts` : named
  // What was never public has no name yet, and titles are not unique.
  const slug = idLike(post_name) || [idLike(title) || post_type, post_id].join('-')
  const id = type === 'pages' ? [...parentsOf(texts.post_parent ?? '', around.pages), slug].join('~') : slug
  const { attachments } = around
  const { body, shortcodes } = bodyOf(texts.encoded ?? '', (ids) => ids.flatMap((one) => attachments.picture(one) ?? []))
  const cover = attachments.picture(meta._thumbnail_id ?? '')
  const live = around.types.get(type)?.liveStatus ?? 'published'
  const set: Fields = {
    title: title.trim() || slug,
    status: live,
    ...dated(texts),
    ...(creator !== '' && { author: idLike(creator) }),
    ...termsOf(terms),
    ...(texts.excerpt?.trim() && { excerpt: texts.excerpt.trim() }),
    ...(cover && { cover: cover.src }),
    ...saidByPlugins(meta),
  }
  return {
    ...{ is: 'record', from, type, id, set, body, hidden: hiddenBy(item) ?? around.ancestors.hiding(texts) },
    address: pathOf(link),
    foreign: { 'shortcodes of WordPress, which are shown as text': shortcodes },
    locate: (href) => attachments.pathsOf(href),
  }
}

/** Returns an id like a name of WordPress, which may be percent-encoded. */
export function idLike(name: string): string {
  try {
    return likeSlug(decodeURIComponent(name))
  } catch {
    return likeSlug(name)
  }
}

/**
 * The reason why not everyone could read a text; what is not known is one. Plugins keep messages of forms and coupons as published
 * texts of sorts that have no addresses.
 */
export function hiddenBy(item: Pick<WxrItem, 'texts' | 'meta'>): string | undefined {
  const { status = '', post_password = '', post_type = 'post', link = '' } = item.texts
  if (post_password.trim() !== '') return 'they had a password'
  if (!TYPES.has(post_type) && pathOf(link) === undefined) return `those of sort ${post_type} had no addresses of their own`
  if (status === 'publish' || status === 'future') return restrictedBy(item)
  return status === 'private' ? 'they were private' : `their status was ${status === '' ? 'not said' : status}`
}

/** The end of a text, and that search engines are to pass it. */
function saidByPlugins(meta: WxrItem['meta']): Fields {
  const until = meta['_expiration-date-status'] === 'saved' ? Number(meta['_expiration-date']) * 1000 : Number.NaN
  const isPassed =
    meta['_yoast_wpseo_meta-robots-noindex'] === '1' ||
    meta._genesis_noindex === '1' ||
    meta._seopress_robots_index === 'yes' ||
    meta.rank_math_robots?.includes('"noindex"') === true
  return {
    ...(until > 0 && until < Date.parse(FAR) && { expires_at: new Date(until).toISOString() }),
    ...(isPassed && { noindex: true }),
  }
}

/** Times in UTC; those of drafts are none. */
function dated({ post_date_gmt = '', post_date = '', post_modified_gmt = '', status }: WxrItem['texts']): Fields {
  const [published, updated] = [
    instant(post_date_gmt) ?? (status === 'future' ? FAR : instant(post_date)),
    instant(post_modified_gmt),
  ]
  return { ...(published !== undefined && { published_at: published }), ...(updated !== undefined && { updated_at: updated }) }
}

/** A day that never comes: a text that is to come at a time which can't be read must not come at once. */
const FAR = '9999-12-31T00:00:00.000Z'

function instant(text: string): string | undefined {
  const [, day, time] = /^\s*(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)\s*$/.exec(text) ?? []
  if (day === undefined || day === '0000-00-00') return undefined
  const at = Date.parse(`${day}T${time}Z`)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

function termsOf(terms: WxrItem['terms']): Fields {
  const of = (taxonomy: string) => [
    ...new Set(terms.filter((one) => one.taxonomy === taxonomy).map(({ slug, name }) => idLike(slug || name))),
  ]
  const [categories, tags] = [of('category'), of('post_tag')]
  return { ...(categories.length > 0 && { categories }), ...(tags.length > 0 && { tags }) }
}

function parentsOf(parent: string, pages: Surroundings['pages']): string[] {
  const found: string[] = []
  for (let id = parent; found.length < DEEPEST; ) {
    const page = pages.get(id)
    if (!page || page.slug === '') break
    found.unshift(idLike(page.slug))
    id = page.parent
  }
  return found
}

function pathOf(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const { pathname, search } = new URL(link)
  return search === '' ? pathname : undefined
}
