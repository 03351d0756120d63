import type { Document } from '#core/document.ts'
import { searchTextOf } from '#core/queries/search-text.ts'
import type { ContentType } from '#core/types/content-type.ts'
import type { Analyser } from '#fulltext/analysis/analyser.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { STOP, termOf, type Word } from '#fulltext/word.ts'
import { composed } from '#lib/text/normal-form.ts'

/** Counts up where rows come to be made in another way: the index is then made anew. */
export const EDITION = 3

/** Before and after each stem of a text, and in place of the next one where a text ends: neither is in a word. */
export const SPACE = '\u0001'
export const END = '\u0002'

/** Weight of one place marked C against one marked D. */
const MORE = 1.45

/**
 * Places in the body, and what `ts_rank` makes of them against one D: a place counts the less (by the square) the more come
 * before it, which alone would tell a word that is there often too little from one that is there once.
 */
const PLACES = 'D DD DDD C CD CC CCC CCCC CCCCCC'.split(' ').map((text) => {
  const marks = [...text]
  return { marks, count: marks.reduce((sum, mark, nth) => sum + (mark === 'C' ? MORE : 1) / (nth + 1) ** 2, 0) }
})

/** Largest number of times that a stem is recorded for the title and for the terms. */
const MOST_TIMES = 3

/** A `tsvector` holds 1 MiB of words: what is left of longer documents is found by what comes first in them. */
const MOST_BYTES = 1_000_000

/**
 * Constants of BM25 as Lunr has them, and what stands for the lengths of fields of other documents, which must not be known by a
 * score.
 */
const [K, B] = [1.2, 0.75]
const BODY = { counts: 0.1, usual: 350 }
const FIELDS = [{ counts: 1, usual: 6 }, { counts: 0.5, usual: 3 }, BODY]

/** The search data of one document, as the columns of its row hold it: see `SearchDocumentTable`. */
export interface Reading {
  readonly weights: string
  readonly words: string
  readonly forms: string
  readonly texts: string
  /** Each form with its stem. */
  readonly stems: ReadonlyMap<string, string>
}

/** Reads a document for the index. */
export function readingOf(
  type: Pick<ContentType, 'taxonomies' | 'fields'>,
  document: Pick<Document, 'fields' | 'body'>,
  analyser: Analyser,
): Reading {
  const { title, tags, body } = searchTextOf(type, document)
  const noted = new Noted(analyser)
  noted.read([title], 0)
  noted.read(tags, 1)
  noted.read(body.map(plainText), 2)
  return noted.reading()
}

/** A word as it is written in a `tsvector` or a `tsquery`. */
export function lexeme(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`
}

/**
 * Each two stop words that follow each other, as one word: without these, nothing narrows down where a phrase of stop words may
 * be.
 */
export function stopPairs(words: readonly Word[]): string[] {
  return words.flatMap((word, nth) => {
    const next = words[nth + 1]
    return word.stem === '' && next?.stem === '' ? `${termOf(word)}${termOf(next)}` : []
  })
}

/** The words of a document while it is read. */
class Noted {
  readonly #analyser: Analyser
  readonly #times = new Map<string, [number, number, number]>()
  readonly #lengths: [number, number, number] = [0, 0, 0]
  readonly #stems = new Map<string, string>()
  readonly #texts: string[] = []
  readonly #pairs = new Set<string>()

  constructor(analyser: Analyser) {
    this.#analyser = analyser
  }

  read(texts: readonly string[], field: 0 | 1 | 2): void {
    for (const text of texts) {
      let before = ''
      this.#analyser.read(composed(text), (word) => {
        const { form, stem } = word
        const term = termOf(word)
        this.#texts.push(term)
        if (stem === '' && before.startsWith(STOP)) this.#pairs.add(before + term)
        before = term
        if (stem === '') return
        this.#lengths[field]++
        this.#stems.set(form, stem)
        const times = this.#times.get(stem) ?? [0, 0, 0]
        times[field]++
        this.#times.set(stem, times)
      })
      this.#texts.push(END)
    }
  }

  reading(): Reading {
    const saturation = K * (1 - B + (B * this.#lengths[2]) / BODY.usual)
    const words = fitting([
      ...[...this.#times].map(([stem, times]) => ({ word: stem, places: placesOf(times, saturation) })),
      ...[...this.#pairs].map((word) => ({ word, places: [] })),
    ])
    const forms = fitting([...this.#stems.keys()].map((form) => ({ word: form, places: [] })))
    const [title, tags, body] = FIELDS.map(({ counts, usual }, field) => counts * weightOf((this.#lengths[field] ?? 0) / usual))
    return {
      weights: `{${body},${MORE * (body ?? 0)},${tags},${title}}`,
      words: words.join(' '),
      forms: forms.join(' '),
      texts: `${SPACE}${this.#texts.join(SPACE)}${SPACE}`,
      stems: this.#stems,
    }
  }
}

/** Returns the weight of one occurrence in a field that is this many times as long as usual: at most 1. */
function weightOf(length: number): number {
  const most = 1 + K * (1 - B)
  return most / (1 + K * (1 - B + B * length))
}

/** Places stand for nothing but how often a stem is in which field. */
function placesOf([title, tags, body]: readonly [number, number, number], saturation: number): string[] {
  const marks = [
    ...'A'.repeat(Math.min(title, MOST_TIMES)),
    ...'B'.repeat(Math.min(tags, MOST_TIMES)),
    ...bodyMarks(body, saturation),
  ]
  return marks.map((mark, nth) => `${nth + 1}${mark}`)
}

/** The places that come nearest to what BM25 makes of so many occurrences against one. */
function bodyMarks(times: number, saturation: number): readonly string[] {
  if (times === 0) return []
  const wanted = (times * (1 + saturation)) / (times + saturation)
  const far = (count: number) => Math.abs(count - wanted)
  return PLACES.reduce((best, one) => (far(one.count) < far(best.count) ? one : best), PLACES[0] ?? { marks: [], count: 0 }).marks
}

function fitting(all: readonly { readonly word: string; readonly places: readonly string[] }[]): string[] {
  const taken: string[] = []
  let bytes = 0
  for (const { word, places } of all) {
    bytes += Buffer.byteLength(word) + 4 + 2 * places.length
    if (bytes > MOST_BYTES) break
    taken.push(places.length > 0 ? `${lexeme(word)}:${places.join(',')}` : lexeme(word))
  }
  return taken
}
