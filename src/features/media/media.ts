import { isDeepStrictEqual } from 'node:util'
import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import { type Key, MEDIA, parseKey } from '#core/key.ts'
import { ScanThread } from '#core/links/scan-thread.ts'
import type { Blobs } from '#core/media/blobs.ts'
import type { FileFacts } from '#core/media/file-facts.ts'
import type { MediaLookup } from '#core/media/media-values.ts'
import { mustMatch } from '#http/answers/etag.ts'
import { untilFirst } from '#http/guarding/until-first.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { WriteOptions } from '#http/requests/write-options.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Conflict } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { FileSummary } from '../file-resource.ts'
import type { Histories } from '../records/histories.ts'
import { mustMayRead, type ReadingPlace } from '../records/reading/reading-rights.ts'
import { followedMeta } from '../records/schemas/change.ts'
import type { Bases } from '../records/writing/bases.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import { mergeSent } from '../records/writing/merging.ts'
import { ChangedMedia } from './changes.ts'
import { inUse, withoutSidecar } from './conflicts.ts'
import { readMediaInput } from './input.ts'
import { keepBytes } from './kept-bytes.ts'
import { type Entry, Library, type LibraryDeps } from './library.ts'
import { mediaLookup } from './lookup.ts'
import { MediaList } from './media-list.ts'
import { type MovingDeps, movedKey, moveMedia } from './moving.ts'
import type { MediaOptions, RemoveOptions } from './options.ts'
import { PastMedia } from './past.ts'
import { type RolledBackMedia, rollBack } from './rollback.ts'
import type { ListedMedia, MediaListMeta, MediaView, UsedBy } from './schema.ts'
import { checksumIn } from './sidecar.ts'
import { mustBeReadable, mustHoldWrite, mustReach, notFound, reachOf, Sight, type SightDeps } from './sight.ts'
import { UseIndex, type UseIndexDeps } from './uses/use-index.ts'
import { answerOf, type MediaAnswer, versionOf, viewOf } from './view.ts'

/** The dependencies of media; `bases` keeps the versions that were lately read. */
export interface MediaDeps extends LibraryDeps, ReadingPlace, Omit<SightDeps, 'uses'>, Omit<UseIndexDeps, 'scanner'> {
  readonly bases: Bases
  readonly histories: Histories
  readonly facts: FileFacts
  blobs(): Blobs
}

/** A media file with what a reader may know of its uses. */
interface Seen extends Entry<Document> {
  readonly usedBy: readonly UsedBy[]
}

/**
 * The media of a site, for one reader at a time: what only records use that the reader may not see is not there, and what uses a
 * file is told as far as the reader may see it.
 */
export class Media {
  readonly past: PastMedia
  readonly changes: ChangedMedia
  readonly library: Library
  readonly facts: FileFacts
  /** Finds media for the fields of records, and for settings. */
  readonly lookup: MediaLookup
  readonly #deps: MediaDeps
  readonly #uses: UseIndex
  readonly #moving: MovingDeps
  readonly #sight: Sight
  readonly #mutex = new KeyedMutex()
  readonly #list: MediaList

  constructor(deps: MediaDeps) {
    this.#deps = deps
    this.library = new Library(deps)
    this.facts = deps.facts
    const scanner = new ScanThread()
    this.#uses = new UseIndex({ ...deps, scanner })
    this.#moving = { ...deps, uses: this.#uses, scanner }
    this.#sight = new Sight({ ...deps, uses: this.#uses })
    this.#list = new MediaList({ ...deps, library: this.library, uses: this.#uses, sight: this.#sight, facts: this.facts })
    const isThere = this.#sight.isThere.bind(this.#sight)
    const hasFile = async (key: Key) => (await this.library.fileOf(key)) !== undefined
    this.lookup = mediaLookup(deps.site, this.library, this.#sight)
    this.past = new PastMedia({ ...deps, isThere, hasFile })
    this.changes = new ChangedMedia({ ...deps, isThere })
  }

  /** Begins to look for what uses media, where there are any: who asks first does not wait for all of it. */
  async begin(): Promise<void> {
    if (!(await this.#deps.store.kinds()).includes(MEDIA)) return
    // A failure is told to who asks.
    this.#uses.refresh().catch(() => undefined)
  }

  async close(): Promise<void> {
    this.library.close()
    await this.#uses.close()
  }

  /** A part of the media; `params` are `page per_page q folder type unused sort`. */
  list(access: Access, params: QueryParams = {}): Promise<{ data: readonly ListedMedia[]; meta: MediaListMeta }> {
    return this.#list.part(access, params)
  }

  /** The numbers of files that are there for a reader, and the folders right below one. */
  summary(access: Access, folder: string): Promise<FileSummary> {
    return this.#list.summary(access, folder)
  }

  /** Throws NotFound where there is no media file of that id, Unreadable where its sidecar can't be read. */
  async get(access: Access, id: string): Promise<MediaAnswer> {
    await mustMayRead(this.#deps, access)
    const seen = await this.#seen(access, id)
    mustBeReadable(access, seen)
    return this.#answer(seen)
  }

  /**
   * Changes what is said of a media file; one without a sidecar gets it by that. With `base`, what others did since is merged;
   * Conflict with the three sides where it overlaps.
   */
  update(access: Access, id: string, input: Fields, options: MediaOptions = {}): Promise<MediaAnswer> {
    return this.change(access, id, options, async (seen, view) => {
      const now = documentOf(seen, view)
      const base = options.base === undefined ? now : await this.#base(now, options.base)
      const shown = [view, ...(base && base !== now ? [await viewOf({ ...seen, head: base }, seen.usedBy, this.facts)] : [])]
      const { fields } = mergeSent({ fields: readMediaInput(input, shown) }, base, now)
      const set = Object.fromEntries(
        Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(value, now.fields[name] ?? null)),
      )
      const meta = base !== now ? { merged: true } : undefined
      if (Object.keys(set).length === 0) return this.#answer(seen, meta)
      const { key, head } = seen
      const note = noteOf(head ? 'updated' : 'created', key, options.asked)
      const change = { key, put: { set }, expects: head?.version ?? ('absent' as const) }
      const [written] = await this.#deps.store.write([change], access.author, note)
      return this.#answer(written ? { ...seen, head: written } : seen, meta)
    })
  }

  /** A media file as it was in the version that the caller's change begins from; undefined where that is not known any more. */
  inVersion(access: Access, id: string, version: string): Promise<MediaView | undefined> {
    return this.change(access, id, {}, async (seen, view) => {
      const head = await this.#base(documentOf(seen, view), version)
      return head && viewOf({ ...seen, head }, seen.usedBy, this.facts)
    })
  }

  /** Takes a media file away; its revisions stay. Conflict where something uses it, unless it is forced. */
  remove(access: Access, id: string, options: RemoveOptions = {}): Promise<void> {
    return this.change(access, id, options, async ({ key, head, file, usedBy }) => {
      if (usedBy.length > 0 && !options.force) throw inUse(usedBy)
      if (!head) throw withoutSidecar(file?.path)
      await keepBytes(this.#deps, key)
      const note = noteOf('deleted', key, options.asked)
      await this.#deps.store.write([{ key, remove: true, expects: head.version }], access.author, note)
    })
  }

  /** Gives a media file another id; what uses it follows, and its old address leads to the new one. */
  move(access: Access, id: string, newId: string, options: WriteOptions = {}): Promise<MediaAnswer> {
    return this.change(access, id, options, async (seen) => {
      if (!seen.head) throw withoutSidecar(seen.file?.path)
      const to = movedKey(seen.key, newId)
      if (to.id === seen.key.id) return this.#answer(seen, { rewritten: 0 })
      await this.#mustBeFree(access, seen.key, to)
      const { document, ...all } = await moveMedia(this.#moving, access, seen.head, to, options.asked)
      return this.answerTo(access, document, followedMeta(all))
    })
  }

  /** Makes a media file what it was in a revision, by a revision of its own; brings a removed one back. */
  async rollback(access: Access, id: string, ts: string, options: WriteOptions = {}): Promise<RolledBackMedia & MediaAnswer> {
    mustHoldWrite(access)
    const checksumNow = async (key: Key, now: Document | undefined) => {
      const file = await this.library.fileOf(key)
      return file ? this.facts.checksum(file) : checksumIn(now?.fields ?? {})
    }
    const deps = { ...this.#deps, past: this.past, blobs: () => this.#deps.blobs(), checksumNow }
    const key = parseKey(MEDIA, id)
    const once = async () => {
      if (key && !(await this.library.one(key))) await this.#mustBeFree(access, key, key)
      return rollBack(deps, access, { id, ts }, options)
    }
    const back = await this.#mutex.run(`${MEDIA}/${id}`, () => untilFirst(options, once))
    return { ...back, ...(await this.answerTo(access, back.document)) }
  }

  /** The media file that was written for what `once` stands for, where the store knows of it. */
  async written(access: Access, once: string): Promise<MediaAnswer | undefined> {
    mustHoldWrite(access)
    await mustMayRead(this.#deps, access)
    const document = (await this.#deps.store.written(once))?.find(({ key }) => key.kind === MEDIA)
    return document && this.answerTo(access, document)
  }

  /** The answer to who wrote a media file: it is theirs to know where what uses it is not. */
  async answerTo(access: Access, head: Document, meta?: Fields): Promise<MediaAnswer> {
    const entry = { key: head.key, head, file: await this.library.fileOf(head.key) }
    await this.#uses.refresh()
    return this.#answer({ ...entry, usedBy: (await this.#sight.usedBy(access, entry)) ?? [] }, meta)
  }

  /** Does work on a media file that the caller may change, one after the other; throws where they may not. */
  change<T>(access: Access, id: string, options: WriteOptions, work: (seen: Seen, view: MediaView) => Promise<T>): Promise<T> {
    const once = async () => {
      mustHoldWrite(access)
      // Who changes it is answered with it.
      await mustMayRead(this.#deps, access)
      const seen = await this.#seen(access, id)
      mustReach(access, seen)
      mustBeReadable(access, seen)
      const view = await viewOf(seen, seen.usedBy, this.facts)
      mustMatch(options.ifMatch, versionOf(view), 'The media file has changed since you read it.')
      return work(seen, view)
    }
    return this.#mutex.run(`${MEDIA}/${id}`, () => untilFirst(options, once))
  }

  /** Throws Conflict where an address leads to another file that had it, for who may change only their own. */
  async #mustBeFree(access: Access, key: Key, to: Key): Promise<void> {
    if (reachOf(access) === 'all' || !(await this.library.isFormer(to, key))) return
    throw new Conflict(`"${to.id}" is a former address of another media file.`)
  }

  /** The version that a change started from; undefined where it is not known any more. */
  async #base(now: Document, version: string): Promise<Document | undefined> {
    if (version === now.version) return now
    return this.#deps.bases.find(now.key, version)?.document ?? this.past.inVersion(now.key, version)
  }

  async #seen(access: Access, id: string): Promise<Seen> {
    const key = parseKey(MEDIA, id)
    const entry = key && (await this.library.one(key))
    if (!entry) throw notFound()
    await this.#uses.refresh()
    const usedBy = await this.#sight.usedBy(access, entry)
    if (!usedBy) throw notFound()
    return { ...entry, usedBy }
  }

  async #answer(seen: Seen, meta?: Fields): Promise<MediaAnswer> {
    if (seen.head) this.#deps.bases.remember(seen.head)
    return answerOf(await viewOf(seen, seen.usedBy, this.facts), meta)
  }
}

/** The document of a media file; of one without a sidecar an empty one, whose version is that of its bytes. */
function documentOf({ key, head }: Seen, view: MediaView): Document {
  return head ?? { key, fields: {}, version: versionOf(view), body: '' }
}
