import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Destination } from '../building/build-memory.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { mayBeSearched, pageFile } from './place.ts'
import { type SearchedPage, SearchedPages } from './searched-pages.ts'
import { type PageFiles, type SiteSearch, searchFiles } from './site-search.ts'

type Line = [key: string, id: number, print: string, asked: SearchedPage['asked'], words: string]

/** The name of what a build remembers of the index. */
const NAME = 'search'

/**
 * Writes the files by which a browser searches what a snapshot shows. A page that is remembered is read again only where its record,
 * or what it asked the site, is another than then.
 */
export async function writeSearch({ folder, memory }: Destination, snapshot: SiteSnapshot, search: SiteSearch): Promise<void> {
  if (!mayBeSearched(snapshot.outline)) return
  const kept = memory.beside(NAME)
  const pages = new SearchedPages()
  const known = new Map(kept ? read(kept) : [])
  const files: PageFiles = {
    known: (key) => known.get(key),
    leave(id, print) {
      const file = outOf(pageFile(id))
      const made = memory.madeOf(file, print)
      const left = made && folder.leave(file, made.stamp)
      if (made && left !== undefined) memory.keep(file, made, left)
      return left !== undefined
    },
    put(id, print, body) {
      const file = outOf(pageFile(id))
      folder.put(file, body, undefined, (stamp) => memory.add(file, print, stamp))
    },
  }
  await search.follow(snapshot, pages, files)
  for (const [address, { body }] of [...search.scripts, ...searchFiles(await pages.index())]) folder.put(outOf(address), body)
  if (kept?.isWritten) write(kept, pages.all)
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
