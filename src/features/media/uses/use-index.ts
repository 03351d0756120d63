import type { Document } from '#core/document.ts'
import { everyDocument } from '#core/every-document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import { type Key, keyText } from '#core/key.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import type { SiteAddress } from '#core/media/media.ts'
import { SETTINGS, type Setting } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { holds } from '#core/types/fields.ts'
import { unreadableAt } from '../unreadable-file.ts'
import { mediaLike } from './media-like.ts'
import { type Use, type UserOf, UseTable } from './use-table.ts'
import { type MediaIds, usesInMenu, usesInRecord, usesInSettings } from './uses-in.ts'

/** The dependencies of the index. */
export interface UseIndexDeps {
  readonly store: Store
  readonly types: ContentTypes
  /** The declared settings by key. */
  readonly settings: ReadonlyMap<string, Setting>
  readonly site: SiteAddress
  readonly scanner: ScanThread
}

const MENUS = 'menus'
/** Number of changes that are taken in at once. */
const CHANGES_AT_ONCE = 100
const RIGHTS_FIELDS = ['status', 'published_at', 'expires_at', 'author'] as const

/**
 * The uses of a site's media by its records, menus and settings: read when they are first asked for, and kept current from the
 * store's feed of changes.
 */
export class UseIndex {
  readonly #deps: UseIndexDeps
  readonly #follower: FeedFollower
  #table = new UseTable()
  #isClosed = false

  constructor(deps: UseIndexDeps) {
    this.#deps = deps
    const take = async (keys: readonly Key[]) => {
      for (const key of keys) await this.#look(key)
    }
    const consumer = { readAll: () => this.#readAll(), take }
    this.#follower = new FeedFollower(deps.store, consumer, { part: CHANGES_AT_ONCE })
  }

  /** Brings the index up to every write that resolved before the call. */
  refresh(): Promise<void> {
    return this.#follower.runs.run()
  }

  /** The uses of a media file, one by one, as of the last refresh or later. */
  usesOf(id: string): Generator<Use> {
    return this.#table.usesOf(id)
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#follower.close()
  }

  async #look(key: Key): Promise<void> {
    if (!this.#isUser(key.kind)) return
    const document = await this.#deps.store.get(key)
    this.#table.set(keyText(key), document && (await this.#read(document)))
  }

  async #readAll(): Promise<void> {
    const table = new UseTable()
    for (const kind of await this.#deps.store.kinds()) {
      if (!this.#isUser(kind)) continue
      for await (const document of everyDocument(this.#deps.store, kind)) {
        if (this.#isClosed) return
        table.set(keyText(document.key), await this.#read(document))
      }
    }
    const { store } = this.#deps
    const isUser = ({ kind }: Key) => this.#isUser(kind)
    for (const { severity, file } of await store.problems()) {
      const document = severity === 'error' ? await unreadableAt(store, file, isUser) : undefined
      if (document) table.set(keyText(document.key), await this.#read(document))
    }
    this.#table = table
  }

  async #read(document: Document): Promise<UserOf | undefined> {
    const ids = await this.#idsIn(document)
    if (ids.size === 0) return undefined
    const { key, fields, problem } = document
    const kept = Object.fromEntries(RIGHTS_FIELDS.flatMap((name) => (fields[name] == null ? [] : [[name, fields[name]]])))
    return { user: { key, fields: kept, ...(problem && { problem }) }, ids }
  }

  async #idsIn(document: Document): Promise<ReadonlyMap<string, MediaIds>> {
    const { types, settings, site, scanner } = this.#deps
    const { kind } = document.key
    const deps = { scanner, site }
    if (document.problem?.severity === 'error') return this.#idsLike(document)
    if (kind === SETTINGS) return usesInSettings(document, settings, deps)
    const type = types.get(kind)
    const ids = kind === MENUS ? usesInMenu(document, site) : type ? await usesInRecord(document, type, deps) : new Set<string>()
    return new Map(ids.size > 0 ? [['', ids]] : [])
  }

  /** The media that a document which can't be read names: by what looks like an address, or like the value of a field. */
  async #idsLike({ key: { kind }, source }: Document): Promise<ReadonlyMap<string, MediaIds>> {
    const { types, settings, site } = this.#deps
    const fields = kind === SETTINGS ? [...settings.values()].map(({ field }) => field) : types.get(kind)?.fields.values()
    const hasFields = [...(fields ?? [])].some((field) => holds(field, ({ type }) => type === 'media'))
    const ids = await mediaLike(source?.toString('utf8') ?? '', { site, hasFields })
    return new Map(ids.size > 0 ? [['', ids]] : [])
  }

  #isUser(kind: string): boolean {
    if (kind === MENUS || kind === SETTINGS) return true
    return !kind.startsWith('.') && !kind.includes('/') && this.#deps.types.get(kind) !== undefined
  }
}
