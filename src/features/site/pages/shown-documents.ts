import type { Document, Head } from '#core/document.ts'
import { keyText } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import type { Clock } from '#lib/clock.ts'
import type { Entry } from '../outline/entry.ts'
import { isShown } from '../outline/outline.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'

/** Heads of one type that are read one by one. */
const FEW = 50

/** The documents of the records of a snapshot, as they are now: what the site may not show any more is none. */
export class ShownDocuments {
  readonly #store: Store
  readonly #clock: Clock
  readonly #strayed = new WeakSet<Entry>()
  #once: 'once' | undefined

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  /** Has no document be kept: a build reads each for its own page, and asks for few again. */
  readOnce(): void {
    this.#once = 'once'
  }

  /** The record as it is now; undefined where it is gone, or became what the snapshot does not show. */
  async get(entry: Entry, snapshot: SiteSnapshot): Promise<Document | undefined> {
    const document = entry.draft ?? (await this.#store.get(entry.key, this.#once))
    return this.#isCurrent(entry, document, snapshot) ? document : undefined
  }

  /** As `get`, of many and without their bodies. Those of one type are read at once where they are many. */
  async heads(entries: Iterable<Entry>, snapshot: SiteSnapshot): Promise<Map<Entry, Head>> {
    const found = new Map<Entry, Head>()
    for (const [kind, some] of byKind(entries)) {
      const items = some.length > FEW ? (await this.#store.heads(kind, {})).items : undefined
      const all = items && new Map(items.map((head) => [keyText(head.key), head]))
      for (const entry of some) {
        const head = entry.draft ?? (all ? all.get(keyText(entry.key)) : await this.#store.head(entry.key))
        if (this.#isCurrent(entry, head, snapshot)) found.set(entry, head)
      }
    }
    return found
  }

  /** Has a record be made again by the next build. */
  stray(entry: Entry): void {
    this.#strayed.add(entry)
  }

  /**
   * Returns whether a view of a record was made from another version than that of the snapshot, since it was written meanwhile.
   */
  hasStrayed(entry: Entry): boolean {
    return this.#strayed.has(entry)
  }

  #isCurrent<H extends Head>(entry: Entry, head: H | undefined, { showing }: SiteSnapshot): head is H {
    if (head?.version === entry.version) return true
    this.stray(entry)
    if (!head || head.problem?.severity === 'error') return false
    return isShown(head.fields, entry.type, this.#clock.now(), showing)
  }
}

function byKind(entries: Iterable<Entry>): Map<string, Entry[]> {
  const kinds = new Map<string, Entry[]>()
  for (const entry of entries) {
    const some = kinds.get(entry.key.kind)
    if (some) some.push(entry)
    else kinds.set(entry.key.kind, [entry])
  }
  return kinds
}
