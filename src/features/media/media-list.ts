import type { Access } from '#core/access/access.ts'
import type { FileFacts } from '#core/media/file-facts.ts'
import { metaOf } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { SliceQueue, Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { compareText } from '#lib/text/compare.ts'
import type { FileSummary } from '../file-resource.ts'
import { mustMayRead, type ReadingPlace } from '../records/reading/reading-rights.ts'
import type { Entry, Library } from './library.ts'
import { fitting } from './list-fitting.ts'
import { isWithoutAlt, type MediaQuery, readMediaQuery, sizeOf } from './listing.ts'
import type { ListedMedia, MediaListMeta, UsedBy } from './schema.ts'
import type { Sight } from './sight.ts'
import type { UseIndex } from './uses/use-index.ts'
import { folderOf, viewOf } from './view.ts'

/** The dependencies of the list. */
export interface MediaListDeps extends ReadingPlace {
  readonly library: Library
  readonly uses: UseIndex
  readonly sight: Sight
  readonly facts: FileFacts
}

/** The media that are there for a reader, in parts. */
export class MediaList {
  readonly #deps: MediaListDeps
  readonly #queue = new SliceQueue()

  constructor(deps: MediaListDeps) {
    this.#deps = deps
  }

  /** A part of the media; `params` are `page per_page q folder type unused alt sort`. */
  async part(access: Access, params: QueryParams): Promise<{ data: readonly ListedMedia[]; meta: MediaListMeta }> {
    const { library, uses, sight, facts } = this.#deps
    const query = readMediaQuery(params)
    await mustMayRead(this.#deps, access)
    const [all] = await Promise.all([library.all(), uses.refresh()])
    const slices = new Slices(this.#queue)
    try {
      const found = await this.#found(access, query, { all, slices })
      const sorted = await sortedInSlices(found, query.compare, slices)
      const { page, perPage } = query.paging
      const part: [Entry, UsedBy[]][] = []
      for (const entry of sorted.slice((page - 1) * perPage, page * perPage))
        part.push([entry, (await sight.usedBy(access, entry, slices)) ?? []])
      const views = await Promise.all(part.map(([entry, usedBy]) => viewOf(entry, usedBy, facts)))
      return await fitting(views, metaOf(found.length, query.paging), slices)
    } finally {
      slices.end()
    }
  }

  /** The numbers of files that are there for a reader, and the folders right below one. */
  async summary(access: Access, folder: string): Promise<FileSummary> {
    const { library, uses, sight } = this.#deps
    await mustMayRead(this.#deps, access)
    const [all] = await Promise.all([library.all(), uses.refresh()])
    const slices = new Slices(this.#queue)
    const below = folder === '' ? '' : `${folder}/`
    const folders = new Map<string, number>()
    const counts = { total: 0, bytes: 0, withoutAlt: 0, unused: 0 }
    try {
      for (const entry of all) {
        if (slices.isOver) await slices.pause()
        const isUsed = await sight.isUsed(access, entry, slices)
        if (isUsed === undefined) continue
        counts.total++
        counts.bytes += sizeOf(entry)
        if (!isUsed) counts.unused++
        if (isWithoutAlt(entry)) counts.withoutAlt++
        const name = `${folderOf(entry.key.id)}/`.startsWith(below)
          ? folderOf(entry.key.id).slice(below.length).split('/', 1)[0]
          : ''
        if (name) folders.set(name, (folders.get(name) ?? 0) + 1)
      }
    } finally {
      slices.end()
    }
    const found = [...folders].map(([name, count]) => ({ name, path: below + name, count }))
    return { ...counts, folders: found.sort((a, b) => compareText(a.name, b.name)) }
  }

  /** Those of all that are asked for, and there for the reader. */
  async #found(
    access: Access,
    query: MediaQuery,
    { all, slices }: { readonly all: readonly Entry[]; readonly slices: Slices },
  ): Promise<Entry[]> {
    const found: Entry[] = []
    for (const entry of all) {
      if (slices.isOver) await slices.pause()
      const isUsed = query.isAsked(entry) ? await this.#deps.sight.isUsed(access, entry, slices) : undefined
      if (isUsed !== undefined && !(query.isUnused && isUsed)) found.push(entry)
    }
    return found
  }
}
