import { Analyser } from '#fulltext/analysis/analyser.ts'
import { excerptOf } from '#fulltext/excerpt.ts'
import { Reading } from '#fulltext/reading.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { composed } from '#lib/text/normal-form.ts'
import { Readings } from './readings.ts'

/** Texts of a document as they are written, or the beginning of them. */
export interface WrittenTexts {
  readonly texts: readonly string[]
  /** True if the document has more. */
  readonly goesOn: boolean
}

/** A document whose excerpt is wanted. */
export interface Excerpted {
  /** The text of its key. */
  readonly name: string
  readonly version: string
  /** Absent where they may be known from an earlier question. */
  readonly written?: WrittenTexts
}

/** A question for excerpts: the stems to mark in them, and the documents. */
export interface ExcerptQuestion {
  readonly stems: readonly string[]
  readonly documents: readonly Excerpted[]
}

/** Makes excerpts of documents' texts, and keeps what it read of them. */
export class ExcerptMaker {
  readonly #analyser: Analyser
  readonly #readings: Readings

  /** `folder` is for texts that there is no room for in memory. */
  constructor(locale: string, folder: string | undefined) {
    this.#analyser = new Analyser(locale)
    this.#readings = new Readings(this.#analyser, folder)
  }

  /** Returns the excerpts of documents in their order; undefined where the text of one is not known. */
  answer({ stems, documents }: ExcerptQuestion): (string | undefined)[] {
    const wanted = new Set(stems)
    return documents.map((document) => {
      const reading = this.#readingOf(document)
      return reading && excerptOf(reading, wanted, this.#analyser)
    })
  }

  close(): void {
    this.#readings.close()
  }

  #readingOf({ name, version, written }: Excerpted): Reading | undefined {
    if (!written) return this.#readings.get(name, version)
    const reading = Reading.of(composed(written.texts.map(plainText).join('\n\n')), written.goesOn)
    this.#readings.set(name, version, reading)
    return reading
  }
}
