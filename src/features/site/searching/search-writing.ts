import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keyText } from '#core/key.ts'
import type { Destination } from '../building/build-memory.ts'
import type { Asked } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import type { RecordView, Views } from '../pages/views.ts'
import { pageFile } from './place.ts'
import { type SearchedPage, SearchedPages } from './searched-pages.ts'
import { type SiteSearch, searchFiles } from './site-search.ts'

type Line = [key: string, id: number, print: string, asked: SearchedPage['asked'], words: string]

/** The name of what a build remembers of the index. */
const NAME = 'search'

/**
 * Writes the files by which a browser searches what a snapshot shows. Pages are read when the build makes them; of the others, one that
 * is remembered is read again only where its record, or what it asked the site, is another than then.
 */
export class SearchWriting {
  readonly #to: Destination
  readonly #snapshot: SiteSnapshot
  readonly #search: SiteSearch
  readonly #views: Views
  readonly #made = new Map<string, SearchedPage>()
  readonly #taken = new Set<Entry>()
  readonly #reading = new Set<Promise<void>>()

  /** Begins to read the pages that are made; until `end`. */
  constructor(to: Destination, snapshot: SiteSnapshot, { search, views }: { search: SiteSearch; views: Views }) {
    this.#to = to
    this.#snapshot = snapshot
    this.#search = search
    this.#views = views
    views.giveTo((entry, view, of, asked) => {
      if (of === snapshot) this.#take(entry, view, asked)
    })
  }

  /** Writes all files. Call `end` before. */
  async finish(): Promise<void> {
    const { folder, memory } = this.#to
    await Promise.all(this.#reading)
    const kept = memory.beside(NAME)
    const pages = new SearchedPages()
    const known = new Map(kept ? read(kept) : [])
    await this.#search.follow(this.#snapshot, pages, {
      known: (key) => known.get(key),
      made: (key) => this.#made.get(key),
      leave: (id, print) => this.#leave(id, print),
      put: (id, print, body) => this.#put(id, print, body),
    })
    for (const [address, { body }] of [...this.#search.scripts, ...searchFiles(await pages.index())])
      folder.put(outOf(address), body)
    if (kept?.isWritten) write(kept, pages.all)
  }

  end(): void {
    this.#views.giveTo(undefined)
  }

  #take(entry: Entry, view: RecordView, asked: Asked): void {
    // A record may be on several pages whole.
    if (this.#taken.has(entry)) return
    this.#taken.add(entry)
    const taken = this.#read(entry, view, asked)
      // What could not be read now is read in the end.
      .catch(() => undefined)
      .finally(() => this.#reading.delete(taken))
    this.#reading.add(taken)
  }

  async #read(entry: Entry, view: RecordView, asked: Asked): Promise<void> {
    const { body, ...read } = await this.#search.readView(entry, view, asked)
    const numbered = await this.#search.numbered(entry, this.#snapshot)
    if (!numbered || !this.#search.isCurrent(entry, read.asked, this.#snapshot)) return
    this.#put(numbered.id, numbered.print, body)
    this.#made.set(keyText(entry.key), { ...numbered, ...read })
  }

  #leave(id: number, print: string): boolean {
    const { folder, memory } = this.#to
    const file = outOf(pageFile(id))
    const made = memory.madeOf(file, print)
    const left = made && folder.leave(file, made.stamp)
    if (made && left !== undefined) memory.keep(file, made, left)
    return left !== undefined
  }

  #put(id: number, print: string, body: Buffer): void {
    const file = outOf(pageFile(id))
    this.#to.folder.put(file, body, undefined, (stamp) => this.#to.memory.add(file, print, stamp))
  }
}

function outOf(address: string): string {
  return address.slice(1)
}

function read({ path, header }: { path: string; header: string }): [string, SearchedPage][] {
  try {
    const [first, ...lines] = readFileSync(path, 'utf8').split('\n')
    if (first !== header) return []
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const [key, id, print, asked, words] = JSON.parse(line) as Line
        return [key, { id, print, asked, words }]
      })
  } catch {
    return []
  }
}

function write({ path, header }: { path: string; header: string }, pages: ReadonlyMap<string, SearchedPage>): void {
  const lines = [...pages].map(([key, { id, print, asked, words }]) =>
    JSON.stringify([key, id, print, asked, words] satisfies Line),
  )
  const beside = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(beside, `${[header, ...lines].join('\n')}\n`, { mode: 0o600 })
    renameSync(beside, path)
  } catch {
    // A full disk, or a folder that can't be written to: the next build reads all pages.
    rmSync(beside, { force: true })
  }
}
