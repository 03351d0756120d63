import type { Clock } from '#lib/clock.ts'
import type { Author, Document, Head } from '../document.ts'
import { HINTS_LAST_MS } from '../feed/hints.ts'
import type { Note } from '../history/revision.ts'
import { isPrivate, type Key, type Kind } from '../key.ts'
import type { Page, Query } from '../queries/query.ts'
import type { Change, Store } from '../store.ts'
import type { ContentTypes, Taxonomy } from '../types/content-type.ts'
import { type Synonyms, TermSemantics } from './semantics.ts'
import { termId } from './terms.ts'
import { declaredTerms, synonymsOf, type TermSynonyms } from './tree.ts'

const NONE: readonly Taxonomy[] = []
const NOTHING = '[]'
const TERMS = 'taxonomy/'

/**
 * A store that resolves the terms of records: a value that is a declared term's name, or its former name, is that term's id, in
 * records, filters, counts and on write. All else is the store's below; in the history, values are as they were written.
 */
export class TermStore implements Store {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly kinds: Store['kinds']
  readonly history: Store['history']
  readonly at: Store['at']
  readonly past: Store['past']
  readonly latest: Store['latest']
  readonly dated: Store['dated']
  readonly problems: Store['problems']
  readonly misnamed: Store['misnamed']
  readonly changes: Store['changes']
  readonly subscribe: Store['subscribe']
  readonly health: Store['health']
  #semantics = new TermSemantics(new Map())
  /** Stands for the synonyms that there are. */
  #name = NOTHING
  #isStale = true
  #read = 0
  #reading: Promise<void> | undefined

  constructor(store: Store, types: ContentTypes, clock: Clock) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.kinds = () => store.kinds()
    this.history = (key, part) => store.history(key, part)
    this.at = (key, number) => store.at(key, number)
    this.past = (kind, moment) => store.past(kind, moment)
    this.latest = (part) => store.latest(part)
    this.dated = () => store.dated()
    this.problems = (kind) => store.problems(kind)
    this.misnamed = (kind, id) => store.misnamed(kind, id)
    this.changes = (after, limit) => store.changes(after, limit)
    this.subscribe = (listener) => store.subscribe(listener)
    this.health = () => store.health()
    store.subscribe(() => {
      this.#isStale = true
    })
  }

  get(key: Key, once?: 'once'): Promise<Document | undefined> {
    return this.#saysIds() ? this.#store.get(key, once) : this.#meant(key, () => this.#store.get(key, once))
  }

  head(key: Key): Promise<Head | undefined> {
    return this.#saysIds() ? this.#store.head(key) : this.#meant(key, () => this.#store.head(key))
  }

  async #meant<T extends Head>(key: Key, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const meant = await this.#of(key.kind)
    const found = await read()
    return found && meant(found)
  }

  browse(kind: Kind, query: Query): Promise<Page<Document>> {
    if (this.#saysIds()) return this.#store.browse(kind, query)
    return this.#page(kind, query, (asked) => this.#store.browse(kind, asked))
  }

  heads(kind: Kind, query: Query): Promise<Page<Head>> {
    if (this.#saysIds()) return this.#store.heads(kind, query)
    return this.#page(kind, query, (asked) => this.#store.heads(kind, asked))
  }

  async count(kind: Kind, query: Query, by: string): Promise<Map<string, number>> {
    const taxonomies = this.#taxonomies(kind)
    const semantics = await this.#current(taxonomies)
    const asked = semantics?.query(query, taxonomies) ?? query
    const counts = await this.#store.count(kind, asked, by)
    if (!semantics || !taxonomies.some(({ name }) => name === by)) return counts
    const merged = new Map(counts)
    for (const [id, said] of semantics.merged(by, counts)) {
      const where = [...(asked.where ?? []), { field: by, op: 'in' as const, value: said, as: 'text' as const }]
      // A record may say a term twice.
      const sum =
        said.length === 1 ? counts.get(said[0] ?? id) : (await this.#store.heads(kind, { ...asked, where, limit: 0 })).total
      for (const one of said) merged.delete(one)
      merged.set(id, sum ?? 0)
    }
    return merged
  }

  async write(changes: readonly Change[], by: Author, note?: Note): Promise<Document[]> {
    const said: Change[] = []
    const declared = declaredBy(changes)
    for (const change of changes) said.push(await this.#said(change, declared))
    const written = await this.#store.write(said, by, note)
    if (changes.some(({ key }) => key.kind.startsWith(TERMS))) this.#isStale = true
    return this.#all(written)
  }

  async written(once: string): Promise<Document[] | undefined> {
    const written = await this.#store.written(once)
    return written && this.#all(written)
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  async #page<T extends Head>(kind: Kind, query: Query, ask: (query: Query) => Promise<Page<T>>): Promise<Page<T>> {
    const taxonomies = this.#taxonomies(kind)
    const semantics = await this.#current(taxonomies)
    if (!semantics) return ask(query)
    const { items, total } = await ask(semantics.query(query, taxonomies))
    return { items: items.map((item) => semantics.of(item, taxonomies)), total }
  }

  async #all(documents: readonly Document[]): Promise<Document[]> {
    const meant: Document[] = []
    for (const document of documents) meant.push((await this.#of(document.key.kind))(document))
    return meant
  }

  /** A change in the words of the file that it is of. */
  async #said(change: Change, declared: Declared): Promise<Change> {
    const taxonomies = this.#taxonomies(change.key.kind)
    const semantics = 'put' in change && change.put.set ? await this.#current(taxonomies) : undefined
    if (!semantics || !('put' in change) || !change.put.set) return change
    const set = { ...change.put.set }
    const terms = taxonomies.filter(({ name }) => set[name] !== undefined && set[name] !== null)
    if (terms.length === 0) return change
    const now = change.put.source ? undefined : await this.#store.get(change.from ?? change.key)
    for (const { name } of terms) set[name] = semantics.said(name, set[name] ?? null, now?.fields[name], declared.get(name))
    return { ...change, put: { ...change.put, set } }
  }

  async #of(kind: Kind): Promise<<T extends Head>(head: T) => T> {
    const taxonomies = this.#taxonomies(kind)
    const semantics = await this.#current(taxonomies)
    return (head) => semantics?.of(head, taxonomies) ?? head
  }

  #taxonomies(kind: Kind): readonly Taxonomy[] {
    return isPrivate(kind) || kind.includes('/') ? NONE : this.#types.shape(kind).taxonomies
  }

  /** The semantics of terms as of every write that resolved before the call; undefined if all values are ids. */
  async #current(taxonomies: readonly Taxonomy[]): Promise<TermSemantics | undefined> {
    if (taxonomies.length === 0) return undefined
    while (!this.#isCurrent()) {
      this.#reading ??= this.#readAnew().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    return this.#semantics.bearsOn(taxonomies) ? this.#semantics : undefined
  }

  #isCurrent(): boolean {
    return !this.#isStale && !this.#reading && Math.abs(this.#clock.now() - this.#read) < HINTS_LAST_MS
  }

  /** Returns whether it is known that all terms are given by their ids. Then there is nothing to wait for. */
  #saysIds(): boolean {
    return this.#name === NOTHING && this.#isCurrent()
  }

  async #readAnew(): Promise<void> {
    this.#isStale = false
    const read = this.#clock.now()
    try {
      const synonyms = await this.#synonyms()
      const name = JSON.stringify([...synonyms].map(([taxonomy, terms]) => [taxonomy, ...terms]))
      // Documents are made anew only where they may mean something else.
      if (name !== this.#name) this.#semantics = new TermSemantics(synonyms)
      this.#name = name
      this.#read = read
    } catch (error) {
      this.#isStale = true
      throw error
    }
  }

  async #synonyms(): Promise<Synonyms> {
    const synonyms = new Map<string, TermSynonyms>()
    for (const taxonomy of this.#types.taxonomies()) {
      const { items } = await this.#store.heads(`${TERMS}${taxonomy.name}`, {})
      const found = synonymsOf(declaredTerms(taxonomy, items))
      if (found.size > 0) synonyms.set(taxonomy.name, found)
    }
    return synonyms
  }
}

/** The ids that are declared from a write on, by taxonomy: they mean themselves in it. */
type Declared = ReadonlyMap<string, ReadonlySet<string>>

function declaredBy(changes: readonly Change[]): Declared {
  const declared = new Map<string, Set<string>>()
  for (const change of changes) {
    const { kind, id } = change.key
    if (!kind.startsWith(TERMS) || !('put' in change)) continue
    const taxonomy = kind.slice(TERMS.length)
    declared.set(taxonomy, (declared.get(taxonomy) ?? new Set()).add(termId(id)))
  }
  return declared
}
