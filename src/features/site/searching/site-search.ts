import { setImmediate } from 'node:timers/promises'
import type { Document } from '#core/document.ts'
import { SEARCH_PAGE } from '#core/permalink.ts'
import { searchTextOf } from '#core/search-text.ts'
import type { Store } from '#core/store.ts'
import type { Outline } from '../outline.ts'
import type { Entry } from '../site-entries.ts'
import type { SiteSnapshot } from '../site-snapshot.ts'
import type { Views } from '../views.ts'
import { LunrIndex } from './lunr-index.ts'
import { MOST_PAGES, mayBeSearched } from './place.ts'
import { browserModules, lunrModule } from './scripts.ts'
import { StemsThread } from './stems-thread.ts'

/** The most bytes of text, in UTF-8: an index of Lunr is three times as large, and has to be fetched whole. */
const MOST_BYTES = 3 * 1024 * 1024
const AT_ONCE = 32

/** A file by which a browser searches. */
export interface SearchFile {
  readonly contentType: string
  readonly body: Buffer
}

/** The files by which browsers search a site, by path; or why there are none, as a sentence. */
export type SearchFiles = ReadonlyMap<string, SearchFile> | string

/** Makes the files by which a browser searches what a snapshot shows, once for each snapshot. */
export class SiteSearch {
  readonly #store: Store
  readonly #views: Views
  readonly #locale: string
  readonly #scripts: string
  readonly #thread: StemsThread
  readonly #made = new WeakMap<SiteSnapshot, Promise<SearchFiles>>()

  /** `scripts` is the folder of the modules that run in the browser. */
  constructor(store: Store, views: Views, { locale, scripts }: { locale: string; scripts: string }) {
    this.#store = store
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
    for await (const { entry, document } of this.#documents(outline)) {
      const text = searchTextOf(entry.type, document)
      const read = await this.#thread.read(text)
      bytes += read.bytes
      if (bytes > MOST_BYTES)
        return `The site has over ${MOST_BYTES / 1024 / 1024} MiB of text: that can't be searched in a browser.`
      index.add(read.stems)
      const { title, url, excerpt } = await this.#views.summary(entry, snapshot)
      documents.push({ title, url, excerpt })
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

  /** Makes the files in slices, between which other work runs. Changes since the snapshot are in the next one. */
  async *#documents({ records }: Outline): AsyncGenerator<{ entry: Entry; document: Document }> {
    const entries = [...records.values()].filter(({ noindex, unlisted }) => !noindex && !unlisted)
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      await setImmediate()
      const part = entries.slice(at, at + AT_ONCE)
      const documents = await Promise.all(part.map(({ key }) => this.#store.get(key)))
      for (const [n, entry] of part.entries()) {
        const document = documents[n]
        if (document?.version === entry.version) yield { entry, document }
      }
    }
  }
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
