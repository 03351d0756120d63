import { composed } from '#lib/text/normal-form.ts'
import type { Analyser, ReadWord } from '../analysis/analyser.ts'
import { plainText } from '../text/plain-text.ts'
import { termOf } from '../word.ts'
import { Composer } from './composer.ts'
import { Occurrences } from './occurrences.ts'
import type { SearchText } from './search-text.ts'
import { type Facts, FIELDS, type Segment } from './segment.ts'
import { mergedWords, sortedWords } from './sorting.ts'

/** A document that is to be found. */
export interface Draft {
  readonly facts: Facts
  readonly text: SearchText
}

/** So far apart are two texts of a document that no phrase lies in both. */
const GAP = 16
const [TITLE, TAGS, BODY] = [0, 1, 2]
const SURROGATE = /[\ud800-\udfff]/

/** Number of segments begun so far: a word has the number of the one that counted it last. */
let begun = 0

/** The segment of some documents, in their order. */
export function buildSegment(drafts: readonly Draft[], analyser: Analyser): Segment {
  const gathering = new Gathering(analyser)
  for (const { text } of drafts) gathering.take(text)
  return gathering.segment(drafts.map(({ facts }) => facts))
}

/** Every word of some documents in the order they were read, as numbers; sorted by word only at the end. */
class Gathering {
  readonly #analyser: Analyser
  readonly #reader = ++begun
  readonly #byForm = new Map<string, number>()
  readonly #byStem = new Map<string, number>()
  /** The stem of each form. */
  readonly #formStems: number[] = []
  /** Number of forms of each stem. */
  readonly #formsOfStems: number[] = []
  /** The forms that are stop words: for phrases alone, so that no beginning and no mistake stands for one. */
  readonly #stops = new Set<number>()
  readonly #lengths: number[] = []
  readonly #occurrences = new Occurrences()
  /** True if a text has characters beyond the basic plane: their order is not that of UTF-16. */
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
    const reader = this.#reader
    const occurrences = this.#occurrences
    const whole = composed(text)
    this.#hasPairs ||= SURROGATE.test(whole)
    occurrences.begin(at, this.#place + 1)
    let stops = 0
    this.#analyser.read(whole, (word) => {
      if (word.stem === '') stops++
      occurrences.add(word.reader === reader ? word.number : this.#numberOf(word))
    })
    const count = occurrences.end()
    this.#place += count + GAP
    while (this.#lengths.length <= at) this.#lengths.push(0)
    this.#lengths[at] = (this.#lengths[at] ?? 0) + count - stops
  }

  #numberOf(word: ReadWord): number {
    const known = this.#byForm.get(word.form)
    const number = known ?? this.#formStems.length
    word.reader = this.#reader
    word.number = number
    if (known !== undefined) return known
    this.#byForm.set(word.form, number)
    if (word.stem === '') this.#stops.add(number)
    const term = termOf(word)
    const stem = this.#byStem.get(term) ?? this.#byStem.size
    this.#byStem.set(term, stem)
    this.#formStems.push(stem)
    this.#formsOfStems[stem] = (this.#formsOfStems[stem] ?? 0) + 1
    return number
  }

  segment(facts: readonly Facts[]): Segment {
    const composer = new Composer()
    const postings = this.#occurrences.postings(this.#formStems, this.#formsOfStems)
    const numbers = new Uint32Array(this.#byStem.size)
    const forms = sortedWords(this.#byForm.keys(), this.#hasPairs)
    for (const stem of this.#sortedStems(forms)) {
      const n = this.#byStem.get(stem) ?? 0
      postings.compose(n, composer)
      numbers[n] = composer.endStem(stem) ?? 0
    }
    for (const form of forms) {
      const n = this.#byForm.get(form) ?? 0
      if (!this.#stops.has(n)) composer.form(form, numbers[this.#formStems[n] ?? 0] ?? 0, postings.documentsOf(n))
    }
    return composer.finish(facts, this.#lengths)
  }

  /** Most stems are forms, too, and in order with these already. */
  #sortedStems(forms: readonly string[]): string[] {
    const others = [...this.#byStem.keys()].filter((stem) => !this.#byForm.has(stem))
    const own = forms.filter((form) => this.#byStem.has(form))
    return mergedWords(own, sortedWords(others, this.#hasPairs))
  }
}
