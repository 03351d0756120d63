import { dirname, join } from 'node:path'
import { isRecordName } from '#core/files/layout.ts'
import { draftWords } from '#frontmatter/other-tools.ts'
import { InvalidInput } from '#lib/errors.ts'
import { leadsOut } from '#lib/files/leads-out.ts'
import { filesBelow, mustBeFolder, textOf } from '../folder.ts'
import type { Item, LeftItem, OpenReader, Reader, ReadingPlace, SourceFile } from '../item.ts'
import { isMediaName } from '../media-files.ts'
import { readPage } from '../pages.ts'
import { permalinkLike } from './addresses.ts'
import { type JekyllConfig, readConfig } from './config.ts'
import { JekyllRecords } from './records.ts'

/** Folders of templates and data, which are not taken over. */
const TEMPLATES = /^(?:_includes|_layouts|_sass|_plugins)\//
const HTML = /\.html?$/i

/** Opens the folder of a site of Jekyll. */
export const openJekyll: OpenReader = async (place) => {
  await mustBeFolder(place.path)
  const config = await readConfig(place.path)
  if (!config)
    throw new InvalidInput({
      path: [`There is no site of Jekyll in ${place.path}: it has neither a _config.yml nor, with none above, _posts.`],
    })
  const source = textOf(config.data.source)
  const isBelow =
    source !== undefined && !source.startsWith('/') && !source.split('/').includes('..') && !leadsOut(place.path, source)
  return new JekyllSite({ ...place, path: isBelow ? join(place.path, source) : place.path }, config)
}

class JekyllSite implements Reader {
  readonly #place: ReadingPlace
  readonly #config: JekyllConfig
  readonly #records: JekyllRecords

  constructor(place: ReadingPlace, config: JekyllConfig) {
    this.#place = place
    this.#config = config
    this.#records = new JekyllRecords(place, config)
  }

  async *files(): AsyncGenerator<SourceFile | LeftItem> {
    for await (const path of this.#paths()) {
      if (!isMediaName(path)) continue
      if (this.#hasAddress(path)) yield { path: join(this.#place.path, path), to: path.replace(/(^|\/)_/g, '$1') }
      else yield { is: 'left', from: path, reason: 'files in folders that Jekyll does not publish' }
    }
  }

  async *items(): AsyncGenerator<Item> {
    for await (const path of this.#paths()) this.#records.know(path)
    for await (const path of this.#paths()) {
      if (isMediaName(path) || path.startsWith('_config.')) continue
      yield await this.#item(path)
    }
    yield* this.#settings()
    yield* this.#records.notes()
  }

  /** Jekyll publishes what is in no folder of its own, and in those of collections that have pages, unless defaults say no. */
  #hasAddress(path: string): boolean {
    const { folder, collections, defaultsFor } = this.#config
    const below = path.startsWith(folder) ? path.slice(folder.length) : path
    const collection = collections.find(({ name, hasPages }) => hasPages && below.startsWith(`_${name}/`))
    if (draftWords(defaultsFor(path, collection?.name ?? '')).some(({ drafts }) => drafts)) return false
    return !/(?:^|\/)_/.test(collection ? below.slice(1) : path)
  }

  #paths(): AsyncGenerator<string> {
    return filesBelow(this.#place.path, this.#config.isLeftOut)
  }

  async #item(path: string): Promise<Item> {
    if (TEMPLATES.test(path)) return { is: 'left', from: path, reason: 'templates and styles' }
    if (path.startsWith('_data/'))
      return { is: 'copy', from: path, path: join(this.#place.path, path), folder: 'data', to: path.slice('_data/'.length) }
    if (HTML.test(path)) return { is: 'left', from: path, reason: 'pages of HTML, which are templates mostly' }
    if (!isRecordName(path) || /\.ya?ml$/i.test(path))
      return { is: 'left', from: path, reason: 'files that are neither texts nor media' }
    const place = this.#records.placeOf(path)
    if (!place) return { is: 'left', from: path, reason: 'names that begin with a dot or an underscore' }
    const page = await readPage(join(this.#place.path, path), path)
    if ('problem' in page) return { is: 'problem', ...page.problem }
    const hasHead = page.body.length !== page.bytes.length && /^\ufeff?[-+]{3}/.test(page.bytes.toString('utf8', 0, 16))
    if (!hasHead) return { is: 'left', from: path, reason: 'texts without front matter, which Jekyll copies as they are' }
    if (page.data.redirect_to !== undefined)
      return { is: 'left', from: path, reason: 'pages that only lead elsewhere (redirect_to)' }
    return this.#records.record(place, page, dirname(path))
  }

  *#settings(): Generator<Item> {
    const { title, url, lang, locale, timezone, description } = this.#config.data
    const text = textOf(description)
    if (text !== undefined)
      yield { is: 'data', from: '_config.yml', kind: 'settings', id: 'site', set: { description: text.replace(/\s+/g, ' ') } }
    const said = Object.entries({ name: title, url, locale: lang ?? locale, timezone }).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [`${name}: ${JSON.stringify(value)}`] : [],
    )
    if (said.length > 0)
      yield { is: 'note', text: `Say in cms.config.yaml what the site is called: site: { ${said.join(', ')} }` }
    const permalink = permalinkLike(this.#config.permalink)
    if (permalink === undefined || this.#place.types.get('posts')?.permalink === permalink) return
    yield {
      is: 'note',
      text: `With types: { posts: { permalink: "${permalink}" } } in cms.config.yaml, posts stay at their addresses.`,
    }
  }
}
