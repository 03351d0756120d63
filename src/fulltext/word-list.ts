import { type NearWord, NearWords } from './near-words.ts'

/** Sorted distinct words, as UTF-8 bytes one after another; in the order of their code points, which is that of their bytes. */
export class WordList {
  readonly #bytes: Uint8Array
  readonly #ends: Uint32Array

  /** `ends[i]` is where the bytes of word i end. The bytes may be shared between threads. */
  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.#bytes = bytes
    this.#ends = ends
  }

  /** The list of these words, in whatever order and however often they come. */
  static of(words: readonly string[]): WordList {
    const encoded = [...new Set(words)].map((word) => Buffer.from(word)).sort(Buffer.compare)
    let end = 0
    const ends = Uint32Array.from(encoded, (word) => (end += word.length))
    return new WordList(Buffer.concat(encoded), ends)
  }

  get length(): number {
    return this.#ends.length
  }

  /** The bytes of the words, as the constructor takes them. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** The end of each word's bytes, as the constructor takes them. */
  get ends(): Uint32Array {
    return this.#ends
  }

  /** The word at a place, which must be in the list. */
  word(index: number): string {
    return Buffer.from(this.#bytes.slice(this.#start(index), this.#ends[index])).toString('utf8')
  }

  /** The place of a word; −1 where it is not in the list. */
  find(word: string): number {
    const { from } = this.beginning(word)
    return from < this.length && this.word(from) === word ? from : -1
  }

  /** The words that begin with a prefix: from `from` up to `to`. */
  beginning(prefix: string): { from: number; to: number } {
    const bytes = Buffer.from(prefix)
    return { from: this.#firstWhere(bytes, 0), to: this.#firstWhere(bytes, 1) }
  }

  /**
   * All words within one or two edits (a letter more, less or other, or two neighbours exchanged), in the list's order, the word
   * itself among them.
   */
  near(word: string, edits: 1 | 2): NearWord[] {
    return new NearWords(this.#bytes, this.#ends, word, edits).find()
  }

  #start(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] ?? 0)
  }

  /** The first word whose beginning comes with (0) or after (1) the prefix. */
  #firstWhere(prefix: Uint8Array, order: 0 | 1): number {
    let [from, to] = [0, this.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      const start = this.#start(middle)
      const end = Math.min(this.#ends[middle] ?? 0, start + prefix.length)
      if (Buffer.compare(this.#bytes.subarray(start, end), prefix) >= order) to = middle
      else from = middle + 1
    }
    return from
  }
}
