import { keyText } from '#core/key.ts'
import { SEARCH_PAGE } from '#core/permalink.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import type { Prints } from '../data/prints.ts'
import { type Asked, textsIn } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import { PerSnapshot } from '../outline/per-snapshot.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { ownExcerpt } from '../pages/summaries.ts'
import type { RecordView, Views } from '../pages/views.ts'
import { TemplateFailure } from '../theme/template-failure.ts'
import { pageIds } from './page-ids.ts'
import { INDEX_FILE, mayBeSearched, pageOfFile, wordsFile } from './place.ts'
import { browserModules, lunrModule } from './scripts.ts'
import { type ReadPage, type SearchedPage, SearchedPages } from './searched-pages.ts'
import { StemsThread } from './stems-thread.ts'

/** A file by which a browser searches. */
export interface SearchFile {
  readonly contentType: string
  readonly body: Buffer
  /** True if its name is made of its bytes. */
  readonly immutable?: true
}

/** The parts of a site that its search is made of; `theme` returns what texts are made with beside themselves. */
interface SearchedSite {
  readonly views: Views
  readonly prints: Prints
  readonly theme: () => unknown
}

/** A memory of pages, and a place for what is made of them now. */
export interface PageFiles {
  /** The page of an earlier build. */
  known(key: string): SearchedPage | undefined
  /** The page of this build, where it was read and its file put already. */
  made(key: string): SearchedPage | undefined
  /** Returns whether the file of a page is there as it was made of this print. */
  leave(id: number, print: string): boolean
  put(id: number, print: string, body: Buffer): void
}

const JSON_TYPE = 'application/json; charset=utf-8'
const SCRIPT_TYPE = 'text/javascript; charset=utf-8'

/**
 * Makes the files by which a browser searches what a snapshot shows: `index.json` says which words are in which file of `words/`,
 * and these which pages have a word; a file of `pages/` has what is shown of one. A browser fetches those of the words that are asked
 * for, and of the pages that it shows. The words are made when a file of them is asked for, from those of the snapshot before but for
 * what changed since.
 */
export class SiteSearch {
  readonly #site: SearchedSite
  readonly #locale: string
  readonly #folder: string
  readonly #thread: StemsThread
  readonly #turns = new KeyedMutex()
  readonly #ids = new PerSnapshot((_: 'pages', { outline }) => pageIds([...outline.records.values()].filter(isSearched)))
  readonly #numbers = new PerSnapshot(
    (_: 'numbers', snapshot) => new Map([...this.#ids.of('pages', snapshot)].map(([id, entry]) => [entry, id])),
  )
  readonly #words = new PerSnapshot((_: 'words', snapshot) => this.#turns.run('words', () => this.#wordsOf(snapshot)))
  #scripts: ReadonlyMap<string, SearchFile> | undefined
  #pages = new SearchedPages()
  #theme: unknown

  /** `scripts` is the folder of the modules that run in the browser. */
  constructor(site: SearchedSite, { locale, scripts }: { locale: string; scripts: string }) {
    this.#site = site
    this.#locale = locale
    this.#thread = new StemsThread(locale)
    this.#folder = scripts
  }

  /** The scripts, by address. */
  get scripts(): ReadonlyMap<string, SearchFile> {
    const made = () => new Map([...browserModules(this.#folder), ['lunr.js', lunrModule(this.#locale)] as const])
    this.#scripts ??= new Map([...made()].map(([name, body]) => [`${SEARCH_PAGE}/${name}`, { contentType: SCRIPT_TYPE, body }]))
    return this.#scripts
  }

  /** The file at an address, of what a snapshot shows; undefined where there is none. */
  async file(address: string, snapshot: SiteSnapshot): Promise<SearchFile | undefined> {
    if (!mayBeSearched(snapshot.outline)) return undefined
    const page = pageOfFile(address)
    if (page !== undefined) return this.#pageFile(page, snapshot)
    return this.scripts.get(address) ?? (await this.#words.of('words', snapshot)).get(address)
  }

  /**
   * Brings what is known of pages up to a snapshot: those that are shown and are neither `noindex` nor unlisted, and no others. The
   * files of pages that are read go to `files`.
   */
  async follow(snapshot: SiteSnapshot, pages: SearchedPages, files?: PageFiles): Promise<void> {
    const { prints, views } = this.#site
    const slices = new Slices()
    const ids = this.#ids.of('pages', snapshot)
    for (const [key, { id }] of pages.all) {
      const entry = ids.get(id)
      if (!entry || keyText(entry.key) !== key) pages.put(key, undefined)
    }
    for (const [id, entry] of ids) {
      if (slices.isOver) await slices.pause()
      const key = keyText(entry.key)
      const { print } = await prints.of(entry, snapshot)
      const made = files?.made(key)
      if (made?.print === print) {
        pages.put(key, made)
        continue
      }
      const known = pages.get(key) ?? files?.known(key)
      const isSame = known?.id === id && known.print === print && (await views.answers.areStill(known.asked, snapshot))
      if (isSame && (!files || files.leave(id, print))) {
        if (files) pages.put(key, known)
        continue
      }
      const read = await this.#read(entry, snapshot)
      pages.put(key, read && { id, print, asked: read.asked, words: read.words })
      if (read) files?.put(id, print, read.body)
    }
  }

  /** Returns whether a record, and those whose texts it takes in, are as in the snapshot: changes since are in the next one. */
  isCurrent(entry: Entry, asked: SearchedPage['asked'] | Asked, snapshot: SiteSnapshot): boolean {
    const { documents } = this.#site.views
    return ![entry, ...textsIn(asked, snapshot)].some((one) => documents.hasStrayed(one))
  }

  /** Reads the view of a record. Rejects where too much waits to be read. */
  async readView(entry: Entry, view: RecordView, asked: Asked): Promise<ReadPage> {
    const { title, url, excerpt } = view
    const all = [...asked]
    const { words, text } = await this.#thread.read(textOf(entry, view))
    return { words, asked: all, body: Buffer.from(JSON.stringify({ title, url, excerpt, text })) }
  }

  /** The number of each record that is searched, and the print of what it is made of. */
  async numbered(entry: Entry, snapshot: SiteSnapshot): Promise<{ id: number; print: string } | undefined> {
    const id = this.#numbers.of('numbers', snapshot).get(entry)
    return id === undefined ? undefined : { id, print: (await this.#site.prints.of(entry, snapshot)).print }
  }

  /** Ends the thread. */
  close(): void {
    this.#thread.close()
  }

  async #wordsOf(snapshot: SiteSnapshot): Promise<ReadonlyMap<string, SearchFile>> {
    const theme = this.#site.theme()
    if (theme !== this.#theme) this.#pages = new SearchedPages()
    this.#theme = theme
    await this.follow(snapshot, this.#pages)
    return searchFiles(await this.#pages.index())
  }

  async #pageFile(id: number, snapshot: SiteSnapshot): Promise<SearchFile | undefined> {
    const entry = this.#ids.of('pages', snapshot).get(id)
    const read = entry && (await this.#read(entry, snapshot))
    return read && { contentType: JSON_TYPE, body: read.body }
  }

  async #read(entry: Entry, snapshot: SiteSnapshot): Promise<ReadPage | undefined> {
    const asked: Asked = new Map()
    const view = await this.#site.views.record(entry, snapshot, asked).catch(unlessTemplate)
    return view && this.isCurrent(entry, asked, snapshot) ? this.readView(entry, view, asked) : undefined
  }
}

/** A page whose shortcodes can't be made is reported as such, and not found. */
function unlessTemplate(error: unknown): undefined {
  if (!(error instanceof TemplateFailure)) throw error
}

/** The files of an index but for those of pages, by address. */
export function searchFiles({ entry, shards }: Awaited<ReturnType<SearchedPages['index']>>): Map<string, SearchFile> {
  const words = shards.map(({ name, body }) => [wordsFile(name), { contentType: JSON_TYPE, body, immutable: true }] as const)
  return new Map<string, SearchFile>([[INDEX_FILE, { contentType: JSON_TYPE, body: entry }], ...words])
}

function isSearched({ noindex, unlisted }: Entry): boolean {
  return !noindex && !unlisted
}

/** The words that a record's own page and its place in lists show, and no others: the index is public. */
function textOf({ terms }: Entry, view: RecordView): SearchText {
  const own = ownExcerpt(view.fields) === undefined ? [] : [view.excerpt]
  return { title: view.title, tags: Object.values(terms).flat(), body: [view.html, ...own] }
}
