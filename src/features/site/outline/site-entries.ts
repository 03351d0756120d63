import type { Document, Head } from '#core/document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { HINTS_LAST_MS } from '#core/feed/hints.ts'
import { keyOfFile } from '#core/files/layout.ts'
import { type Key, keyText, RESERVED_TYPES } from '#core/key.ts'
import { ownFolderOf } from '#core/media/attachments.ts'
import { instantOf } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields } from '#lib/json.ts'
import { LayeredMap } from '#lib/layered-map.ts'
import { type Entry, entryOf, type Timed, timingOf } from './entry.ts'
import { type FoldersOfRecords, keepFolder } from './kept-folders.ts'

/** The records of a site by key text, in one state. `revision` grows with every change of anything. */
export interface SiteRecords {
  readonly revision: number
  /** Those of types whose records have pages. */
  readonly entries: LayeredMap<Entry>
  /** Those of other types that have dates: pages of other records may name them, as authors. */
  readonly pageless: ReadonlyMap<string, Timed>
  /** The record whose own a folder's files are, by the folder's path below content/: of those with pages, readable or not. */
  readonly folders: ReadonlyMap<string, string>
  /** Returns the names of the records that may have changed since a revision; undefined where that is not known. */
  since(revision: number): ReadonlySet<string> | undefined
}

/** A record as the store has it; without a head where it is gone. */
interface Found {
  readonly name: string
  readonly type: ContentType
  readonly head: Head | Document | undefined
}

/** Records that are read. */
interface Kept extends FoldersOfRecords {
  readonly entries: Map<string, Entry | undefined>
  readonly pageless: Map<string, Timed>
}

/** The records of one state, which nothing changes, and the folder of each that has one of its own. */
type State = Omit<SiteRecords, 'since' | 'pageless'> & Omit<Kept, 'entries'>

const NOTHING: State = { revision: 0, entries: new LayeredMap(), pageless: new Map(), folders: new Map(), own: new Map() }

/** The most revisions whose changes are remembered. */
const REMEMBERED = 200

const MOST_SINGLE_LOOKUPS = 500
/** The folder of content in the problems of a database. */
const IN_DATABASES = 'content'

/** The records of a site by key, kept current from the store's feed of changes. */
export class SiteEntries {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #withTerms: boolean
  /** Problems name files with one of these before their paths. */
  readonly #folders: readonly string[]
  #state = NOTHING
  /** The names of what changed with each revision, the last one at the end. */
  #changes: (readonly string[])[] = []
  readonly #unsubscribe: () => void
  readonly #follower: FeedFollower
  /** The entries of heads: most of these are the same when all are read anew. */
  readonly #made = new WeakMap<Head, Entry>()
  #checked = 0
  #awaitsDates = true

  /**
   * `content` is the folder of content, from the site's root. Without `withTerms` a site has no pages of terms, and its records
   * name none.
   */
  constructor(store: Store, types: ContentTypes, clock: Clock, content = IN_DATABASES, withTerms = true) {
    this.#store = store
    this.#folders = [`${content.replace(/\/+$/, '')}/`, `${IN_DATABASES}/`]
    this.#types = types
    this.#clock = clock
    this.#withTerms = withTerms
    const consumer = { readAll: () => this.#readAll(), take: (keys: readonly Key[]) => this.#take(keys) }
    this.#follower = new FeedFollower(store, consumer, { part: MOST_SINGLE_LOOKUPS, skips: true })
    this.#unsubscribe = store.subscribe(() => this.#follower.runs.hint())
  }

  /** All records, as of every write that resolved before the call. */
  async current(): Promise<SiteRecords> {
    const { runs } = this.#follower
    const now = this.#clock.now()
    if (Math.abs(now - this.#checked) >= HINTS_LAST_MS) runs.hint()
    if (runs.isBehind) {
      await runs.upToHints()
      this.#checked = now
    }
    const [state, changes] = [this.#state, this.#changes]
    const since = (revision: number) => {
      const count = state.revision - revision
      return count >= 0 && count <= changes.length ? new Set(changes.slice(changes.length - count).flat()) : undefined
    }
    return { ...state, since }
  }

  /** Has all records be read anew, with the dates that they have by then. */
  forget(): void {
    this.#follower.forget()
  }

  close(): void {
    this.#unsubscribe()
  }

  async #take(keys: readonly Key[]): Promise<void> {
    // Which terms records mean depends on those that are declared.
    if (this.#withTerms && keys.some(({ kind }) => kind.startsWith('taxonomy/'))) return this.#readAll()
    const found: Found[] = []
    for (const key of keys) {
      const type = this.#typeOf(key.kind)
      if (type) found.push({ name: keyText(key), type, head: await this.#store.get(key) })
    }
    const { revision, entries, pageless, folders, own } = this.#state
    const isMoved = found.some(({ name, head }) => own.get(name) !== (head && ownFolderOf(head)))
    const isPageless = found.some(({ type }) => type.permalink === null)
    // Those who have the records of before go on with them.
    const kept: Kept = {
      entries: new Map(),
      pageless: isPageless ? new Map(pageless) : pageless,
      folders: isMoved ? new Map(folders) : folders,
      own: isMoved ? new Map(own) : own,
    }
    for (const one of found) this.#keep(kept, one)
    this.#state = { ...kept, entries: entries.with(kept.entries), revision: revision + 1 }
    this.#changes = [...this.#changes, found.map(({ name }) => name)].slice(-REMEMBERED)
  }

  async #readAll(): Promise<void> {
    const kept: Kept = { entries: new Map(), pageless: new Map(), folders: new Map(), own: new Map() }
    for (const kind of await this.#store.kinds()) {
      const type = this.#typeOf(kind)
      if (!type) continue
      const { items } = await this.#store.heads(kind, {})
      for (const head of items) this.#keep(kept, { name: keyText(head.key), type, head })
    }
    await this.#readUnreadable(kept)
    this.#state = { ...kept, entries: new LayeredMap<Entry>().with(kept.entries), revision: this.#state.revision + 1 }
    this.#changes = []
    this.#awaitDates()
  }

  /** Those that can't be read are in no list, and files may be theirs all the same. */
  async #readUnreadable(kept: Kept): Promise<void> {
    for (const { file, severity } of await this.#store.problems()) {
      const folder = severity === 'error' ? this.#folders.find((one) => file.startsWith(one)) : undefined
      const key = folder === undefined ? undefined : keyOfFile(file.slice(folder.length))
      const type = key && this.#typeOf(key.kind)
      if (type) this.#keep(kept, { name: keyText(key), type, head: await this.#store.head(key) })
    }
  }

  /** The dates of records are no changes of theirs: once they are all there, everything is read anew. */
  #awaitDates(): void {
    if (!this.#awaitsDates) return
    this.#awaitsDates = false
    // A history that can't be read is reported where it is read; the pages do without.
    this.#store.dated().then(
      () => this.#follower.forget(),
      () => undefined,
    )
  }

  #typeOf(kind: string): ContentType | undefined {
    if (kind.includes('/') || kind.startsWith('.') || RESERVED_TYPES.has(kind)) return undefined
    return this.#types.get(kind)
  }

  #keep(kept: Kept, { name, type, head }: Found): void {
    const { entries, pageless } = kept
    keepFolder(kept, name, head)
    if (type.permalink === null) keepPageless(pageless, name, type, head?.fields ?? {})
    else if (head === undefined || head.problem?.severity === 'error') entries.set(name, undefined)
    else {
      const made = this.#made.get(head) ?? entryOf(type, head, this.#withTerms)
      this.#made.set(head, made)
      entries.set(name, made)
    }
  }
}

function keepPageless(pageless: Kept['pageless'], name: string, type: ContentType, fields: Readonly<Fields>): void {
  const isTimed = instantOf(fields.published_at) !== undefined || instantOf(fields.expires_at) !== undefined
  if (isTimed) pageless.set(name, { type, timing: timingOf(fields) })
  else pageless.delete(name)
}
