import { dirname, join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { hidingKeys } from '#frontmatter/hiding-words.ts'
import { InvalidInput } from '#lib/errors.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import type { Fields } from '#lib/json.ts'
import { besideHidden, HiddenFolders } from '../bundles.ts'
import { withoutComments } from '../comments.ts'
import { filesBelow, isFile, mustBeFolder, objectOf, textOf } from '../folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, RecordItem, SourceFile } from '../item.ts'
import { isMediaName } from '../media-files.ts'
import { pathsOf, readPage, recordOfPage } from '../pages.ts'
import { placeOfRecord } from '../places.ts'
import { mustBeOf } from '../tells.ts'
import { addressOf, patternsOf, permalinkLike } from './addresses.ts'
import { Cascades } from './cascades.ts'
import { type ContentFolder, type HugoConfig, readConfig } from './config.ts'
import { HugoDates } from './dates.ts'
import { withJsonFences } from './json-head.ts'
import { HugoMenus } from './menus.ts'
import { PageBundles } from './page-bundles.ts'
import { restrictedBy, withoutShortcodes } from './shortcodes.ts'
import { isTermFile, termOf } from './terms.ts'

const ENDINGS_OF_TEXTS = /\.(?:html?|org|adoc|asciidoc|ad|rst|pandoc|pdc)$/i

/** Opens the folder of a site of Hugo. */
export const openHugo: OpenReader = async (place) => {
  await mustBeFolder(place.path)
  await mustBeOf('hugo', place.path)
  const config = await readConfig(place.path)
  if (config.content.length === 0)
    throw new InvalidInput({ path: [`There is no content of Hugo in ${place.path}: it has no content/ folder.`] })
  return new HugoSite(place, config)
}

class HugoSite implements Reader {
  readonly #place: ReadingPlace
  readonly #config: HugoConfig
  readonly #patterns: ReadonlyMap<string, string>
  readonly #menus = new HugoMenus()
  readonly #dates: HugoDates

  constructor(place: ReadingPlace, config: HugoConfig) {
    this.#place = place
    this.#config = config
    this.#patterns = patternsOf(config.data.permalinks)
    this.#dates = new HugoDates(config.data.frontmatter)
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    for (const { root, prefix, isLeftOut } of this.#config.statics)
      for await (const path of filesBelow(root, isLeftOut))
        if (isMediaName(path)) yield { path: join(root, path), to: prefix + path }
    for (const { root, shown, isLeftOut } of this.#config.content) {
      const cascades = new Cascades(root, this.#config.cascade, this.#place.now)
      const isHidden = async (path: string) => {
        const { build, hiding } = await cascades.hiding(path)
        return build !== undefined || hiding.length > 0
      }
      const hidden = new HiddenFolders(root, this.#place.now, isHidden, withJsonFences)
      for await (const path of filesBelow(root, isLeftOut)) {
        if (!isMediaName(path)) continue
        if (await hidden.hides(path)) yield besideHidden(`${shown}/${path}`)
        else yield { path: join(root, path), to: path }
      }
    }
  }

  async *items(): AsyncGenerator<Item> {
    const [main] = this.#config.content
    if (main)
      await this.#menus.addConfigured(this.#config.data.menus ?? this.#config.data.menu, (page) => recordAt(main.root, page))
    for (const folder of this.#config.content) yield* this.#itemsIn(folder)
    yield* this.#menus.items()
    yield* this.#settings()
    yield* this.#rest()
  }

  async *#itemsIn(folder: ContentFolder): AsyncGenerator<Item> {
    const cascades = new Cascades(folder.root, this.#config.cascade, this.#place.now)
    const bundles = new PageBundles(folder.root, folder.isLeftOut)
    for await (const path of filesBelow(folder.root, folder.isLeftOut)) {
      const shown = `${folder.shown}/${path}`
      if (isRecordName(path)) yield await this.#item(folder, path, { cascades, isPart: await bundles.isPart(path) })
      else if (ENDINGS_OF_TEXTS.test(path)) yield { is: 'left', from: shown, reason: 'texts that are no Markdown' }
      else if (!isMediaName(path)) yield { is: 'left', from: shown, reason: 'files that are neither texts nor media' }
    }
    const names = [...cascades.passedOver].sort()
    if (names.length > 0)
      yield {
        is: 'note',
        text: `Values of cascade are not written into the pages below, but for what hides them: ${names.join(', ')}.`,
      }
  }

  async #item(folder: ContentFolder, path: string, { cascades, isPart }: { cascades: Cascades; isPart: boolean }): Promise<Item> {
    const shown = `${folder.shown}/${path}`
    const place = placeOfRecord(inLanguage(path, folder.language))
    if (!place) return { is: 'left', from: shown, reason: 'names that begin with a dot or an underscore' }
    const page = await readPage(join(folder.root, path), shown, withJsonFences)
    if ('problem' in page) return { is: 'problem', ...page.problem }
    const { types } = this.#place
    const from = dirname(join(folder.root, path))
    const record = recordOfPage(page, { ...place, from: shown, locate: (href) => this.#pathsOf(href, from) })
    const { build, hiding } = await cascades.hiding(path)
    if (isTermFile(path, types.taxonomies()))
      return termOf(path, shown, { ...page, isHidden: hiding.length > 0 || hidingKeys(page.data, this.#place.now).length > 0 })
    const above = hiding.length > 0 ? `a cascade hides them (${hiding.join(', ')})` : undefined
    const dates = this.#dates.hiding(path, page.data, this.#place.now)
    const byDate = dates.length > 0 ? `the dates of the configuration hide them (${dates.join(', ')})` : undefined
    const hidden = isPart
      ? 'parts of a page bundle had no pages'
      : (above ?? byDate ?? restrictedBy(page.body, this.#place.shortcodes))
    if (!isPart) this.#menus.addPage(page.data, place)
    const set: Fields = build && page.data.build === undefined && page.data._build === undefined ? { build } : {}
    return this.#converted({ ...record, set, hidden, address: this.#addressOf(folder, path, page.data) }, path)
  }

  #converted(record: RecordItem, path: string): RecordItem {
    const { shortcodes } = this.#place
    const text = shortcodes.has('comment') ? record.body : withoutComments(record.body, 'hugo')
    const { body, unknown } = withoutShortcodes(text, shortcodes, (to) => referred(to, path))
    const { url } = record.data ?? {}
    const permalink = typeof url === 'string' && /^[^/:]+$/.test(url) ? { permalink: `/${url}` } : {}
    const set = { ...record.set, ...permalink }
    return { ...record, body, set, foreign: { 'shortcodes, which are shown as text': unknown } }
  }

  #addressOf({ language }: ContentFolder, path: string, data: Readonly<Fields>): string | undefined {
    const { uglyurls } = this.#config.data
    const address = addressOf({ path, data }, this.#patterns, uglyurls === true)
    return address === undefined || language === '' ? address : `/${language}${address}`
  }

  /** Returns the files that a link may lead to, of a page in the folder `from`. */
  #pathsOf(href: string, from: string): string[] {
    const { statics, content } = this.#config
    const within = this.#place.path
    const mounted = statics.flatMap(({ root, prefix }) =>
      href.startsWith(`/${prefix}`) ? pathsOf(href.slice(prefix.length), from, { absolute: [root], within }) : [],
    )
    return [...mounted, ...pathsOf(href, from, { absolute: content.map(({ root }) => root), within })]
  }

  *#settings(): Generator<Item> {
    const { title, baseurl, languagecode, locale, params, permalinks } = this.#config.data
    const description = textOf(objectOf(params).description)
    if (description !== undefined) yield { is: 'data', from: 'configuration', kind: 'settings', id: 'site', set: { description } }
    const said = Object.entries({ name: title, url: baseurl, locale: languagecode ?? locale }).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [`${name}: ${JSON.stringify(value)}`] : [],
    )
    if (said.length > 0)
      yield { is: 'note', text: `Say in cms.config.yaml what the site is called: site: { ${said.join(', ')} }` }
    for (const [name, pattern] of patternsOf(permalinks)) {
      const permalink = permalinkLike(pattern)
      if (permalink === undefined || this.#place.types.get(name)?.permalink === permalink) continue
      yield {
        is: 'note',
        text: `With types: { ${name}: { permalink: "${permalink}" } } in cms.config.yaml, pages of ${name} stay at their addresses.`,
      }
    }
  }

  async *#rest(): AsyncGenerator<Item> {
    for (const { root, prefix, isAssets, isLeftOut } of this.#config.statics)
      for await (const path of filesBelow(root, isLeftOut)) {
        const from = `${root.slice(this.#place.path.length + 1)}/${path}`
        if (isMediaName(path)) continue
        if (isAssets) yield { is: 'left', from, reason: 'styles and scripts of assets/' }
        else yield { is: 'copy', from, path: join(root, path), folder: 'static', to: prefix + path }
      }
    const data = leadsOut(this.#place.path, 'data') ? [] : filesBelow(join(this.#place.path, 'data'))
    for await (const path of data)
      yield { is: 'copy', from: `data/${path}`, path: join(this.#place.path, 'data', path), folder: 'data', to: path }
    const own = new Set(this.#place.types.taxonomies().map(({ name }) => name))
    const { taxonomies } = this.#config.data
    const others = Object.values(objectOf(taxonomies)).filter((name) => typeof name === 'string' && !own.has(name))
    if (others.length > 0)
      yield { is: 'note', text: `Declare under taxonomies in cms.config.yaml what else sorts pages: ${others.join(', ')}.` }
  }
}

/** A file of another language comes to be in a folder of that name, below that of its type. */
function inLanguage(path: string, language: string): string {
  if (language === '') return path
  const at = path.indexOf('/')
  return at < 0 ? `${language}/${path}` : `${path.slice(0, at)}/${language}${path.slice(at)}`
}

/** The path of the file that a reference names: from its own folder where it says so, else from `content/`. */
function referred(to: string, path: string): string {
  const whole = /\.\w+$/.test(to) ? to : `${to.replace(/\/$/, '')}.md`
  if (whole.startsWith('/')) return whole
  if (/^\.{1,2}\//.test(whole)) return whole
  return whole.includes('/') || !path.includes('/') ? `/${whole}` : whole
}

async function recordAt(root: string, page: string): Promise<Fields | undefined> {
  const path = page.replace(/^\/+|\/+$/g, '').replace(/\.md$/, '')
  for (const file of [`${path}.md`, `${path}/index.md`, `${path}/_index.md`].map((one) => one.replace(/^\//, ''))) {
    const place = file.split('/').includes('..') ? undefined : placeOfRecord(file)
    if (place && (await isFile(join(root, file)))) return { type: place.type, id: place.id }
  }
  return undefined
}
