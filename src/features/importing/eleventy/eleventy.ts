import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import { yesOrNo } from '#frontmatter/other-tools.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { listedBy } from '#lib/files/lists.ts'
import type { Fields, Json } from '#lib/json.ts'
import { slugify } from '#lib/text/slug.ts'
import { besideHidden, HiddenFolders } from '../bundles.ts'
import { withoutComments } from '../comments.ts'
import { filesBelow, isFolder, mustBeFolder, objectOf, textOf, textsOf } from '../folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, SourceFile } from '../item.ts'
import { withoutLiquid } from '../jekyll/liquid.ts'
import { isMediaName } from '../media-files.ts'
import { type Page, pathsOf, readPage } from '../pages.ts'
import { placeOfRecord, type RecordPlace } from '../places.ts'
import { mustBeOf } from '../tells.ts'
import { DirectoryData, type FolderData } from './data.ts'

const CONFIGS = ['eleventy.config.js', 'eleventy.config.mjs', 'eleventy.config.cjs', 'eleventy.config.ts', '.eleventy.js']
const TEMPLATES = /\.(?:njk|liquid|html?|hbs|mustache|ejs|haml|pug|webc|vto|11ty\.\w+)$/i
const DATED = /(^|\/)(\d{4}-\d\d-\d\d)-(?=[^/]+$)/
/** Names of collections that are no tags: those of folders are added. */
const COLLECTIONS = ['all', 'nav', 'post', 'posts', 'page', 'pages']
const DATE_WORDS = /^(?:git )?(?:last modified|created)$/i

/** Opens the folder of a site of Eleventy. Its configuration is a program, and is not run. */
export const openEleventy: OpenReader = async (place) => {
  await mustBeFolder(place.path)
  await mustBeOf('eleventy', place.path)
  const configs = await Promise.all(CONFIGS.map((name) => readFile(join(place.path, name), 'utf8').catch(() => '')))
  const input = await inputOf(place.path, configs)
  const root = join(place.path, input)
  return new EleventySite(place, root, await ignoredIn(place.path, input, configs), new DirectoryData(root, input, configs))
}

/** The folder of the texts, where the configuration says it plainly. */
async function inputOf(root: string, configs: readonly string[]): Promise<string> {
  for (const code of configs) {
    const said = /\binput["']?\s*:\s*["'`]([\w./-]{1,200})["'`]|setInputDirectory\(\s*["'`]([\w./-]{1,200})["'`]/.exec(code)
    const folder = (said?.[1] ?? said?.[2] ?? constantInput(code) ?? '').replace(/^\.\/|\/+$/g, '')
    if (folder !== '' && folder !== '.' && !folder.startsWith('/') && !folder.split('/').includes('..'))
      if ((await isFolder(join(root, folder))) && !leadsOut(root, folder)) return folder
  }
  return ''
}

/** The folder of the texts where it is the value of a constant. */
function constantInput(code: string): string | undefined {
  const name = /\binput["']?\s{0,20}:\s{0,20}([a-z_]\w{0,60})\b|setInputDirectory\(\s{0,20}([a-z_]\w{0,60})\b/i.exec(code)
  const pattern =
    name && new RegExp(`\\b(?:const|let|var)\\s{1,20}${name[1] ?? name[2]}\\s{0,20}=\\s{0,20}["'\`]([\\w./-]{1,200})["'\`]`)
  return pattern?.exec(code)?.[1]
}

/** Files that Eleventy leaves out: `.eleventyignore` and `.gitignore`, of the site and of its texts. */
async function ignoredIn(root: string, input: string, configs: readonly string[]): Promise<(path: string) => boolean> {
  const lists: ((path: string) => boolean)[] = []
  for (const code of configs) {
    const said = [...code.matchAll(/\bignores\.add\(\s{0,20}["'`]([^"'`\n]{1,500})["'`]/g)].map(([, entry = '']) => entry)
    const isListed = listedBy(said, 'paths')
    if (isListed) lists.push((path) => isListed(input === '' ? path : `${input}/${path}`))
  }
  for (const name of ['.eleventyignore', '.gitignore']) {
    for (const [folder, prefix] of [
      ['', input === '' ? '' : `${input}/`],
      [input, ''],
    ] as const) {
      const text = await readFile(join(root, folder, name), 'utf8').catch(() => '')
      const lines = text.split(/\r?\n/).flatMap((line) => (line.trim() === '' || line.startsWith('#') ? [] : [line.trim()]))
      const isListed = listedBy(lines, 'ignore')
      if (isListed) lists.push((path) => isListed(`${prefix}${path}`))
    }
  }
  return (path) => path === '_site' || lists.some((isListed) => isListed(path))
}

class EleventySite implements Reader {
  readonly #place: ReadingPlace
  readonly #root: string
  readonly #isLeftOut: (path: string) => boolean
  readonly #data: DirectoryData
  readonly #programs = new Set<string>()

  constructor(place: ReadingPlace, root: string, isLeftOut: (path: string) => boolean, data: DirectoryData) {
    this.#place = place
    this.#root = root
    this.#isLeftOut = isLeftOut
    this.#data = data
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    const hidden = new HiddenFolders(this.#root, this.#place.now, async (path) => {
      const { values, hides } = await this.#data.of(path)
      return hides || hidingKeys(values, this.#place.now).length > 0
    })
    for await (const path of filesBelow(this.#root, this.#isLeftOut)) {
      if (!isMediaName(path)) continue
      if (/(?:^|\/)_/.test(path) || (await hidden.hides(path))) yield besideHidden(path)
      else yield { path: join(this.#root, path), to: path }
    }
  }

  async *items(): AsyncGenerator<Item> {
    for await (const path of filesBelow(this.#root, this.#isLeftOut)) {
      if (isMediaName(path)) continue
      if (path.startsWith('_data/'))
        yield { is: 'copy', from: path, path: join(this.#root, path), folder: 'data', to: path.slice('_data/'.length) }
      else if (/^_(?:includes|layouts|components)\//.test(path) || TEMPLATES.test(path))
        yield { is: 'left', from: path, reason: 'templates and styles' }
      else if (/\.(?:md|markdown|mdx)$/i.test(path) && isRecordName(path)) yield await this.#item(path)
      else if (!/\.(?:json|11tydata\.\w+)$/.test(path))
        yield { is: 'left', from: path, reason: 'files that are neither texts nor media' }
    }
    for (const problem of this.#data.problems) yield { is: 'problem', ...problem }
    if (this.#programs.size > 0)
      yield { is: 'note', text: `Data of programs is not known, for they are not run: ${[...this.#programs].sort().join(', ')}.` }
  }

  async #item(path: string): Promise<Item> {
    const page = await readPage(join(this.#root, path), path)
    if ('problem' in page) return { is: 'problem', ...page.problem }
    const data = await this.#data.of(path)
    for (const program of data.programs) this.#programs.add(program)
    const place = placeOf(path, page.data)
    if (!place) return { is: 'left', from: path, reason: 'names that begin with a dot or an underscore' }
    const mayHide = await this.#data.mayHide(page.data)
    return this.#record(path, page, place, mayHide ? { ...data, hides: true } : data)
  }

  #record(path: string, page: Page, place: RecordPlace, given: FolderData): Item {
    const all: Fields = { ...given.values, ...page.data }
    const { body, left, hides } = withoutLiquid(withoutComments(page.body, 'eleventy'), {
      postUrl: () => undefined,
      link: () => undefined,
      page: (name) => textOf(page.data[name]),
    })
    const { address, permalink } = addressOf(path, all)
    const folder = dirname(join(this.#root, path))
    const roots = { absolute: [this.#root, join(this.#root, 'public'), join(this.#root, 'static')], within: this.#place.path }
    const author = page.data.author === undefined ? textOf(given.values.author) : undefined
    return {
      ...{ is: 'record', from: path, type: place.type, id: place.id, file: place.file, source: page.bytes, data: page.data },
      set: {
        ...datesOf(path, page.data),
        ...tagsOf(page.data.tags, textsOf(given.values.tags)),
        ...(permalink !== undefined && { permalink }),
        ...(author !== undefined && { author }),
      },
      ...{ body, address, hidden: this.#hidden(given, page.data) ?? hides },
      foreign: { 'tags and expressions of templates, which are shown as text': left },
      locate: (href) => pathsOf(href, folder, roots),
    }
  }

  #hidden({ values, hides }: FolderData, data: Readonly<Fields>): string | undefined {
    if (hides) return 'a program gives them data that may hide them'
    const { eleventyComputed, permalink } = { ...values, ...data }
    if ([permalink, objectOf(eleventyComputed).permalink].some(maybeFalse)) return 'a template says if they had a page'
    const { permalink: _, ...others } = values
    const keys = hidingKeys(others, this.#place.now).filter((key) => data[key] === undefined)
    return keys.length > 0 ? `data of their folder hides them (${keys.join(', ')})` : undefined
  }
}

/** The record of a file: a day in its name is none of its id, and what is in no folder and among the posts is one of them. */
function placeOf(path: string, data: Readonly<Fields>): RecordPlace | undefined {
  const plain = path.replace(DATED, '$1')
  const isPost = !path.includes('/') && [data.tags ?? []].flat().some((tag) => tag === 'posts' || tag === 'post')
  return placeOfRecord(isPost ? `posts/${plain}` : plain)
}

/** The date that Eleventy takes from a name; one that says when git or the disk changed the file is none. */
function datesOf(path: string, { date }: Readonly<Fields>): Fields {
  if (typeof date === 'string' && DATE_WORDS.test(date.trim())) return { published_at: null }
  const day = DATED.exec(path)?.[2]
  return day === undefined || date !== undefined ? {} : { published_at: day }
}

/** The tags of a text without those that only make collections; nothing where they are as they were. */
function tagsOf(said: Json | undefined, ofFolder: readonly string[]): Fields {
  const tags = textsOf(said)
  const kept = tags.filter((tag) => !COLLECTIONS.includes(tag) && !ofFolder.includes(tag))
  return kept.length === tags.length ? {} : { tags: kept.length > 0 ? kept : null }
}

/** Returns whether a template may make `false` of a permalink. */
function maybeFalse(permalink: Json | undefined): boolean {
  return typeof permalink === 'string' && /\{[{%]/.test(permalink) && /\bfalse\b/.test(permalink)
}

/** The address that a page had, and the permalink that it has to say in place of its own. */
function addressOf(path: string, data: Readonly<Fields>): { readonly address?: string; readonly permalink?: Json } {
  const { permalink } = data
  if (yesOrNo(permalink) === false) return { permalink: false }
  const stem = path
    .replace(/\.\w+$/, '')
    .replace(DATED, '$1')
    .replace(/(^|\/)index$/, '$1')
  if (typeof permalink !== 'string') return { address: `/${stem.replace(/\/$/, '')}/`.replace('//', '/') }
  const slug = stem.split('/').filter(Boolean).at(-1) ?? ''
  const filled = permalink
    .replace(/\{\{-?\s*(?:page\.)?fileSlug\s*-?\}\}/g, slug)
    .replace(/\{\{-?\s*title\s*\|\s*(?:slugify|slug)\s*-?\}\}/g, slugify(textOf(data.title) ?? slug))
    .replace(/\{\{-?\s*page\.filePathStem\s*-?\}\}/g, `/${stem}`)
  // What a template makes of it is not known: the record gets the address of its type.
  if (/\{[{%]/.test(filled)) return { permalink: null }
  const plain = `/${filled}`.replace(/\/{2,}/g, '/').replace(/\/index\.html$/, '/')
  return { permalink: plain }
}
