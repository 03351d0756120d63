import { type Analyser, ENOUGH } from './analyser.ts'
import { cutAt } from './folding.ts'

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

/** What of a reading is kept in a file, beside its bytes. */
export interface ReadingShape {
  /** The bytes of the text, and those of the words that follow it. */
  readonly textBytes: number
  readonly wordBytes: number
  /** Whether the text has two bytes a unit. */
  readonly isWide: boolean
  readonly goesOn: boolean
}

/** The beginning of a plain text without white space around it, and where its words are: stems are found in it without reading it again. */
export class Reading {
  readonly text: string
  /** Whether the whole text is longer. */
  readonly goesOn: boolean
  readonly isWide: boolean
  /** The prints of all words that have a stem, then where each begins, then where each ends. */
  readonly #words: Uint16Array

  private constructor(text: string, goesOn: boolean, isWide: boolean, words: Uint16Array) {
    this.text = text
    this.goesOn = goesOn
    this.isWide = isWide
    this.#words = words
  }

  /** Reads a text. */
  static of(whole: string, analyser: Analyser): Reading {
    const trimmed = whole.trim()
    const text = trimmed.length > MOST_READ ? cutAt(trimmed, MOST_READ).trimEnd() : trimmed
    const [prints, starts, ends]: [number[], number[], number[]] = [[], [], []]
    analyser.read(text, ({ stem }, start, end) => {
      if (stem === '') return
      prints.push(printOf(stem))
      starts.push(start)
      ends.push(end)
    })
    const words = new Uint16Array(prints.length * NUMBERS)
    words.set(prints)
    words.set(starts, prints.length)
    words.set(ends, prints.length * 2)
    return new Reading(text, text.length < trimmed.length, !NARROW.test(text), words)
  }

  /** The reading that `bytes` and `shape` were taken of. */
  static from(bytes: Buffer, { textBytes, wordBytes, isWide, goesOn }: ReadingShape): Reading {
    const text = bytes.toString(isWide ? 'utf16le' : 'latin1', 0, textBytes)
    const words = new Uint16Array(wordBytes / Uint16Array.BYTES_PER_ELEMENT)
    bytes.copy(new Uint8Array(words.buffer), 0, textBytes, textBytes + wordBytes)
    return new Reading(text, goesOn, isWide, words)
  }

  get shape(): ReadingShape {
    const { text, goesOn, isWide } = this
    return { textBytes: text.length * (isWide ? 2 : 1), wordBytes: this.#words.byteLength, isWide, goesOn }
  }

  /** As it is kept: the text, then its words as this machine writes numbers. */
  get bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#words
    const text = Buffer.from(this.text, this.isWide ? 'utf16le' : 'latin1')
    return Buffer.concat([text, new Uint8Array(buffer, byteOffset, byteLength)])
  }

  /** Gives the words of these stems that begin from `from` on and before `to`, in order. */
  find(stems: ReadonlySet<string>, analyser: Analyser, take: TakeStem, from = 0, to = this.text.length): void {
    const words = this.#words
    const count = words.length / NUMBERS
    const wanted = wantedOf(stems)
    for (let n = from === 0 ? 0 : this.#firstFrom(from); n < count; n++) {
      if (wanted[words[n] ?? 0] === 0) continue
      const start = words[count + n] ?? 0
      if (start >= to) return
      const end = words[count * 2 + n] ?? 0
      const { stem } = analyser.word(this.text, start, end)
      if (stems.has(stem) && take(stem, start, end) === ENOUGH) return
    }
  }

  /** The first word that begins at a place or after it. */
  #firstFrom(place: number): number {
    const count = this.#words.length / NUMBERS
    let [low, high] = [0, count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#words[count + middle] ?? 0) >= place) high = middle
      else low = middle + 1
    }
    return low
  }
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
