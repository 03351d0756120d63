import type { Document } from '#core/document.ts'
import { type Kind, keyText } from '#core/key.ts'
import type { Extent } from '#core/queries/extent.ts'
import type { Found, Hit, SearchIndex, SearchQuery } from '#core/queries/search.ts'
import { searchTextOf } from '#core/queries/search-text.ts'
import { isLive, statusAt } from '#core/status.ts'
import type { Store, Unsubscribe } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import { Analyser } from '#fulltext/analysis/analyser.ts'
import { type Clause, MOST_TERMS, type PhraseClause, type WordClause } from '#fulltext/clauses.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import type { Word } from '#fulltext/word.ts'
import type { Clock } from '#lib/clock.ts'

const FIELDS = [
  { name: 'title', boost: 10 },
  { name: 'tags', boost: 5 },
  { name: 'body', boost: 1 },
] as const

/** A document as words, by field: the words of each of its texts, in order. */
interface Read {
  readonly document: Document
  readonly fields: Record<(typeof FIELDS)[number]['name'], readonly (readonly Word[])[]>
}

/** A clause and the stems that stand for it. */
interface Meant {
  readonly clause: Clause
  readonly stems: ReadonlySet<string>
}

/**
 * The simplest implementation of a `SearchIndex`: every query reads every document of the store anew. Other indexes are compared
 * with it. Its scores are BM25 as in Lunr.
 */
export class SearchModel implements SearchIndex {
  readonly #store: Store
  readonly #types: ContentTypes
  readonly #clock: Clock
  readonly #analyser: Analyser
  readonly #unsubscribe: Unsubscribe
  #revision = 0

  constructor({ store, types, clock, locale }: { store: Store; types: ContentTypes; clock: Clock; locale: string }) {
    this.#store = store
    this.#types = types
    this.#clock = clock
    this.#analyser = new Analyser(locale)
    this.#unsubscribe = store.subscribe(() => this.#revision++)
  }

  get revision(): number {
    return this.#revision
  }

  async bytes(): Promise<number> {
    return 0
  }

  async ready(): Promise<void> {}

  async close(): Promise<void> {
    this.#unsubscribe()
  }

  async find(query: SearchQuery): Promise<Found> {
    const readable = (await Promise.all([...query.readable].map(([kind, what]) => this.#readAll(kind, what)))).flat()
    const meant = meantBy(query.clauses, readable)
    const found = readable
      .filter(({ document }) => query.status === undefined || this.#statusOf(document) === query.status)
      .filter((one) => isFound(one, meant))
    const asked = meant.filter(({ clause }) => clause.presence !== 'prohibited').map(({ stems }) => [...stems])
    const score = scoring(asked.flat(), readable)
    const wanted = meant.filter((each) => each.clause.presence !== 'prohibited' && readable.some((one) => has(one, each)))
    const isWhole = (one: Read) => wanted.every((each) => has(one, each))
    const best = Math.max(0, ...found.filter((one) => !isWhole(one)).map(score))
    const hits = found
      .filter(({ document }) => query.kind === undefined || document.key.kind === query.kind)
      .map((one): Hit => ({ key: one.document.key, score: Math.max(score(one) + (isWhole(one) ? best : 0), 1e-9) }))
      .sort((a, b) => b.score - a.score || compare(keyText(a.key), keyText(b.key)))
    const kinds = new Map<Kind, number>()
    for (const { document } of found) kinds.set(document.key.kind, (kinds.get(document.key.kind) ?? 0) + 1)
    const { offset, limit = hits.length } = query
    return {
      hits: hits.slice(offset, offset + limit),
      total: hits.length,
      kinds,
      stems: new Set(asked.flat()),
      until: this.#clock.now(),
    }
  }

  async #readAll(kind: Kind, what: Extent): Promise<Read[]> {
    const { items } = await this.#store.browse(kind, {})
    const { statuses } = this.#types.shape(kind)
    const isOwn = ({ author }: Document['fields']) =>
      typeof what === 'object' && [author ?? []].flat().map(String).includes(what.own)
    return items
      .filter(({ fields }) => what === 'all' || isOwn(fields) || isLive(fields, statuses, this.#clock.now()))
      .flatMap((document) => this.#read(document) ?? [])
  }

  #read(document: Document): Read | undefined {
    const type = this.#types.get(document.key.kind)
    if (!type) return undefined
    const { title, tags, body } = searchTextOf(type, document)
    const words = (texts: readonly string[]) => texts.map((text) => this.#words(text))
    return { document, fields: { title: words([title]), tags: words(tags), body: words(body.map(plainText)) } }
  }

  #words(text: string): Word[] {
    const words: Word[] = []
    this.#analyser.read(text.normalize('NFC'), (word) => words.push(word))
    return words
  }

  #statusOf({ key, fields }: Document): string {
    return statusAt(fields, this.#types.shape(key.kind).statuses, this.#clock.now())
  }
}

/** Returns the meaning of each clause for a reader who can read these documents. */
function meantBy(clauses: readonly Clause[], readable: readonly Read[]): Meant[] {
  const words = readable.flatMap(textsOf).flat()
  const forms = new Map(words.filter(({ stem }) => stem !== '').map(({ form, stem }) => [form, stem]))
  let left = MOST_TERMS
  return clauses.map((clause) => {
    if ('phrase' in clause) return { clause, stems: new Set(clause.phrase.flatMap(({ stem }) => stem || [])) }
    const own = new Set(clause.stem === '' ? [] : [clause.stem])
    const further = new Set(expanded(clause, forms).filter((stem) => !own.has(stem)))
    const taken = [...further].slice(0, left)
    left -= taken.length
    return { clause, stems: new Set([...own, ...taken]) }
  })
}

/** The stems of the forms that a word stands for, in the order in which they are taken. */
function expanded({ form, stem, isBeginning, edits }: WordClause, forms: ReadonlyMap<string, string>): string[] {
  const begun = isBeginning ? [...forms.keys()].filter((one) => one.startsWith(form)) : []
  if (begun.length > 0 || (stem !== '' && [...forms.values()].includes(stem))) {
    return begun.sort((a, b) => lengthOf(a) - lengthOf(b) || compare(a, b)).flatMap((one) => forms.get(one) ?? [])
  }
  return [...forms.keys()]
    .map((one) => ({ one, distance: distanceOf(form, one) }))
    .filter(({ distance }) => distance <= edits && edits > 0)
    .sort((a, b) => a.distance - b.distance || lengthOf(a.one) - lengthOf(b.one) || compare(a.one, b.one))
    .flatMap(({ one }) => forms.get(one) ?? [])
}

function isFound(one: Read, meant: readonly Meant[]): boolean {
  const of = (presence: string) => meant.filter(({ clause }) => clause.presence === presence)
  if (of('prohibited').some((each) => has(one, each)) || !of('required').every((each) => has(one, each))) return false
  return of('required').length > 0 || of('optional').some((each) => has(one, each))
}

function has(one: Read, { clause, stems }: Meant): boolean {
  if ('phrase' in clause) return textsOf(one).some((words) => words.some((_, at) => isAt(words, at, clause)))
  return textsOf(one).some((words) => words.some(({ stem }) => stems.has(stem)))
}

function isAt(words: readonly Word[], at: number, { phrase }: PhraseClause): boolean {
  return phrase.every(({ form, stem }, nth) => {
    const word = words[at + nth]
    return word !== undefined && (stem === '' ? word.form === form : word.stem === stem)
  })
}

/** Gives a document's score for the terms that are looked for: BM25 with the weights, the constants and the idf of Lunr 2.3.9. */
function scoring(terms: readonly string[], readable: readonly Read[]): (one: Read) => number {
  const counted = FIELDS.map(({ name, boost }) => {
    const lengths = readable.map(({ fields }) => stemsOf(fields[name]).length)
    return { name, boost, average: lengths.reduce((sum, length) => sum + length, 0) / (readable.length || 1) }
  })
  const idf = new Map(terms.map((term) => [term, idfOf(term, readable)]))
  return ({ fields }) => {
    let score = 0
    for (const { name, boost, average } of counted) {
      const stems = stemsOf(fields[name])
      for (const term of terms) {
        const times = stems.filter((stem) => stem === term).length
        const long = 1.2 * (0.25 + (0.75 * stems.length) / (average || 1))
        score += (boost * (idf.get(term) ?? 0) * 2.2 * times) / (long + times)
      }
    }
    return score
  }
}

function idfOf(term: string, readable: readonly Read[]): number {
  const having = readable.flatMap(({ fields }) => FIELDS.filter(({ name }) => stemsOf(fields[name]).includes(term))).length
  return Math.log(1 + Math.abs((readable.length - having + 0.5) / (having + 0.5)))
}

function stemsOf(texts: readonly (readonly Word[])[]): string[] {
  return texts.flatMap((words) => words.flatMap(({ stem }) => stem || []))
}

function textsOf({ fields }: Read): (readonly Word[])[] {
  return FIELDS.flatMap(({ name }) => fields[name])
}

function lengthOf(form: string): number {
  return [...form].length
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Counts the edits between two words: letters inserted, left out, replaced, or neighbours exchanged, each place edited once. */
function distanceOf(one: string, other: string): number {
  const [a, b] = [[...one], [...other]]
  const rows: number[][] = [b.map((_, n) => n), ...a.map(() => [])]
  rows[0]?.push(b.length)
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i]
    rows[i] = row
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const plain = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1))
      row.push(isExchanged ? Math.min(plain, at(i - 2, j - 2) + 1) : plain)
    }
  }
  return at(a.length, b.length)
}
