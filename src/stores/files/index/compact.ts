import type { Head } from '#core/document.ts'
import type { Fields, Json } from '#lib/json.ts'

/** Texts up to this length are often the same in many records: statuses, authors, terms. */
const SHORT = 40
/** Those up to this one the parser of JSON makes once, however many of them it reads. */
const ONCE = 10
const KEPT = 50_000

/** Makes heads small: equal short texts become one, and no text keeps the file alive that it was cut from. */
export class Compactor {
  readonly #texts = new Map<string, string>()

  /** `loose` says that its texts are in memory of their own already. */
  head(head: Head, loose = false): Head {
    const { termNames } = head
    return { ...head, fields: this.#fields(head.fields, loose), ...(termNames && { termNames: this.#names(termNames, loose) }) }
  }

  #fields(fields: Readonly<Fields>, loose: boolean): Fields {
    const copy: Fields = {}
    for (const name in fields) copy[name] = this.#value(fields[name] ?? null, loose)
    return copy
  }

  #names(names: NonNullable<Head['termNames']>, loose: boolean): Record<string, string[]> {
    const copy: Record<string, string[]> = {}
    for (const taxonomy in names) copy[taxonomy] = (names[taxonomy] ?? []).map((name) => this.#text(name, loose))
    return copy
  }

  #value(value: Json, loose: boolean): Json {
    if (typeof value === 'string') return this.#text(value, loose)
    if (Array.isArray(value)) return value.map((item) => this.#value(item, loose))
    return typeof value === 'object' && value !== null ? this.#fields(value, loose) : value
  }

  #text(text: string, loose: boolean): string {
    if (text.length > SHORT) return loose ? text : cutLoose(text)
    if (loose && text.length <= ONCE) return text
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const own = loose ? text : cutLoose(text)
    if (this.#texts.size < KEPT) this.#texts.set(own, own)
    return own
  }
}

/** The same text in memory of its own: V8 keeps the whole string that a longer part was cut from. */
function cutLoose(text: string): string {
  return text.length < 13 ? text : (JSON.parse(JSON.stringify(text)) as string)
}
