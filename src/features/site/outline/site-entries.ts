import type { Document, Head, Version } from '#core/document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { HINTS_LAST_MS } from '#core/feed/hints.ts'
import { keyOfFile } from '#core/files/layout.ts'
import { type Key, keyText, RESERVED_TYPES } from '#core/key.ts'
import { folderOf } from '#core/media/attachments.ts'
import { aliasesOf, permalinkOf } from '#core/permalink.ts'
import type { SortKey } from '#core/queries/comparison.ts'
import { instantOf } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { isUnlisted } from '#frontmatter/other-tools.ts'
import type { Clock } from '#lib/clock.ts'
import type { Fields, Json } from '#lib/json.ts'
import { type FoldersOfRecords, keepFolder } from './kept-folders.ts'
import { isNewestFirst, sortKeysOf } from './order.ts'
import { picturedIn } from './pictured.ts'
import { termIdsOf } from './term-ids.ts'

/** The data by which the clock decides if a record is live. */
export interface Timed {
  readonly type: ContentType
  /** Fields that decide if it is live: `status`, `published_at`, `expires_at`. */
  readonly timing: Readonly<Fields>
}

/** The data that the site keeps in memory for a record that has, or should have, a page. */
export interface Entry extends Timed {
  readonly key: Key
  readonly version: Version
  readonly title: string
  readonly url: string | null
  /** The template that it names for itself. */
  readonly template: string | undefined
  /** Reason why there is no page, as the end of a sentence. */
  readonly fault: string | undefined
  readonly aliases: readonly string[]
  /** Milliseconds since 1970. */
  readonly published: number | undefined
  /** The values that its type's lists are ordered by; absent where that is `published` alone. */
  readonly order?: readonly SortKey[]
  /** RFC 3339: when it was last changed, as far as known. */
  readonly modified: string | undefined
  /** Term ids by taxonomy, of those that have any. */
  readonly terms: Readonly<Record<string, readonly string[]>>
  /** By taxonomy, where its file calls any of them otherwise; see `Head.termNames`. */
  readonly termNames: NonNullable<Head['termNames']>
  readonly noindex: boolean
  /** True if it is in no list. It has its page all the same. */
  readonly unlisted: boolean
  /** True if it is the page of a section, and so in no list of it. */
  readonly isSection: boolean
  /** The folder of its file, below content/. */
  readonly folder: string
  /** True if the files in that folder are its own. */
  readonly hasFolder: boolean
  /** As its file has it. */
  readonly author: Json
  /** The part of its fields that names its picture; see `picturedIn`. */
  readonly pictured: Readonly<Fields> | undefined
  /** The document itself, where it is none that the store has. */
  readonly draft?: Document
}

/** The records of a site by key text. `revision` grows with every change of anything. */
export interface SiteRecords {
  readonly revision: number
  /** Those of types whose records have pages. */
  readonly entries: ReadonlyMap<string, Entry>
  /** Those of other types that have dates: pages of other records may name them, as authors. */
  readonly pageless: ReadonlyMap<string, Timed>
  /** The record whose own a folder's files are, by the folder's path below content/: of those with pages, readable or not. */
  readonly folders: ReadonlyMap<string, string>
}

interface Kept extends FoldersOfRecords {
  readonly entries: Map<string, Entry>
  readonly pageless: Map<string, Timed>
}

const nothingKept = (): Kept => ({ entries: new Map(), pageless: new Map(), folders: new Map(), own: new Map() })

const MOST_SINGLE_LOOKUPS = 500
/** The folder of content in the problems of a database. */
const IN_DATABASES = 'content'
const NONE: readonly string[] = []
const NO_NAMES = {}

/** The records of a site by key, kept current from the store's feed of changes. */
export class SiteEntries {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #withTerms: boolean
  /** Problems name files with one of these before their paths. */
  readonly #folders: readonly string[]
  #records = nothingKept()
  readonly #unsubscribe: () => void
  readonly #follower: FeedFollower
  /** The entries of heads: most of these are the same when all are read anew. */
  readonly #made = new WeakMap<Head, Entry>()
  #checked = 0
  #awaitsDates = true
  #revision = 0

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
    return { ...this.#records, revision: this.#revision }
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
    for (const key of keys) {
      const type = this.#typeOf(key.kind)
      if (type) this.#keep(this.#records, key, type, await this.#store.get(key))
    }
    this.#revision++
  }

  async #readAll(): Promise<void> {
    // Those who have the records of before go on with them: what is half read is shown to nobody.
    const records = nothingKept()
    for (const kind of await this.#store.kinds()) {
      const type = this.#typeOf(kind)
      if (!type) continue
      const { items } = await this.#store.heads(kind, {})
      for (const head of items) this.#keep(records, head.key, type, head)
    }
    await this.#readUnreadable(records)
    this.#records = records
    this.#revision++
    this.#awaitDates()
  }

  /** Those that can't be read are in no list, and files may be theirs all the same. */
  async #readUnreadable(records: Kept): Promise<void> {
    for (const { file, severity } of await this.#store.problems()) {
      const folder = severity === 'error' ? this.#folders.find((one) => file.startsWith(one)) : undefined
      const key = folder === undefined ? undefined : keyOfFile(file.slice(folder.length))
      const type = key && this.#typeOf(key.kind)
      if (type) this.#keep(records, key, type, await this.#store.head(key))
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

  #keep(kept: Kept, key: Key, type: ContentType, head: Head | Document | undefined): void {
    const { entries, pageless } = kept
    const name = keyText(key)
    keepFolder(kept, name, head)
    if (type.permalink === null) keepPageless(pageless, name, type, head?.fields ?? {})
    else if (head === undefined || head.problem?.severity === 'error') entries.delete(name)
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

/** Returns what the site keeps of a record; without `withTerms` it names none. */
export function entryOf(type: ContentType, head: Head, withTerms: boolean): Entry {
  const { url, fault } = permalinkOf(type, head)
  const fields = head.fields
  const published = instantOf(fields.published_at)
  const entry: Entry = {
    key: head.key,
    version: head.version,
    type,
    title: typeof fields.title === 'string' ? fields.title : head.key.id,
    url,
    template: typeof fields.template === 'string' ? fields.template.replace(/\.liquid$/, '') : undefined,
    fault,
    aliases: url === null || fields.aliases == null ? NONE : aliasesOf(head, url),
    published,
    modified: head.updatedAt ?? (published === undefined ? undefined : new Date(published).toISOString()),
    timing: timingOf(fields),
    terms: withTerms ? termIdsOf(type, fields) : {},
    termNames: (withTerms && head.termNames) || NO_NAMES,
    noindex: fields.noindex === true,
    unlisted: isUnlisted(fields),
    isSection: head.isSection === true,
    folder: folderOf(head),
    hasFolder: head.hasFolder === true,
    author: fields.author ?? null,
    pictured: picturedIn(fields),
  }
  return isNewestFirst(type) ? entry : { ...entry, order: sortKeysOf(type, head) }
}

function timingOf(fields: Readonly<Fields>): Fields {
  const { status = null, published_at = null, expires_at = null } = fields
  return expires_at === null ? { status, published_at } : { status, published_at, expires_at }
}
