import { type Key, keyText, parseKey } from '#core/key.ts'
import { ownBy } from '#core/queries/extent.ts'
import type { Found, SearchIndex, SearchQuery } from '#core/queries/search.ts'
import type { Store, Unsubscribe } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { Evaluation } from '#fulltext/matching/evaluation.ts'
import type { HeldSegment } from '#fulltext/matching/segment-set.ts'
import type { VisibilityMask } from '#fulltext/matching/visibility-mask.ts'
import type { Clock } from '#lib/clock.ts'
import { Unavailable } from '#lib/errors.ts'
import { Follower } from './follower.ts'
import { IndexWorker } from './index-worker.ts'
import { SegmentCache } from './segment-cache.ts'
import { SegmentIndex } from './segment-index.ts'
import { statusAt, VisibilityMasks } from './visibility-masks.ts'

/** Time in milliseconds that a search waits for recent writes, and for the index to exist at all. */
const PATIENCE_MS = 50
const FIRST_MS = 10_000
/** Milliseconds between two times that new data is kept for the next run. */
const SAVE_MS = 60_000

/** The dependencies of an index. */
export interface SearchDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly locale: string
  /**
   * The folder in which the index is kept for the next run, and a fingerprint of the way documents are read. Absent if the index
   * is not kept.
   */
  readonly cache?: { readonly folder: string; readonly fingerprint: string }
}

/** Finds documents of a store by postings in memory. */
export class FilesSearch implements SearchIndex {
  readonly #deps: SearchDeps
  readonly #worker: IndexWorker
  readonly #index: SegmentIndex
  readonly #follower: Follower
  readonly #cache: SegmentCache | undefined
  readonly #evaluation = new Evaluation()
  readonly #masks = new VisibilityMasks()
  readonly #unsubscribe: Unsubscribe
  #first: Promise<void> | undefined
  #isThere = false
  #saving: NodeJS.Timeout | undefined
  #saved = 0
  #kept: Promise<void> = Promise.resolve()
  #closed = false

  constructor(deps: SearchDeps) {
    this.#deps = deps
    const { store, types, locale, cache } = deps
    const analyser = new Analyser(locale)
    this.#worker = new IndexWorker(analyser, locale)
    this.#index = new SegmentIndex(this.#worker, types)
    this.#follower = new Follower(store, types, this.#index)
    this.#cache = cache && new SegmentCache(cache.folder, `${analyser.name} ${cache.fingerprint}`)
    const { runs } = this.#follower
    this.#unsubscribe = store.subscribe(() => (this.#isThere ? runs.soon() : runs.hint()))
  }

  get revision(): number {
    return this.#index.segments.revision
  }

  async find(query: SearchQuery): Promise<Found> {
    await this.#patiently()
    const { segments } = this.#index
    // Read before the store's answer, so that no change between the two is overlooked.
    const { revision } = segments
    const owned = await ownedOf(this.#deps.store, query.readable)
    const now = this.#deps.clock.now()
    const places = owned.flatMap((key) => segments.place(key) ?? [])
    const mask = this.#masks.of({ segments: segments.all, readable: query.readable, places }, now, revision)
    return await this.#answer(query, segments.all, mask, now)
  }

  async bytes(): Promise<number> {
    return this.#index.segments.all.reduce((sum, { segment }) => sum + segment.memory.byteLength, 0)
  }

  async ready(): Promise<void> {
    await this.begin()
    await this.#follower.runs.run()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#unsubscribe()
    clearInterval(this.#saving)
    const ended = this.#follower.close()
    await this.#worker.close()
    await ended
    if (this.#isThere) await this.#save()
  }

  /** Begins to build the index, or to load that of the last run; searches wait for it. */
  begin(): Promise<void> {
    this.#first ??= this.#begin().catch((error: unknown) => {
      this.#first = undefined
      throw error
    })
    return this.#first
  }

  async #begin(): Promise<void> {
    // After a failure there is newer than what was kept.
    if (this.revision === 0) await this.#takeUp()
    await this.#follower.runs.run()
    this.#isThere = true
    if (!this.#cache || this.#closed) return
    this.#saving = setInterval(() => void this.#save(), SAVE_MS).unref()
  }

  async #takeUp(): Promise<void> {
    for (const { segment, gone } of (await this.#cache?.load()) ?? []) this.#index.segments.add(segment, gone)
    this.#saved = this.revision
  }

  async #patiently(): Promise<void> {
    const isThere = this.#isThere
    const { runs } = this.#follower
    if (isThere && !runs.isBehind) return
    // What can't be read now keeps nothing else from being found; it is tried again by the next search.
    const work = isThere ? runs.run().catch(() => undefined) : this.begin()
    const isDone = await within(work, isThere ? PATIENCE_MS : FIRST_MS)
    if (!isDone && !this.#isThere) throw new Unavailable('The search index is being made.', 5)
  }

  /** One at a time: the last one, as the site is closed, may come while another is under way. */
  #save(): Promise<void> {
    this.#kept = this.#kept.then(() => this.#keep())
    return this.#kept
  }

  /** Saves the index. It is a cache, so that errors are ignored. */
  async #keep(): Promise<void> {
    const { revision } = this
    if (!this.#cache || revision === this.#saved) return
    this.#saved = revision
    await this.#cache.save(this.#index.segments.all).catch(() => undefined)
  }

  async #answer(
    { clauses, kind, status, offset, limit }: SearchQuery,
    all: readonly HeldSegment[],
    mask: VisibilityMask,
    now: number,
  ): Promise<Found> {
    const { hits, ...found } = await this.#evaluation.run(clauses, all, mask, {
      ...(kind !== undefined && { kind }),
      ...(status !== undefined && { fits: (held, document) => statusAt(held, document, now) === status }),
      offset,
      limit,
    })
    const known = hits.flatMap(({ held, document, score }) => {
      const key = keyOfText(held.segment.keyOf(document))
      return key ? [{ key, score }] : []
    })
    return { hits: known, ...found, until: mask.until }
  }
}

/** The texts of the keys of what readers have as their own. */
async function ownedOf(store: Store, readable: SearchQuery['readable']): Promise<string[]> {
  const keys: string[] = []
  for (const [kind, extent] of readable) {
    if (typeof extent === 'string') continue
    const { items } = await store.heads(kind, { where: [ownBy(extent.own)] })
    for (const { key } of items) keys.push(keyText(key))
  }
  return keys
}

/** The kinds of what is found have no slash. */
function keyOfText(text: string): Key | undefined {
  const slash = text.indexOf('/')
  return parseKey(text.slice(0, slash), text.slice(slash + 1))
}

/** Returns whether a promise resolves within some milliseconds. Throws if the promise rejects meanwhile. */
async function within(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
