import { SEARCH_PAGE } from '#core/permalink.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { Slices } from '#lib/slices.ts'
import type { Entry } from '../outline/site-entries.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { ownExcerpt } from '../pages/summaries.ts'
import type { RecordView, Views } from '../pages/views.ts'
import { LunrIndex } from './lunr-index.ts'
import { MOST_PAGES, mayBeSearched } from './place.ts'
import { browserModules, lunrModule } from './scripts.ts'
import { StemsThread } from './stems-thread.ts'

/** The most bytes of text, in UTF-8: an index of Lunr is three times as large, and has to be fetched whole. */
const MOST_BYTES = 3 * 1024 * 1024

/** A file by which a browser searches. */
export interface SearchFile {
  readonly contentType: string
  readonly body: Buffer
}

/** The files by which browsers search a site, by path; or why there are none, as a sentence. */
export type SearchFiles = ReadonlyMap<string, SearchFile> | string

/** Makes the files by which a browser searches what a snapshot shows, once for each snapshot. */
export class SiteSearch {
  readonly #views: Views
  readonly #locale: string
  readonly #scripts: string
  readonly #thread: StemsThread
  readonly #made = new WeakMap<SiteSnapshot, Promise<SearchFiles>>()

  /** `scripts` is the folder of the modules that run in the browser. */
  constructor(views: Views, { locale, scripts }: { locale: string; scripts: string }) {
    this.#views = views
    this.#locale = locale
    this.#thread = new StemsThread(locale)
    this.#scripts = scripts
  }

  /** The index has what is shown and is neither `noindex` nor unlisted, each page by its place in the list of documents. */
  of(snapshot: SiteSnapshot): Promise<SearchFiles> {
    const known = this.#made.get(snapshot)
    if (known) return known
    const made = this.#make(snapshot)
    this.#made.set(snapshot, made)
    made.catch(() => this.#made.delete(snapshot))
    return made
  }

  async #make(snapshot: SiteSnapshot): Promise<SearchFiles> {
    const { outline } = snapshot
    if (!mayBeSearched(outline)) {
      const pages = outline.records.size.toLocaleString('en')
      return `The site has ${pages} pages: over ${MOST_PAGES.toLocaleString('en')} can't be searched in a browser.`
    }
    const index = new LunrIndex()
    const documents: object[] = []
    let bytes = 0
    const slices = new Slices()
    for (const entry of [...outline.records.values()].filter(isSearched)) {
      if (slices.isOver) await slices.pause()
      const view = await this.#views.record(entry, snapshot)
      // Changes since the snapshot are in the next one.
      if (!view || this.#views.documents.hasStrayed(entry)) continue
      const read = await this.#thread.read(textOf(entry, view))
      bytes += read.bytes
      if (bytes > MOST_BYTES)
        return `The site has over ${MOST_BYTES / 1024 / 1024} MiB of text: that can't be searched in a browser.`
      await index.add(read.stems)
      documents.push({ title: view.title, url: view.url, excerpt: view.excerpt })
    }
    return new Map([
      [`${SEARCH_PAGE}/index.json`, json(documents.length > 0 ? await index.serialised() : EMPTY)],
      [`${SEARCH_PAGE}/documents.json`, json(Buffer.from(JSON.stringify(documents)))],
      [`${SEARCH_PAGE}/lunr.js`, script(lunrModule(this.#locale))],
      ...[...browserModules(this.#scripts)].map(([name, body]): [string, SearchFile] => [`${SEARCH_PAGE}/${name}`, script(body)]),
    ])
  }

  /** Ends the thread. */
  close(): void {
    this.#thread.close()
  }
}

function isSearched({ noindex, unlisted }: Entry): boolean {
  return !noindex && !unlisted
}

/** The words that a record's own page and its place in lists show, and no others: the index is public. */
function textOf({ terms }: Entry, view: RecordView): SearchText {
  const own = ownExcerpt(view.fields) === undefined ? [] : [view.excerpt]
  return { title: view.title, tags: Object.values(terms).flat(), body: [view.html, ...own] }
}

const EMPTY = Buffer.from(
  '{"version":"2.3.9","fields":["title","tags","body"],"fieldVectors":[],"invertedIndex":[],"pipeline":[]}',
)

function json(body: Buffer): SearchFile {
  return { contentType: 'application/json; charset=utf-8', body }
}

function script(body: Buffer): SearchFile {
  return { contentType: 'text/javascript; charset=utf-8', body }
}
