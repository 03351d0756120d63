import type { ContentTypes } from '#core/content-type.ts'
import { targetOf } from '#core/fields.ts'
import { keyText, parseKey } from '#core/key.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { isLive } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { Entry } from '../outline/site-entries.ts'
import { hrefOf, type SiteSnapshot } from '../outline/site-snapshot.ts'

/** The author of a record. */
export interface AuthorView {
  readonly name: string
  readonly url: string | null
}

/** An author as templates show it; `key` is that of the record that its name is of, as a text. */
export interface FoundAuthor {
  readonly view: AuthorView
  readonly key?: string
}

/** The most authors of a record that are named with it. */
const MOST_AUTHORS = 100

/** Finds the authors of records. */
export class Authors {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock

  constructor({ store, types, clock }: { store: Store; types: ContentTypes; clock: Clock }) {
    this.#store = store
    this.#types = types
    this.#clock = clock
  }

  /** The authors that `author`, the value of a record's field, names. */
  async of(entry: Entry, author: Json, snapshot: SiteSnapshot): Promise<FoundAuthor[]> {
    // A file may name more, and one of them many times.
    const named = new Set(Array.isArray(author) ? author.slice(0, LIMITS.items) : [author])
    const list = [...named].slice(0, MOST_AUTHORS)
    const field = entry.type.fields.get('author')
    const to = (field && targetOf(field)) ?? 'authors'
    const found = await Promise.all(list.map((one) => this.#author(one, to, snapshot)))
    return found.filter((one) => one !== undefined)
  }

  /** A name as it stands, or the title of the record it refers to where that is live. */
  async #author(author: Json, to: string, snapshot: SiteSnapshot): Promise<FoundAuthor | undefined> {
    if (author !== null && typeof author === 'object' && !Array.isArray(author))
      return typeof author.name === 'string' ? { view: { name: author.name, url: null } } : undefined
    if (typeof author !== 'string' || author.trim() === '') return undefined
    const type = this.#types.get(to)
    const key = type && parseKey(to, author)
    const record = key && (await this.#store.get(key))
    // One that is not live is as one that is not there.
    if (!type || !record || !isLive(record.fields, type.statuses, this.#clock.now())) return { view: { name: author, url: null } }
    const name = keyText(record.key)
    const url = snapshot.entries.get(name)?.url
    const shown = url != null && snapshot.outline.records.get(url)?.key.id === record.key.id
    const title = String(record.fields.name ?? record.fields.title ?? author)
    return { view: { name: title, url: shown ? hrefOf(snapshot, url) : null }, key: name }
  }
}
