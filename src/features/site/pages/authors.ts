import { keyText, parseKey } from '#core/key.ts'
import { LIMITS } from '#core/rules/limits.ts'
import { isLive } from '#core/status.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { targetOf } from '#core/types/fields.ts'
import type { Clock } from '#lib/clock.ts'
import type { Json } from '#lib/json.ts'
import type { Entry } from '../outline/entry.ts'
import { SettledPerSnapshot } from '../outline/per-snapshot.ts'
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
const NOBODY: readonly FoundAuthor[] = []

/** Finds the authors of records. */
export class Authors {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #found = new SettledPerSnapshot((named: string, snapshot) => {
    const [to, author]: [string, Json] = JSON.parse(named)
    return this.#named(author, to, snapshot)
  })

  constructor({ store, types, clock }: { store: Store; types: ContentTypes; clock: Clock }) {
    this.#store = store
    this.#types = types
    this.#clock = clock
  }

  /** As `of`, found once for each snapshot: for what is compared, and not shown. */
  once(entry: Entry, snapshot: SiteSnapshot): readonly FoundAuthor[] | Promise<readonly FoundAuthor[]> {
    return entry.author === null ? NOBODY : this.#found.of(JSON.stringify([kindOfAuthors(entry), entry.author]), snapshot)
  }

  /** The authors that `author`, the value of a record's field, names. */
  of(entry: Entry, author: Json, snapshot: SiteSnapshot): Promise<FoundAuthor[]> {
    return this.#named(author, kindOfAuthors(entry), snapshot)
  }

  async #named(author: Json, to: string, snapshot: SiteSnapshot): Promise<FoundAuthor[]> {
    // A file may name more, and one of them many times.
    const named = new Set(Array.isArray(author) ? author.slice(0, LIMITS.items) : [author])
    const list = [...named].slice(0, MOST_AUTHORS)
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

/** The kind of the records that the authors of a record are. */
function kindOfAuthors({ type }: Entry): string {
  const field = type.fields.get('author')
  return (field && targetOf(field)) ?? 'authors'
}
