import type { Composer } from './composer.ts'
import { FIELDS } from './segment.ts'

const [TITLE, TAGS] = [0, 1]
/** Numbers of a stretch: the field it is in, the place of its first word, and which word comes after its last. */
const STRETCH = 3

/** Words in the order they were read, each the number of its form, in stretches of one field of a document. */
export class Occurrences {
  #forms = new Uint32Array(4096)
  #length = 0
  readonly #stretches: number[] = []

  /** Begins a stretch in a field (the document's number times FIELDS, and the field's), whose first word has this place. */
  begin(field: number, place: number): void {
    this.#stretches.push(field, place, this.#length)
  }

  add(form: number): void {
    if (this.#length === this.#forms.length) this.#grow()
    this.#forms[this.#length++] = form
  }

  /** Ends the stretch; how many words it has. */
  end(): number {
    const begun = this.#stretches[this.#stretches.length - 1] ?? 0
    this.#stretches[this.#stretches.length - 1] = this.#length
    return this.#length - begun
  }

  /** All of them, sorted by stem: `formStems` has that of each form, `formsOfStems` how many forms each has. */
  postings(formStems: readonly number[], formsOfStems: readonly number[]): Postings {
    const forms = this.#forms.subarray(0, this.#length)
    const stems = Uint32Array.from(formStems)
    const ends = new Uint32Array(formsOfStems.length + 1)
    for (const form of forms) {
      const stem = stems[form] ?? 0
      ends[stem + 1] = (ends[stem + 1] ?? 0) + 1
    }
    for (let stem = 1; stem < ends.length; stem++) ends[stem] = (ends[stem] ?? 0) + (ends[stem - 1] ?? 0)
    const next = ends.slice()
    const [fields, places, sorted] = [new Uint32Array(this.#length), new Uint32Array(this.#length), new Uint32Array(this.#length)]
    let n = 0
    for (let stretch = 0; stretch < this.#stretches.length; stretch += STRETCH) {
      const [field = 0, first = 0, end = 0] = [
        this.#stretches[stretch],
        this.#stretches[stretch + 1],
        this.#stretches[stretch + 2],
      ]
      const before = first - n
      for (; n < end; n++) {
        const form = forms[n] ?? 0
        const stem = stems[form] ?? 0
        const at = next[stem] ?? 0
        next[stem] = at + 1
        fields[at] = field
        places[at] = before + n
        sorted[at] = form
      }
    }
    return new Postings({ ends, fields, places, forms: sorted, formsOfStems })
  }

  #grow(): void {
    const grown = new Uint32Array(this.#length * 2)
    grown.set(this.#forms)
    this.#forms = grown
  }
}

interface PostingsDeps {
  /** Start of the words of each stem, and one more entry for the end. */
  readonly ends: Uint32Array
  /** Of each word its field, its place there, and its form. */
  readonly fields: Uint32Array
  readonly places: Uint32Array
  readonly forms: Uint32Array
  readonly formsOfStems: readonly number[]
}

/** Words sorted by stem; those of one stem are in the order they were read. */
export class Postings {
  readonly #deps: PostingsDeps
  /** The documents of each form that is not in all of its stem's. */
  readonly #documents = new Map<number, number[]>()

  constructor(deps: PostingsDeps) {
    this.#deps = deps
  }

  /** The documents of a form whose stem was composed; undefined where they are those of its stem. */
  documentsOf(form: number): readonly number[] | undefined {
    return this.#documents.get(form)
  }

  /** Hands on the postings of one stem. */
  compose(stem: number, composer: Composer): void {
    const { ends, fields, places, formsOfStems } = this.#deps
    const [from = 0, to = 0] = [ends[stem], ends[stem + 1]]
    let documents = 0
    for (let first = from; first < to; documents++) {
      const document = Math.floor((fields[first] ?? 0) / FIELDS)
      let [title, tags, body, last] = [0, 0, 0, first]
      for (; last < to; last++) {
        const field = (fields[last] ?? 0) - document * FIELDS
        if (field >= FIELDS) break
        if (field === TITLE) title++
        else if (field === TAGS) tags++
        else body++
      }
      composer.posting(document, { title, tags, body })
      for (; first < last; first++) composer.place(places[first] ?? 0)
    }
    if ((formsOfStems[stem] ?? 0) > 1) this.#tellApart(from, to, documents)
  }

  /** Finds which documents have which of the forms of a stem that is in so many. */
  #tellApart(from: number, to: number, documents: number): void {
    const { fields, forms } = this.#deps
    const having = new Map<number, number[]>()
    for (let n = from; n < to; n++) {
      const form = forms[n] ?? 0
      const document = Math.floor((fields[n] ?? 0) / FIELDS)
      const known = having.get(form)
      if (!known) having.set(form, [document])
      else if (known.at(-1) !== document) known.push(document)
    }
    for (const [form, known] of having) if (known.length !== documents) this.#documents.set(form, known)
  }
}
