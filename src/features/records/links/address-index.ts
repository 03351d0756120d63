import { aliasesOf } from '#core/aliases.ts'
import type { Head } from '#core/document.ts'
import { FeedFollower } from '#core/feed/feed-follower.ts'
import type { Key } from '#core/key.ts'
import { urlOf } from '#core/permalink.ts'
import type { Store } from '#core/store.ts'
import type { ContentType, ContentTypes } from '#core/types/content-type.ts'
import { append } from '#lib/append.ts'
import { Slices } from '#lib/concurrency/slices.ts'
import { KeysByPath } from './keys-by-path.ts'

/** From so many changes on everything is read anew. */
const MOST_SINGLE_LOOKUPS = 500

/**
 * The addresses and aliases of all records that have a page, whatever their status: read when first asked for, and kept current
 * from the store's feed of changes.
 */
export class AddressIndex {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #follower: FeedFollower
  #pages = new KeysByPath()
  #aliases = new KeysByPath()

  constructor({ store, types }: { store: Store; types: ContentTypes }) {
    this.#store = store
    this.#types = types
    const consumer = { readAll: () => this.#readAll(), take: (keys: readonly Key[]) => this.#look(keys) }
    this.#follower = new FeedFollower(store, consumer, { part: MOST_SINGLE_LOOKUPS, skips: true })
  }

  /** Gives the records whose page has this path, as of every write that resolved before the call. */
  async at(url: string): Promise<Key[]> {
    await this.#follower.runs.run()
    return this.#pages.at(url)
  }

  /** Gives the records that have this path among their aliases, as `at`. */
  async leadingFrom(path: string): Promise<Key[]> {
    await this.#follower.runs.run()
    return this.#aliases.at(path)
  }

  /** Asks for heads, a kind at a time: they need no file to be read. */
  async #look(keys: readonly Key[]): Promise<void> {
    const slices = new Slices()
    for (const kind of new Set(keys.map((key) => key.kind))) {
      if (!this.#typeOf(kind)) continue
      const ids = keys.filter((key) => key.kind === kind).map((key) => key.id)
      const { items } = await this.#store.heads(kind, { where: [{ field: 'id', op: 'in', value: ids, as: 'text' }] })
      const heads = new Map(items.map((head) => [head.key.id, head]))
      for (const key of keys) {
        if (key.kind === kind) this.#keep(key, heads.get(key.id))
        if (slices.isOver) await slices.pause()
      }
    }
  }

  async #readAll(): Promise<void> {
    const heads: Head[] = []
    for (const kind of await this.#store.kinds()) {
      if (this.#typeOf(kind)) append(heads, (await this.#store.heads(kind, {})).items)
    }
    this.#pages = new KeysByPath()
    this.#aliases = new KeysByPath()
    const slices = new Slices()
    for (const head of heads) {
      if (slices.isOver) await slices.pause()
      this.#keep(head.key, head)
    }
  }

  #keep(key: Key, head: Head | undefined): void {
    const type = this.#typeOf(key.kind)
    const url = head && type ? urlOf(type, head) : null
    this.#pages.set(key, url === null ? [] : [url])
    this.#aliases.set(key, head && url !== null && head.fields.aliases != null ? aliasesOf(head, url) : [])
  }

  /** The type of a kind whose records have pages. */
  #typeOf(kind: string): ContentType | undefined {
    const type = kind.startsWith('.') || kind.includes('/') ? undefined : this.#types.get(kind)
    return type?.permalink == null ? undefined : type
  }
}
