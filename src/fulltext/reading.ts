import { type Analyser, ENOUGH } from './analysis/analyser.ts'
import { cutAt } from './analysis/folding.ts'
import { skim } from './analysis/skim.ts'

/** Only so much of a text is kept, in UTF-16 units: then a place in it takes two bytes. */
const MOST_READ = 64 * 1024 - 1
/** A word is kept as three numbers: the print of its stem, where it begins and where it ends. */
const NUMBERS = 3
const PRINTS = 4096
const NARROW = /^[\0-\xff]*$/

/** The prints of some stems: pages of hits are looked through for the same ones. */
const wantedPrints = new WeakMap<ReadonlySet<string>, Uint8Array>()

/** Takes the stem of a word, and where it is written: from `start` up to `end`. Reading ends where it returns ENOUGH. */
export type TakeStem = (stem: string, start: number, end: number) => unknown

/** The layout of a reading that is kept in a file, beside its bytes. */
export interface ReadingShape {
  /** The bytes of the text, and those of the words that follow it; undefined where it is not indexed. */
  readonly textBytes: number
  readonly wordBytes: number | undefined
  /** True if the text has two bytes a unit. */
  readonly isWide: boolean
  readonly goesOn: boolean
}

/**
 * The beginning of a plain text without white space around it. Once it is indexed it has where its words are, and stems are found
 * without reading it again; that learns all its words, which is not worth while for a text that is asked for once.
 */
export class Reading {
  readonly text: string
  /** True if the whole text is longer. */
  readonly goesOn: boolean
  readonly isWide: boolean
  /** The prints of all words that have a stem, then where each begins, then where each ends. */
  readonly #words: Uint16Array | undefined

  private constructor(text: string, goesOn: boolean, isWide: boolean, words: Uint16Array | undefined) {
    this.text = text
    this.goesOn = goesOn
    this.isWide = isWide
    this.#words = words
  }

  /** A reading of a text, not indexed; `goesOn` says that it is the beginning of a longer one. */
  static of(whole: string, goesOn = false): Reading {
    const trimmed = whole.trim()
    const text = trimmed.length > MOST_READ ? cutAt(trimmed, MOST_READ).trimEnd() : trimmed
    return new Reading(text, goesOn || text.length < trimmed.length, !NARROW.test(text), undefined)
  }

  get isIndexed(): boolean {
    return this.#words !== undefined
  }

  /** The same reading with where its words are. */
  indexed(analyser: Analyser): Reading {
    const [prints, starts, ends]: [number[], number[], number[]] = [[], [], []]
    analyser.read(this.text, ({ stem }, start, end) => {
      if (stem === '') return
      prints.push(printOf(stem))
      starts.push(start)
      ends.push(end)
    })
    const words = new Uint16Array(prints.length * NUMBERS)
    words.set(prints)
    words.set(starts, prints.length)
    words.set(ends, prints.length * 2)
    return new Reading(this.text, this.goesOn, this.isWide, words)
  }

  /** The reading that `bytes` and `shape` were taken of. */
  static from(bytes: Buffer, { textBytes, wordBytes, isWide, goesOn }: ReadingShape): Reading {
    const text = bytes.toString(isWide ? 'utf16le' : 'latin1', 0, textBytes)
    if (wordBytes === undefined) return new Reading(text, goesOn, isWide, undefined)
    const words = new Uint16Array(wordBytes / Uint16Array.BYTES_PER_ELEMENT)
    bytes.copy(new Uint8Array(words.buffer), 0, textBytes, textBytes + wordBytes)
    return new Reading(text, goesOn, isWide, words)
  }

  get shape(): ReadingShape {
    const { text, goesOn, isWide } = this
    return { textBytes: text.length * (isWide ? 2 : 1), wordBytes: this.#words?.byteLength, isWide, goesOn }
  }

  /** As it is kept: the text, then its words as this machine writes numbers. */
  get bytes(): Buffer {
    const text = Buffer.from(this.text, this.isWide ? 'utf16le' : 'latin1')
    return this.#words ? Buffer.concat([text, new Uint8Array(this.#words.buffer)]) : text
  }

  /** Gives the words of these stems that begin from `from` on and before `to`, in order. */
  find(stems: ReadonlySet<string>, analyser: Analyser, take: TakeStem, from = 0, to = this.text.length): void {
    const words = this.#words
    if (!words) return void this.#skim(stems, analyser, take, from, to)
    const count = words.length / NUMBERS
    const wanted = wantedOf(stems)
    for (let n = from === 0 ? 0 : firstFrom(words, from); n < count; n++) {
      if (wanted[words[n] ?? 0] === 0) continue
      const start = words[count + n] ?? 0
      if (start >= to) return
      const end = words[count * 2 + n] ?? 0
      const { stem } = analyser.word(this.text, start, end)
      if (stems.has(stem) && take(stem, start, end) === ENOUGH) return
    }
  }

  #skim(stems: ReadonlySet<string>, analyser: Analyser, take: TakeStem, from: number, to: number): void {
    skim(this.text, stems, analyser, ({ stem }, start, end) => {
      if (start < from) return undefined
      return start < to ? take(stem, start, end) : ENOUGH
    })
  }
}

/** The first word that begins at a place or after it. */
function firstFrom(words: Uint16Array, place: number): number {
  const count = words.length / NUMBERS
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((words[count + middle] ?? 0) >= place) high = middle
    else low = middle + 1
  }
  return low
}

function wantedOf(stems: ReadonlySet<string>): Uint8Array {
  const known = wantedPrints.get(stems)
  if (known) return known
  const wanted = new Uint8Array(PRINTS)
  for (const stem of stems) if (stem !== '') wanted[printOf(stem)] = 1
  wantedPrints.set(stems, wanted)
  return wanted
}

/** A number that is the same for equal stems, and seldom for others. */
function printOf(stem: string): number {
  let hash = 0
  for (let at = 0; at < stem.length; at++) hash = (Math.imul(hash, 31) + stem.charCodeAt(at)) | 0
  return (Math.imul(hash, 0x9e3779b1) >>> 20) & (PRINTS - 1)
}
