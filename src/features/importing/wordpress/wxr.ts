import { createReadStream } from 'node:fs'
import { Parser } from 'htmlparser2'
import { isRestriction, leavesOpen } from './restrictions.ts'

/** The most characters of one element: more than a record may have. */
const LONGEST = 3 * 1024 * 1024
/** The most pieces of one kind in an item. */
const MOST = 10_000
/** The most elements within each other: the parser takes time with the square of them. */
const DEEPEST = 1000
const PIECE = 64 * 1024

/** An author of an export. */
export interface WxrAuthor {
  readonly login: string
  readonly name: string
}

/** A category or a tag of an export. */
export interface WxrTerm {
  readonly taxonomy: string
  readonly slug: string
  readonly name: string
  readonly parent: string
  readonly description: string
}

/** A post, a page, an attachment, or anything else that WordPress keeps as one. */
export interface WxrItem {
  /** The texts of its elements, by their names without a prefix: `post_name`, `status`; `encoded` and `excerpt` are texts. */
  readonly texts: Readonly<Record<string, string>>
  readonly terms: readonly { readonly taxonomy: string; readonly slug: string; readonly name: string }[]
  /** The values of META alone, and of what keeps it from some readers. */
  readonly meta: Readonly<Record<string, string>>
  readonly comments: number
  /** True where a text of it is too long, and is not here whole. */
  readonly isCut: boolean
}

/** The names of what is read of the many things that WordPress and its plugins note of an item. */
const META: ReadonlySet<string> = new Set([
  ...['_thumbnail_id', '_wp_attachment_image_alt', '_expiration-date', '_expiration-date-status'],
  ...['_yoast_wpseo_meta-robots-noindex', 'rank_math_robots', '_seopress_robots_index', '_genesis_noindex'],
])

/** A part of an export, as it comes. */
export type WxrPart =
  | { readonly is: 'site'; readonly name: string; readonly text: string }
  | ({ readonly is: 'author' } & WxrAuthor)
  | ({ readonly is: 'term' } & WxrTerm)
  | ({ readonly is: 'item' } & WxrItem)
  | { readonly is: 'broken'; readonly message: string }

/**
 * Reads an export of WordPress piece by piece, whatever its length: of its items one is in memory at a time. Only the five entities
 * of XML and those of numbers are read; what a document type declares is not.
 */
export async function* readWxr(path: string): AsyncGenerator<WxrPart> {
  const reader = new WxrReader()
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true })
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE })) {
    parser.write(piece)
    yield* reader.taken()
    if (reader.isTooDeep)
      return yield { is: 'broken', message: `The export has elements over ${DEEPEST} deep within each other: it is none.` }
  }
  parser.end()
  yield* reader.taken()
  if (!reader.isWxr) yield { is: 'broken', message: 'This is no export of WordPress (WXR): it has no <rss> with a <channel>.' }
  else if (!reader.isWhole)
    yield { is: 'broken', message: 'The export is cut short: it has no end. What it has until there is imported.' }
}

interface Item {
  readonly texts: Record<string, string>
  readonly terms: { taxonomy: string; slug: string; name: string }[]
  readonly meta: Record<string, string>
  comments: number
  isCut: boolean
}

/** Elements whose text is told of a site, of an author and of a term. */
const OF_SITE: ReadonlySet<string> = new Set(['title', 'link', 'description', 'language', 'base_site_url', 'base_blog_url'])
/** Matches the elements of an item that are WordPress's own: plugins add some that have other prefixes. */
const OF_ITEM = /^(?:(?:wp|dc|content|excerpt):)?[^:]+$/
const TERMS: Readonly<Record<string, string>> = { 'wp:category': 'category', 'wp:tag': 'post_tag', 'wp:term': '' }

class WxrReader {
  isWxr = false
  isWhole = false
  #parts: WxrPart[] = []
  #path: string[] = []
  #text = ''
  #item: Item | undefined
  #said: Record<string, string> = {}
  #category: Readonly<Record<string, string>> = {}

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#path.push(name)
    this.#text = ''
    if (this.isTooDeep) return
    if (this.#path.length === 2 && this.#path.join('/') === 'rss/channel') this.isWxr = true
    if (!this.isWxr) return
    if (name === 'item') {
      this.#item = { texts: {}, terms: [], meta: {}, comments: 0, isCut: false }
    } else if (name === 'category') this.#category = attributes
    else if (name === 'wp:author' || Object.hasOwn(TERMS, name) || name === 'wp:postmeta') this.#said = {}
  }

  ontext(text: string): void {
    if (this.#text.length <= LONGEST) this.#text += text
    else if (this.#item && this.#path.at(-2) === 'item') this.#item.isCut = true
  }

  onclosetag(name: string, isImplied: boolean): void {
    const text = this.#text
    this.#text = ''
    const parent = this.#path.at(-2)
    this.#path.pop()
    // What the end of the file closes is not whole.
    if (!this.isWxr || isImplied) return
    if (name === 'rss') this.isWhole = true
    if (this.#item) this.#closeInItem(this.#item, { name, parent, text })
    else if (name === 'wp:author') this.#closeAuthor()
    else if (Object.hasOwn(TERMS, name)) this.#closeTerm(name)
    else if (parent === 'wp:author' || Object.hasOwn(TERMS, parent ?? '')) this.#said[plain(name)] = text
    else if (parent === 'channel' && OF_SITE.has(plain(name))) this.#parts.push({ is: 'site', name: plain(name), text })
  }

  get isTooDeep(): boolean {
    return this.#path.length > DEEPEST
  }

  /** The parts that have been read since the last time. */
  *taken(): Generator<WxrPart> {
    const parts = this.#parts
    this.#parts = []
    yield* parts
  }

  #closeInItem(item: Item, { name, parent, text }: { name: string; parent: string | undefined; text: string }): void {
    if (name === 'item') {
      this.#item = undefined
      this.#parts.push({ is: 'item', ...item })
    } else if (name === 'wp:comment') item.comments++
    else if (parent === 'wp:postmeta') this.#said[plain(name)] = text
    else if (name === 'wp:postmeta') this.#closeMeta(item)
    else if (parent !== 'item') return
    else if (name === 'category') {
      const { domain = '', nicename = '' } = this.#category
      if (item.terms.length < MOST) item.terms.push({ taxonomy: domain, slug: nicename, name: text })
    } else if (OF_ITEM.test(name)) item.texts[name === 'excerpt:encoded' ? 'excerpt' : plain(name)] = text
  }

  #closeMeta({ meta }: Item): void {
    const { meta_key: key, meta_value: value = '' } = this.#said
    if (key === undefined || !(META.has(key) || isRestriction(key))) return
    // A plugin may have a note for each sort of readers: one that is for everyone takes none of the others back.
    const before = meta[key]
    if (before === undefined || !isRestriction(key) || leavesOpen(before)) meta[key] = value
  }

  #closeAuthor(): void {
    const { author_login: login = '', author_display_name: name = '' } = this.#said
    if (login !== '') this.#parts.push({ is: 'author', login, name: name === '' ? login : name })
  }

  #closeTerm(element: string): void {
    const said = this.#said
    const first = element === 'wp:category' ? 'category' : element === 'wp:tag' ? 'tag' : 'term'
    const taxonomy = TERMS[element] || (said.term_taxonomy ?? '')
    const slug = (first === 'category' ? said.category_nicename : said[`${first}_slug`]) ?? ''
    const name = (first === 'category' ? said.cat_name : said[`${first}_name`]) ?? slug
    const parent = said[`${first}_parent`] ?? ''
    this.#parts.push({ is: 'term', taxonomy, slug, name, parent, description: said[`${first}_description`] ?? '' })
  }
}

/** A name without its prefix: `wp:post_name` is `post_name`. */
function plain(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
