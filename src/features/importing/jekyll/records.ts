import { join } from 'node:path'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import type { Fields, Json } from '#lib/json.ts'
import { withoutComments } from '../comments.ts'
import { textOf, textsOf } from '../folder.ts'
import type { Item, ReadingPlace, RecordItem } from '../item.ts'
import { type Page, pathsOf } from '../pages.ts'
import { placeOfRecord } from '../places.ts'
import { addressInCollection, addressOfPage, addressOfPost, type Located } from './addresses.ts'
import type { Collection, JekyllConfig } from './config.ts'
import { withHeadingIds } from './heading-ids.ts'
import { withoutLiquid } from './liquid.ts'

const DATED = /^(\d{4}-\d{1,2}-\d{1,2})-(.+)$/

/** The record that a file of Jekyll becomes. */
export interface JekyllPlace {
  readonly path: string
  readonly sort: 'post' | 'draft' | 'page' | Collection
  readonly type: string
  readonly id: string
  readonly file: string
  /** `2020-03-04`; '' for none. */
  readonly date: string
  readonly categories: readonly string[]
}

/** Makes records of the files of a site of Jekyll. */
export class JekyllRecords {
  readonly #place: ReadingPlace
  readonly #config: JekyllConfig
  /** The places of records by the paths of their files; the paths of posts by the names that tags have for them. */
  readonly #known = new Map<string, JekyllPlace>()
  readonly #posts = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #passedOver = new Set<string>()

  constructor(place: ReadingPlace, config: JekyllConfig) {
    this.#place = place
    this.#config = config
  }

  /** Takes note of a file, so that others may name it. Of two posts with one name on two days, the second keeps its day. */
  know(path: string): void {
    const place = this.#found(path)
    if (!place) return
    const text = `${place.type}/${place.id}`.toLowerCase()
    const isTaken = place.date !== '' && this.#taken.has(text)
    const id = isTaken ? place.id.replace(/[^~]+$/, `${place.date}-$&`) : place.id
    this.#taken.add(`${place.type}/${id}`.toLowerCase())
    this.#known.set(path, { ...place, id, file: isTaken ? place.file.replace(/[^/]+$/, `${place.date}-$&`) : place.file })
    if (place.sort === 'post') this.#posts.set(path.replace(/^(?:.*\/)?_posts\//, '').replace(/\.\w+$/, ''), path)
  }

  /** The record that a file which is known becomes. */
  placeOf(path: string): JekyllPlace | undefined {
    return this.#known.get(path)
  }

  /** The record of a file that was read; `folder` is that of the file, from the site's. */
  record(place: JekyllPlace, page: Page, folder: string): RecordItem {
    const { path, sort, type, id, file, date } = place
    const defaults = this.#config.defaultsFor(path, typeOf(sort))
    for (const name of Object.keys(defaults)) if (!TAKEN.has(name)) this.#passedOver.add(name)
    const data: Fields = { ...defaults, ...page.data }
    const categories = [...place.categories, ...termsOf(data.categories ?? data.category)]
    const tags = termsOf(data.tags ?? data.tag)
    const own = termsSaid(page.data, { categories, tags })
    const {
      body: text,
      left,
      hides,
    } = withoutLiquid(page.body, {
      postUrl: (name) => this.#address(this.#posts.get(name.replace(/^\/?(?:_posts\/)?/, ''))),
      link: (name) => this.#address(name.replace(/^\//, '')) ?? `/${name.replace(/^\//, '')}`,
      page: (name) => textOf(page.data[name]),
      site: (name) => (MADE.has(name) ? undefined : textOf(this.#config.data[name])),
    })
    const title = textOf(page.data.slug) ?? (id.split('~').at(-1) ?? '').replace(DATED, '$2')
    const located = { date: dayOf(data.date) || date, title, categories, collection: type, path: pathIn(path, sort) }
    const { address, permalink } = this.#addresses(place, data, located)
    const roots = { absolute: [this.#place.path], within: this.#place.path }
    return {
      ...{ is: 'record', from: path, type, id, file, source: page.bytes, data: page.data },
      ...{ body: withHeadingIds(withoutComments(text, 'jekyll')), address },
      set: {
        ...own,
        ...(permalink !== undefined && { permalink }),
        ...(date !== '' && page.data.date === undefined && { published_at: date }),
        ...(defaults.author !== undefined && page.data.author === undefined && { author: defaults.author }),
      },
      hidden: this.#hidden(place, defaults, page.data) ?? hides,
      foreign: { 'tags and expressions of Liquid, which are shown as text': left },
      locate: (href) => pathsOf(withoutBase(href, this.#config.data.baseurl), join(this.#place.path, folder), roots),
    }
  }

  /** The notes on values of defaults that are not written into records. */
  *notes(): Generator<Item> {
    const names = [...this.#passedOver].sort()
    if (names.length > 0)
      yield {
        is: 'note',
        text: `Values of defaults are not written into the records, but for what hides them: ${names.join(', ')}.`,
      }
  }

  #hidden({ sort, date }: JekyllPlace, defaults: Fields, data: Readonly<Fields>): string | undefined {
    if (sort === 'draft') return 'they were drafts'
    if (sort === 'post' && date === '') return 'posts without a day in their names had no pages'
    const keys = hidingKeys(defaults, this.#place.now).filter((key) => data[key] === undefined)
    return keys.length > 0 ? `defaults of _config.yml hide them (${keys.join(', ')})` : undefined
  }

  /** The address that a page had, and the permalink that it has to say: of a collection without pages, none. */
  #addresses({ sort, path }: JekyllPlace, data: Fields, located: Located) {
    const said = textOf(data.permalink)
    const style = this.#config.permalink
    if (typeof sort === 'object' && !sort.hasPages) return { permalink: false }
    const isPost = sort === 'post' || sort === 'draft'
    if (said !== undefined) {
      const address = said.includes(':') || !said.startsWith('/') ? addressOfPost(said, located) : undefined
      return address === undefined ? {} : { permalink: address }
    }
    if (isPost) return { address: addressOfPost(style, located) }
    if (sort === 'page') return { address: addressOfPage(path.replace(/\.\w+$/, ''), style) }
    return { address: addressInCollection(sort.permalink, style, located) }
  }

  #address(path: string | undefined): string | undefined {
    const place = path === undefined ? undefined : this.#known.get(path)
    return place && encodeURI(`/${place.file}`)
  }

  #found(path: string): JekyllPlace | undefined {
    const { folder, collections } = this.#config
    const below = path.startsWith(folder) ? path.slice(folder.length) : path
    const collection = collections.find(({ name }) => below.startsWith(`_${name}/`))
    const [, before = '', sort, name = ''] = /^(?:(.*)\/)?_(posts|drafts)\/(.+)$/.exec(below) ?? []
    if (sort === undefined) {
      const place = placeOfRecord(collection ? below.slice(1) : path)
      return place && { ...place, path, sort: collection ?? 'page', date: '', categories: [] }
    }
    // Jekyll passes over what begins so, with the folder of the posts or at the end of the path.
    if (/^[._#~]|\/[._#~][^/]*$/.test(name)) return undefined
    const file = name.slice(name.lastIndexOf('/') + 1)
    const [, date = '', rest = file] = DATED.exec(file) ?? []
    const place = placeOfRecord(`posts/${rest}`)
    const day = date === '' ? '' : date.replace(/-(\d)(?!\d)/g, '-0$1')
    const categories = before.split('/').filter((one) => one !== '')
    return place && { ...place, path, sort: sort === 'posts' ? 'post' : 'draft', date: day, categories }
  }
}

/** Values of defaults that are taken over, or mean nothing here. */
const TAKEN: ReadonlySet<string> = new Set([
  'permalink',
  'categories',
  'category',
  'tags',
  'tag',
  'author',
  'published',
  'layout',
])

/** Values of `site` that Jekyll makes, whatever the configuration says. */
const MADE: ReadonlySet<string> = new Set(['categories', 'collections', 'data', 'documents', 'pages', 'posts', 'tags', 'time'])

function typeOf(sort: JekyllPlace['sort']): string {
  return typeof sort === 'object' ? sort.name : `${sort}s`
}

/** The path below its collection, without its ending. */
function pathIn(path: string, sort: JekyllPlace['sort']): string {
  const below = typeof sort === 'object' ? path.slice(path.indexOf(`_${sort.name}/`) + sort.name.length + 2) : path
  return below.replace(/\.\w+$/, '')
}

/** Terms are a list, or words with spaces between them. */
function termsOf(value: Json | undefined): string[] {
  if (typeof value === 'string')
    return value
      .split(value.includes(',') ? ',' : /\s+/)
      .map((name) => name.trim())
      .filter(Boolean)
  return textsOf(value)
}

/** The terms that a record has to say because its front matter does not, or says in a way that has another meaning here. */
function termsSaid(data: Readonly<Fields>, wanted: { readonly categories: string[]; readonly tags: string[] }): Fields {
  const found: Fields = {}
  for (const [name, terms] of Object.entries(wanted)) {
    const said = data[name] ?? data[name === 'tags' ? 'tag' : 'category']
    const isSame = Array.isArray(said) && said.length === terms.length
    if (terms.length > 0 && !isSame && !(typeof said === 'string' && terms.length === 1)) found[name] = terms
  }
  return found
}

function dayOf(value: Json | undefined): string {
  return /^\s*(\d{4}-\d\d-\d\d)/.exec(String(value ?? ''))?.[1] ?? ''
}

function withoutBase(href: string, base: Json | undefined): string {
  const prefix = textOf(base)?.replace(/\/+$/, '') ?? ''
  return prefix !== '' && href.startsWith(`${prefix}/`) ? href.slice(prefix.length) : href
}
