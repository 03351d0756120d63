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

/** A question for the excerpts of documents. It goes to a thread: plain arrays get there sooner than objects. */
export interface ExcerptQuestion {
  /** The stems to mark. */
  readonly stems: readonly string[]
  /** The texts of the documents' keys, and their versions. */
  readonly names: readonly string[]
  readonly versions: readonly string[]
  /** Their texts; absent where they may be known from an earlier question. */
  readonly written?: readonly WrittenTexts[]
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
  answer({ stems, names, versions, written }: ExcerptQuestion): (string | undefined)[] {
    const wanted = new Set(stems)
    return names.map((name, n) => {
      const reading = this.#readingOf(name, versions[n] ?? '', written?.[n])
      return reading && excerptOf(reading, wanted, this.#analyser)
    })
  }

  close(): void {
    this.#readings.close()
  }

  #readingOf(name: string, version: string, written: WrittenTexts | undefined): Reading | undefined {
    if (!written) return this.#readings.get(name, version)
    const reading = Reading.of(composed(written.texts.map(plainText).join('\n\n')), written.goesOn)
    this.#readings.set(name, version, reading)
    return reading
  }
}
