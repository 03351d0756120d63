import type { Access } from '#core/access.ts'
import { metaOf } from '#http/paging.ts'
import type { QueryParams } from '#http/query.ts'
import { SliceQueue, Slices, sortedInSlices } from '#lib/slices.ts'
import { MOST_BYTES } from '../records/omission.ts'
import { mustMayRead, type ReadingPlace } from '../records/reading-rights.ts'
import type { FileFacts } from './file-facts.ts'
import type { Entry, Library } from './library.ts'
import { type MediaQuery, readMediaQuery } from './listing.ts'
import type { ListedMedia, MediaListMeta, MediaView, UsedBy } from './schema.ts'
import type { Sight } from './sight.ts'
import type { UseIndex } from './uses/use-index.ts'
import { viewOf } from './view.ts'

/** The dependencies of the list. */
export interface MediaListDeps extends ReadingPlace {
  readonly library: Library
  readonly uses: UseIndex
  readonly sight: Sight
  readonly facts: FileFacts
}

/** Characters of a use beside its type and id, as it is answered. */
const AROUND_USE = '{"type":"","id":""},'.length

/** The media that are there for a reader, in parts. */
export class MediaList {
  readonly #deps: MediaListDeps
  readonly #queue = new SliceQueue()

  constructor(deps: MediaListDeps) {
    this.#deps = deps
  }

  /** A part of the media; `params` are `page per_page q folder type unused sort`. Without `used_by` where that would be too long. */
  async part(access: Access, params: QueryParams): Promise<{ data: ListedMedia[]; meta: MediaListMeta }> {
    const { library, uses, sight, facts } = this.#deps
    const query = readMediaQuery(params)
    await mustMayRead(this.#deps, access)
    const [all] = await Promise.all([library.all(), uses.refresh()])
    const slices = new Slices(this.#queue)
    try {
      const found = await this.#found(access, query, { all, slices })
      const sorted = await sortedInSlices(found, query.compare, slices)
      const { page, perPage } = query.paging
      const data: MediaView[] = []
      for (const entry of sorted.slice((page - 1) * perPage, page * perPage)) {
        // What is hidden since a moment ago is hidden from the next list.
        data.push(await viewOf(entry, (await sight.usedBy(access, entry, slices)) ?? [], facts))
      }
      const meta = metaOf(found.length, query.paging)
      if (lengthOf(data.flatMap(({ used_by }) => used_by)) <= MOST_BYTES) return { data, meta }
      return { data: data.map(({ used_by: _, ...view }) => view), meta: { ...meta, omitted: ['used_by'] } }
    } finally {
      slices.end()
    }
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

function lengthOf(uses: readonly UsedBy[]): number {
  return uses.reduce((length, { type, id }) => length + AROUND_USE + type.length + Buffer.byteLength(id), 0)
}
