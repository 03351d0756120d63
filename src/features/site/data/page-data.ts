import { keyText } from '#core/key.ts'
import type { Fields } from '#lib/json.ts'
import type { Asked } from '../files/asked.ts'
import type { Entry } from '../outline/entry.ts'
import type { SiteSnapshot } from '../outline/site-snapshot.ts'
import { factsOf, type SummaryView, type TermView, termsOf } from '../pages/summaries.ts'
import { type NodeView, nodeViews } from './node-views.ts'
import { besideQuestion, listQuestion, namesQuestion, termsQuestion, treeQuestion } from './questions.ts'
import type { RecordData } from './record-data.ts'
import type { ListName, RecordLists, TermsData } from './record-lists.ts'
import { type Reading, type TrackedList, trackedList } from './tracked-list.ts'

/** The sources of what templates ask for. */
export interface DataSources {
  readonly lists: RecordLists
  readonly records: RecordData
}

/** A record in a list, as templates get it. */
export type Item = object

interface Opened {
  readonly list: TrackedList<Item>
  readonly readings: Reading[]
}

/** Parts of lists that are told one by one; of more, the whole list counts as read. */
const MOST_READINGS = 50

/**
 * The data that the template of one page asks for while it runs. A template can't wait: what has to be read first is absent then,
 * and `isWaiting` says so. Once it was loaded, the template runs again, and what came out before is dropped.
 */
export class PageData {
  readonly #snapshot: SiteSnapshot
  readonly #from: DataSources
  readonly #asked: Asked
  readonly #items = new Map<Entry, Item>()
  readonly #lists = new Map<string, { readonly name: ListName; readonly opened: Opened }>()
  readonly #beside = new Set<Entry>()
  readonly #taxonomies = new Set<string>()
  readonly #trees = new Map<string, readonly NodeView[]>()
  /** Names of types that it went through. */
  readonly #names = new Set<'lists' | 'trees'>()
  readonly #url: string
  #fields = new Set<Entry>()
  #readFields = false
  #summaries = new Set<Entry>()
  #unread = new Map<string, ListName>()

  /** `url` is the address whose place in trees is marked. */
  constructor(snapshot: SiteSnapshot, from: DataSources, asked: Asked, url: string) {
    this.#snapshot = snapshot
    this.#url = url
    this.#from = from
    this.#asked = asked
  }

  /** The lists of records by type: `site.records.posts`. */
  readonly records: object = new Proxy(Object.create(null), {
    get: (_, type) => (typeof type === 'string' ? this.list(['type', type]) : undefined),
    has: (_, type) => typeof type === 'string',
    getOwnPropertyDescriptor: (_, type) =>
      typeof type === 'string' ? { value: this.list(['type', type]), configurable: true, enumerable: true } : undefined,
    ownKeys: () => {
      this.#names.add('lists')
      return this.#from.lists.names(this.#snapshot)
    },
  })

  /** The records of types as their folders nest: `site.sections.docs`. */
  readonly sections: object = new Proxy(Object.create(null), {
    get: (_, type) => (typeof type === 'string' ? this.#tree(type) : undefined),
    has: (_, type) => typeof type === 'string',
    getOwnPropertyDescriptor: (_, type) =>
      typeof type === 'string' ? { value: this.#tree(type), configurable: true, enumerable: true } : undefined,
    ownKeys: () => {
      this.#names.add('trees')
      return [...this.#snapshot.outline.types.keys()]
    },
  })

  /** The terms of taxonomies: `site.taxonomies.tags.terms`, and as a tree. */
  readonly taxonomies: object = new Proxy(Object.create(null), {
    get: (_, name) => (typeof name === 'string' ? this.#terms(name) : undefined),
    has: (_, name) => typeof name === 'string',
    getOwnPropertyDescriptor: (_, name) =>
      typeof name === 'string' ? { value: this.#terms(name), configurable: true, enumerable: true } : undefined,
    ownKeys: () => this.#snapshot.types.taxonomies().map(({ name }) => name),
  })

  /** True if something that was asked for has to be loaded before the page can be made. */
  get isWaiting(): boolean {
    return this.#fields.size + this.#summaries.size + this.#unread.size > 0
  }

  /** True if fields of records in lists were read. */
  get hasReadFields(): boolean {
    return this.#readFields
  }

  list(name: ListName): readonly Item[] {
    const text = JSON.stringify(name)
    const known = this.#lists.get(text)
    if (known) return known.opened.list.items
    const entries = this.#from.lists.at(name, this.#snapshot)
    if (!entries) {
      this.#unread.set(text, name)
      return []
    }
    const opened = this.#open(entries)
    this.#lists.set(text, { name, opened })
    return opened.list.items
  }

  /** A record as templates get it in a list. */
  item(entry: Entry): Item {
    const known = this.#items.get(entry) ?? this.#make(entry)
    this.#items.set(entry, known)
    return known
  }

  /** The neighbours of a record. */
  beside(entry: Entry): { readonly next: Item | null; readonly previous: Item | null } {
    this.#beside.add(entry)
    const { next, previous } = this.#from.lists.beside(entry, this.#snapshot)
    return { next: next ? this.item(next) : null, previous: previous ? this.item(previous) : null }
  }

  /** Loads what was asked for and not there. */
  async load(): Promise<void> {
    const [fields, summaries, unread] = [this.#fields, this.#summaries, this.#unread]
    this.#fields = new Set()
    this.#summaries = new Set()
    this.#unread = new Map()
    for (const name of unread.values()) await this.#from.lists.read(name, this.#snapshot)
    await this.#from.records.load({ fields, summaries }, this.#snapshot)
  }

  /** Has the parts of these records loaded before the template runs. */
  async foresee(entries: readonly Entry[], part: 'fields' | 'summaries'): Promise<void> {
    const { records } = this.#from
    const isKnown = (entry: Entry) =>
      (part === 'fields' ? records.fields(entry, this.#snapshot, this.#asked) : records.summary(entry, this.#snapshot)) !==
      undefined
    const wanted = new Set(entries.filter((entry) => !isKnown(entry)))
    const none = new Set<Entry>()
    await records.load({ fields: none, summaries: none, [part]: wanted }, this.#snapshot)
  }

  /** The questions that the template asked of the lists of the site, once it has run. */
  questions(): string[] {
    const questions: string[] = []
    for (const { name, opened } of this.#lists.values()) {
      opened.list.settle()
      const { readings } = opened
      const told = readings.length > MOST_READINGS ? [{ from: 0, to: Number.POSITIVE_INFINITY }] : readings
      for (const { from, to } of told) questions.push(listQuestion(name, from, to))
    }
    for (const { key } of this.#beside) questions.push(besideQuestion(keyText(key)))
    for (const taxonomy of this.#taxonomies) questions.push(termsQuestion(taxonomy))
    for (const type of this.#trees.keys()) questions.push(treeQuestion(type))
    for (const of of this.#names) questions.push(namesQuestion(of))
    return questions
  }

  #tree(type: string): readonly NodeView[] {
    const known = this.#trees.get(type)
    if (known) return known
    const { nodes, way } = this.#from.lists.tree(type, this.#snapshot)
    const views = nodeViews(nodes, new Set(way(this.#url)), { snapshot: this.#snapshot, url: this.#url })
    this.#trees.set(type, views)
    return views
  }

  #terms(taxonomy: string): TermsData {
    this.#taxonomies.add(taxonomy)
    return this.#from.lists.terms(taxonomy, this.#snapshot)
  }

  #open(entries: readonly Entry[]): Opened {
    const readings: Reading[] = []
    const list = trackedList<Item>({
      length: entries.length,
      item: (index) => this.item(entries[index] as Entry),
      read: ({ from, to }) => {
        if (readings.some((known) => known.from <= from && known.to >= to)) return
        const last = readings.at(-1)
        if (last?.to === from) readings[readings.length - 1] = { from: last.from, to }
        else if (readings.length <= MOST_READINGS) readings.push({ from, to })
      },
    })
    return { list, readings }
  }

  #make(entry: Entry): Item {
    const parts = { id: entry.key.id, terms: null, excerpt: null, authors: null, reading_time: null, fields: null }
    return new Proxy(Object.assign(factsOf(entry, this.#snapshot), parts), new ItemParts(entry, this))
  }

  terms(entry: Entry): readonly TermView[] {
    return termsOf(entry, this.#snapshot)
  }

  /** The summary of a record; undefined where it has to be loaded first. */
  summary(entry: Entry): SummaryView | undefined {
    const known = this.#from.records.summary(entry, this.#snapshot)
    if (!known) this.#summaries.add(entry)
    return known
  }

  /** The fields of a record; undefined where they have to be loaded first. */
  fields(entry: Entry): Readonly<Fields> | undefined {
    this.#readFields = true
    const known = this.#from.records.fields(entry, this.#snapshot, this.#asked)
    if (!known) this.#fields.add(entry)
    return known
  }
}

/** The parts of an item that are found when they are read. As getters they made an item take nine times as long. */
class ItemParts implements ProxyHandler<object> {
  readonly #entry: Entry
  readonly #data: PageData

  constructor(entry: Entry, data: PageData) {
    this.#entry = entry
    this.#data = data
  }

  get(item: object, name: string | symbol): unknown {
    if (name === 'terms') return this.#data.terms(this.#entry)
    if (name === 'excerpt') return this.#data.summary(this.#entry)?.excerpt ?? ''
    if (name === 'authors') return this.#data.summary(this.#entry)?.authors ?? []
    if (name === 'reading_time') return this.#data.summary(this.#entry)?.reading_time ?? 1
    if (name === 'fields') return this.#data.fields(this.#entry) ?? {}
    return Reflect.get(item, name)
  }
}
