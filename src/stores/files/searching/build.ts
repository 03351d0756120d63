import { compareText } from '../../../core/comparison.ts'
import type { Analyser } from '../../../core/search/analyser.ts'
import { plainText } from '../../../core/search/texts.ts'
import { type SearchText, termOf, type Word } from '../../../core/search.ts'
import { Composer } from './composer.ts'
import { type Facts, FIELDS, type Segment } from './segment.ts'

/** A document that is to be found. */
export interface Draft {
  readonly facts: Facts
  readonly text: SearchText
}

/** So far apart are two texts of a document that no phrase lies in both. */
const GAP = 16
const [TITLE, TAGS, BODY] = [0, 1, 2]

/** The segment of some documents, in their order. */
export function buildSegment(drafts: readonly Draft[], analyser: Analyser): Segment {
  const gathering = new Gathering(analyser)
  for (const { text } of drafts) gathering.take(text)
  return gathering.segment(drafts.map(({ facts }) => facts))
}

/** A list of whole numbers that grows. */
class Numbers {
  all = new Uint32Array(4096)
  length = 0

  push(value: number): void {
    if (this.length === this.all.length) {
      const grown = new Uint32Array(this.length * 2)
      grown.set(this.all)
      this.all = grown
    }
    this.all[this.length++] = value
  }
}

/** Every word of some documents in the order they were read, as numbers; sorted by word only at the end. */
class Gathering {
  readonly #analyser: Analyser
  readonly #byWord = new Map<Word, number>()
  readonly #byForm = new Map<string, number>()
  readonly #byStem = new Map<string, number>()
  /** The stem of each form. */
  readonly #formStems: number[] = []
  /** The forms that are stop words: for phrases alone, so that no beginning and no mistake stands for one. */
  readonly #stops = new Set<number>()
  readonly #lengths: number[] = []
  /** Of each word that was read its form, its document and field in one number, and its place. */
  readonly #forms = new Numbers()
  readonly #fields = new Numbers()
  readonly #places = new Numbers()
  /** Whether a text has characters beyond the basic plane: their order is not that of UTF-16. */
  #hasPairs = false
  #document = -1
  #place = 0

  constructor(analyser: Analyser) {
    this.#analyser = analyser
  }

  take({ title, tags, body }: SearchText): void {
    this.#document++
    this.#place = 0
    this.#read(title, TITLE)
    for (const tag of tags) this.#read(tag, TAGS)
    for (const text of body) this.#read(plainText(text), BODY)
    for (let field = this.#lengths.length; field < (this.#document + 1) * FIELDS; field++) this.#lengths.push(0)
  }

  #read(text: string, field: number): void {
    const at = this.#document * FIELDS + field
    let count = 0
    const composed = text.normalize('NFC')
    this.#hasPairs ||= SURROGATE.test(composed)
    this.#analyser.read(composed, (word) => {
      this.#place++
      if (word.stem !== '') count++
      this.#forms.push(this.#byWord.get(word) ?? this.#numberOf(word))
      this.#fields.push(at)
      this.#places.push(this.#place)
    })
    this.#place += GAP
    while (this.#lengths.length <= at) this.#lengths.push(0)
    this.#lengths[at] = (this.#lengths[at] ?? 0) + count
  }

  #numberOf(word: Word): number {
    const known = this.#byForm.get(word.form)
    const number = known ?? this.#formStems.length
    this.#byWord.set(word, number)
    if (known !== undefined) return known
    this.#byForm.set(word.form, number)
    if (word.stem === '') this.#stops.add(number)
    const term = termOf(word)
    const stem = this.#byStem.get(term) ?? this.#byStem.size
    this.#byStem.set(term, stem)
    this.#formStems.push(stem)
    return number
  }

  segment(facts: readonly Facts[]): Segment {
    const composer = new Composer()
    const stems = this.#grouped(this.#byStem.size, (form) => this.#formStems[form] ?? 0)
    const forms = this.#grouped(this.#formStems.length, (form) => form)
    const documents = new Uint32Array(this.#byStem.size)
    const numbers = new Uint32Array(this.#byStem.size)
    const sortedForms = sorted([...this.#byForm.keys()], this.#hasPairs)
    for (const stem of this.#sortedStems(sortedForms)) {
      const n = this.#byStem.get(stem) ?? 0
      documents[n] = this.#compose(composer, stems.of(n))
      numbers[n] = composer.endStem(Buffer.from(stem)) ?? 0
    }
    for (const form of sortedForms) {
      const n = this.#byForm.get(form) ?? 0
      if (this.#stops.has(n)) continue
      const stem = this.#formStems[n] ?? 0
      const having = this.#documentsOf(forms.of(n))
      composer.form(Buffer.from(form), numbers[stem] ?? 0, having.length === documents[stem] ? undefined : having)
    }
    return composer.finish(facts, this.#lengths)
  }

  /** Most stems are forms, too, and in order with these already. */
  #sortedStems(sortedForms: readonly string[]): string[] {
    const others = [...this.#byStem.keys()].filter((stem) => !this.#byForm.has(stem))
    const own = sortedForms.filter((form) => this.#byStem.has(form))
    return merged(own, sorted(others, this.#hasPairs))
  }

  /** What was read, sorted by a number of its form; what has the same one is in the order it was read. */
  #grouped(count: number, numberOf: (form: number) => number): Grouped {
    const { all, length } = this.#forms
    const ends = new Uint32Array(count + 1)
    for (let n = 0; n < length; n++) {
      const number = numberOf(all[n] ?? 0) + 1
      ends[number] = (ends[number] ?? 0) + 1
    }
    for (let n = 1; n <= count; n++) ends[n] = (ends[n] ?? 0) + (ends[n - 1] ?? 0)
    const order = new Uint32Array(length)
    const next = ends.slice()
    for (let n = 0; n < length; n++) {
      const number = numberOf(all[n] ?? 0)
      const at = next[number] ?? 0
      order[at] = n
      next[number] = at + 1
    }
    return { of: (number) => order.subarray(ends[number], ends[number + 1]) }
  }

  /** Hands on the postings of one stem; how many there are. */
  #compose(composer: Composer, read: Uint32Array): number {
    const { all } = this.#fields
    let documents = 0
    for (let from = 0; from < read.length; documents++) {
      const document = Math.floor((all[read[from] ?? 0] ?? 0) / FIELDS)
      const counts = { title: 0, tags: 0, body: 0 }
      let to = from
      for (; to < read.length; to++) {
        const field = (all[read[to] ?? 0] ?? 0) - document * FIELDS
        if (field >= FIELDS) break
        if (field === BODY) counts.body++
        else if (field === TAGS) counts.tags++
        else counts.title++
      }
      composer.posting(document, counts)
      for (; from < to; from++) composer.place(this.#places.all[read[from] ?? 0] ?? 0)
    }
    return documents
  }

  #documentsOf(read: Uint32Array): number[] {
    const documents: number[] = []
    let last = -1
    for (const n of read) {
      const document = Math.floor((this.#fields.all[n] ?? 0) / FIELDS)
      if (document !== last) documents.push(document)
      last = document
    }
    return documents
  }
}

interface Grouped {
  of(number: number): Uint32Array
}

const SURROGATE = /[\ud800-\udfff]/
/** So many units of a word say mostly where it belongs. */
const BEGINNING = 3

/** Words in the order of code points, by their beginnings first: to compare long ones that are much alike, as hashes are, is what sorting takes. */
function sorted(words: readonly string[], hasPairs: boolean): string[] {
  const compare = hasPairs ? compareText : undefined
  const byBeginning = new Map<string, string[]>()
  for (const word of words) {
    const beginning = word.slice(0, BEGINNING)
    const others = byBeginning.get(beginning)
    if (others) others.push(word)
    else byBeginning.set(beginning, [word])
  }
  return [...byBeginning.keys()].sort(compare).flatMap((beginning) => byBeginning.get(beginning)?.sort(compare) ?? [])
}

/** Two sorted lists as one. */
function merged(one: readonly string[], other: readonly string[]): string[] {
  const all: string[] = []
  let at = 0
  for (const word of one) {
    for (let next = other[at]; next !== undefined && compareText(next, word) < 0; next = other[++at]) all.push(next)
    all.push(word)
  }
  return [...all, ...other.slice(at)]
}
