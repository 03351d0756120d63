import { compareText } from '../../../core/comparison.ts'
import type { Analyser } from '../../../core/search/analyser.ts'
import { plainText } from '../../../core/search/texts.ts'
import type { SearchText, Word } from '../../../core/search.ts'
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

/** What is gathered of a stem: for each posting the document, its counts in the fields, and where its places end. */
interface Stem {
  readonly stem: string
  readonly documents: number[]
  readonly counts: number[]
  readonly places: number[]
  readonly placeEnds: number[]
}

/** What is gathered of a form. */
interface Form {
  readonly form: string
  readonly stem: Stem
  readonly documents: number[]
}

/** The segment of some documents, in their order. */
export function buildSegment(drafts: readonly Draft[], analyser: Analyser): Segment {
  const gathering = new Gathering(analyser)
  for (const { text } of drafts) gathering.take(text)
  return gathering.segment(drafts.map(({ facts }) => facts))
}

/** The words of some documents. */
class Gathering {
  readonly #analyser: Analyser
  readonly #stems = new Map<string, Stem>()
  readonly #forms = new Map<Word, Form>()
  readonly #lengths: number[] = []
  #document = -1
  #place = 0

  constructor(analyser: Analyser) {
    this.#analyser = analyser
  }

  take({ title, tags, body }: SearchText): void {
    this.#document++
    this.#place = 0
    for (let field = 0; field < FIELDS; field++) this.#lengths.push(0)
    this.#read(title, TITLE)
    for (const tag of tags) this.#read(tag, TAGS)
    for (const text of body) this.#read(plainText(text), BODY)
  }

  #read(text: string, field: number): void {
    this.#analyser.read(text.normalize('NFC'), (word) => {
      this.#place++
      if (word.stem !== '') this.#add(word, field)
    })
    this.#place += GAP
  }

  #add(word: Word, field: number): void {
    const document = this.#document
    const at = document * FIELDS + field
    this.#lengths[at] = (this.#lengths[at] ?? 0) + 1
    const form = this.#forms.get(word) ?? this.#newForm(word)
    if (form.documents.at(-1) !== document) form.documents.push(document)
    const { documents, counts, places, placeEnds } = form.stem
    if (documents.at(-1) !== document) {
      documents.push(document)
      counts.push(0, 0, 0)
      placeEnds.push(places.length)
    }
    const count = counts.length - FIELDS + field
    counts[count] = (counts[count] ?? 0) + 1
    places.push(this.#place)
    placeEnds[placeEnds.length - 1] = places.length
  }

  #newForm(word: Word): Form {
    const stem = this.#stems.get(word.stem) ?? { stem: word.stem, documents: [], counts: [], places: [], placeEnds: [] }
    this.#stems.set(word.stem, stem)
    const form = { form: word.form, stem, documents: [] }
    this.#forms.set(word, form)
    return form
  }

  segment(facts: readonly Facts[]): Segment {
    const composer = new Composer()
    const numbers = new Map<Stem, number>()
    for (const stem of [...this.#stems.values()].sort((a, b) => compareText(a.stem, b.stem))) {
      compose(composer, stem)
      numbers.set(stem, composer.endStem(Buffer.from(stem.stem)) ?? 0)
    }
    for (const { form, stem, documents } of this.#sortedForms()) {
      composer.form(Buffer.from(form), numbers.get(stem) ?? 0, documents.length === stem.documents.length ? undefined : documents)
    }
    return composer.finish(facts, this.#lengths)
  }

  /** Different words may be of one form only where the analyser let go of what it had cached. */
  #sortedForms(): Form[] {
    const forms = new Map<string, Form>()
    for (const one of this.#forms.values()) {
      const other = forms.get(one.form)
      const documents = other ? [...new Set([...other.documents, ...one.documents])].sort((a, b) => a - b) : one.documents
      forms.set(one.form, { ...one, documents })
    }
    return [...forms.values()].sort((a, b) => compareText(a.form, b.form))
  }
}

function compose(composer: Composer, { documents, counts, places, placeEnds }: Stem): void {
  let start = 0
  for (const [n, document] of documents.entries()) {
    const [title = 0, tags = 0, body = 0] = counts.slice(n * FIELDS, (n + 1) * FIELDS)
    const end = placeEnds[n] ?? start
    composer.posting(document, [title, tags, body], places.slice(start, end))
    start = end
  }
}
