import type { Document, Head } from '#core/document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { type Key, type Kind, keyOfText, keyText } from '#core/key.ts'
import { searchTextOf } from '#core/queries/search-text.ts'
import { instantOf } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Draft } from '#fulltext/segments/build.ts'
import type { Facts } from '#fulltext/segments/segment.ts'
import type { CatchUp } from '#lib/concurrency/catch-up.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { Unavailable } from '#lib/errors.ts'
import { AT_ONCE, charactersOf } from './index-worker.ts'
import type { SegmentIndex } from './segment-index.ts'

/** Largest amount that is sent to the worker thread at once: documents, and characters of them. */
const MOST_DRAFTS = 1000
const MOST_CHARACTERS = 500_000
/** Number of changes that are requested at once. */
const MOST_CHANGES = 1000
/** Milliseconds between a hint of a change and following it: changes come in crowds. */
const HINT_MS = 5

/** Keeps an index in agreement with a store: by a look at all of it at first, then by its feed of changes. */
export class Follower {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #index: SegmentIndex
  readonly #feed: FeedFollower
  /** The updates under way, the oldest first; no document is in two of them. */
  #sent: Promise<void>[] = []
  #closed = false

  constructor(store: Store, types: ContentTypes, index: SegmentIndex) {
    this.#store = store
    this.#types = types
    this.#index = index
    const consumer = {
      readAll: () => index.untidied(() => this.#whole(() => this.#compare())),
      take: (keys: readonly Key[]) => this.#whole(() => this.#take(keys)),
    }
    this.#feed = new FeedFollower(store, consumer, { part: MOST_CHANGES, pause: HINT_MS })
  }

  /** The runs: whatever was written before one began can be found when it ends. */
  get runs(): CatchUp {
    return this.#feed.runs
  }

  /** Resolves when none is under way any more. */
  close(): Promise<void> {
    this.#closed = true
    return this.#feed.close()
  }

  /** Does a part of the work, and all of it: what failed may have left some under way that must not come after what is newer. */
  async #whole(work: () => Promise<void>): Promise<void> {
    await Promise.allSettled(this.#sent)
    this.#sent = []
    await work()
    await Promise.all(this.#sent)
  }

  /** Compares every document: those that differ are indexed, those that no longer exist are removed. */
  async #compare(): Promise<void> {
    const gone = new Set(this.#index.segments.keys())
    const changed: Key[] = []
    for (const kind of await this.#store.kinds()) {
      if (!this.#isFound(kind)) continue
      const slices = new Slices()
      for (const head of (await this.#store.heads(kind, {})).items) {
        const text = keyText(head.key)
        gone.delete(text)
        if (!this.#isHeld(factsOf(text, head))) changed.push(head.key)
        if (slices.isOver) await slices.pause()
      }
    }
    await this.#letGo(gone)
    await this.#take(changed)
  }

  async #letGo(keys: Iterable<string>): Promise<void> {
    const slices = new Slices()
    for (const key of keys) {
      this.#index.remove(key)
      if (slices.isOver) await slices.pause()
    }
  }

  async #take(keys: Iterable<Key>): Promise<void> {
    const slices = new Slices()
    let drafts: Draft[] = []
    let characters = 0
    for (const key of keys) {
      if (this.#closed) return
      const draft = await this.#read(key)
      if (draft) {
        drafts.push(draft)
        characters += charactersOf(draft.text)
      }
      if (drafts.length >= MOST_DRAFTS || characters >= MOST_CHARACTERS) {
        await this.#send(drafts)
        drafts = []
        characters = 0
      }
      if (slices.isOver) await slices.pause()
    }
    await this.#send(drafts)
  }

  /** While the threads work at some, the next are read, and no more than those. */
  async #send(drafts: readonly Draft[]): Promise<void> {
    while (this.#sent.length >= AT_ONCE) {
      await this.#sent[0]
      this.#sent.shift()
    }
    if (drafts.length === 0) return
    const keys = drafts.map(({ facts }) => facts.key)
    const sent = this.#add(drafts, keys)
    // A caller that awaits it gets the failure; there may be none.
    sent.catch(() => undefined)
    this.#sent.push(sent)
  }

  /** Nothing holds the drafts from here on: there are megabytes of them, and whoever makes the segment has a copy. */
  #add(drafts: readonly Draft[], keys: readonly string[]): Promise<void> {
    return this.#index.add(drafts).catch((error: unknown) => this.#addApart(keys, error))
  }

  /** One that no index can be made of is not found, and keeps no other from it. */
  async #addApart(keys: readonly string[], error: unknown): Promise<void> {
    if (error instanceof Unavailable) throw error
    if (keys.length < 2) {
      for (const key of keys) this.#index.remove(key)
      return
    }
    const half = keys.length >>> 1
    for (const part of [keys.slice(0, half), keys.slice(half)]) {
      const drafts: Draft[] = []
      for (const text of part) {
        const key = keyOfText(text)
        const draft = key && (await this.#read(key))
        if (draft) drafts.push(draft)
      }
      await this.#add(drafts, part)
    }
  }

  /** The draft of a document; undefined where what is held is as it is, or there is none any more: then nothing is held. */
  async #read(key: Key): Promise<Draft | undefined> {
    // Read once: the documents that people ask for are to stay in memory, and not these.
    const document = this.#isFound(key.kind) ? await this.#store.get(key, 'once') : undefined
    const draft = document && this.#draft(document)
    if (!draft) this.#index.remove(keyText(key))
    return draft === SAME ? undefined : draft
  }

  #draft(document: Document): Draft | typeof SAME | undefined {
    const type = this.#types.get(document.key.kind)
    if (!type || document.problem?.severity === 'error') return undefined
    const facts = factsOf(keyText(document.key), document)
    return this.#isHeld(facts) ? SAME : { facts, text: searchTextOf(type, document) }
  }

  /** The same bytes may be a draft in another folder, or of another day under another name. */
  #isHeld({ key, version, status, begins, ends }: Facts): boolean {
    const held = this.#index.segments.factsOf(key)
    return held?.version === version && held.status === status && held.begins === begins && held.ends === ends
  }

  #isFound(kind: Kind): boolean {
    return !kind.includes('/') && !kind.startsWith('.') && this.#types.get(kind) !== undefined
  }
}

/** Marks a document whose index entry is up to date. */
const SAME = 'same'

function factsOf(key: string, { key: { kind }, version, fields }: Head): Facts {
  return {
    key,
    kind,
    version,
    status: typeof fields.status === 'string' ? fields.status : '',
    begins: instantOf(fields.published_at) ?? Number.NEGATIVE_INFINITY,
    ends: instantOf(fields.expires_at) ?? Number.POSITIVE_INFINITY,
  }
}
