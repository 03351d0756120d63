import { Conflict } from '#lib/errors.ts'
import type { Document, Head } from '../document.ts'
import type { Key, Kind } from '../key.ts'
import type { Page, Query } from '../queries/query.ts'
import type { Feed, Store, Unsubscribe } from '../store.ts'
import type { PastHead } from './past.ts'
import type { RevisionNumber } from './revision.ts'
import { noHistory, type RevisionName } from './revision-name.ts'

const PART = 1_000
/** The one place in the feed of what never changes. */
const END = 'past'

/** The documents of a kind as they were, by id. */
type PastKind = ReadonlyMap<string, { readonly head: Head; readonly number: RevisionNumber }>

/**
 * The readable content of a store as it was at a time, or in a commit. Lists are whole: conditions, orders and parts are not known.
 * Nothing can be written, and nothing changes.
 */
export class PastStore implements Store {
  /** The time it is of, in milliseconds since 1970. */
  readonly time: number
  readonly #store: Store
  readonly #kinds: ReadonlyMap<Kind, PastKind>
  readonly history: Store['history']
  readonly at: Store['at']
  readonly past: Store['past']
  readonly latest: Store['latest']
  readonly health: Store['health']

  private constructor(store: Store, kinds: ReadonlyMap<Kind, PastKind>, time: number) {
    this.#store = store
    this.#kinds = kinds
    this.time = time
    this.history = (key, part) => store.history(key, part)
    this.at = (key, number) => store.at(key, number)
    this.past = (kind, moment) => store.past(kind, moment)
    this.latest = (part) => store.latest(part)
    this.health = () => store.health()
  }

  /** Throws NotFound where there is no history, or no such commit in it; InvalidInput for a commit where it is not one of commits. */
  static async open(store: Store, at: RevisionName): Promise<PastStore> {
    const kinds = new Map<Kind, PastKind>()
    let time: number | undefined
    for (const kind of await kindsEver(store)) {
      const list = await store.past(kind, { at })
      if (!list) continue
      time ??= list.time
      if (list.heads.length > 0) kinds.set(kind, new Map(list.heads.map((past) => [past.head.key.id, ofPast(past)])))
    }
    if (time === undefined) throw noHistory()
    return new PastStore(store, kinds, time)
  }

  async kinds(): Promise<Kind[]> {
    return [...this.#kinds.keys()].sort()
  }

  async get(key: Key): Promise<Document | undefined> {
    const found = this.#kinds.get(key.kind)?.get(key.id)
    return found && this.#store.at(found.head.key, found.number)
  }

  async head(key: Key): Promise<Head | undefined> {
    return this.#kinds.get(key.kind)?.get(key.id)?.head
  }

  async heads(kind: Kind, query: Query): Promise<Page<Head>> {
    mustBeWhole(query)
    const items = [...(this.#kinds.get(kind)?.values() ?? [])].map(({ head }) => head)
    items.sort((a, b) => (a.key.id < b.key.id ? -1 : 1))
    return { items, total: items.length }
  }

  async browse(kind: Kind, query: Query): Promise<Page<Document>> {
    const { items } = await this.heads(kind, query)
    const documents = await Promise.all(items.map(({ key }) => this.get(key)))
    const found = documents.filter((document) => document !== undefined)
    return { items: found, total: found.length }
  }

  async count(): Promise<Map<string, number>> {
    throw new Error('What was is not counted.')
  }

  async write(): Promise<Document[]> {
    throw new Conflict('What was can’t be changed.')
  }

  async written(): Promise<undefined> {}

  async dated(): Promise<void> {}

  async problems(): Promise<[]> {
    return []
  }

  async misnamed(): Promise<undefined> {}

  async changes(after: string | undefined): Promise<Feed> {
    return { changes: [], next: END, sequence: 0, reset: after === undefined }
  }

  subscribe(): Unsubscribe {
    return () => undefined
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

/** The kinds of all documents that there are or were. */
async function kindsEver(store: Store): Promise<Set<Kind>> {
  const kinds = new Set(await store.kinds())
  for (let offset = 0; ; offset += PART) {
    const part = (await store.latest({ offset, limit: PART })) ?? []
    for (const { key } of part) kinds.add(key.kind)
    if (part.length < PART) return kinds
  }
}

function ofPast({ head, number }: PastHead) {
  return { head, number }
}

function mustBeWhole(query: Query): void {
  const [name] = Object.keys(query)
  if (name !== undefined) throw new Error(`What was is listed whole, without "${name}".`)
}
