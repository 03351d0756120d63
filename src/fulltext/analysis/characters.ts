/** The classes of characters in the analyser. */
export const SEPARATOR = 1
/** A letter or digit of a script that puts spaces between its words. */
export const LETTER = 2
/** An accent or another mark: it belongs to the letter before it. */
export const MARK = 3
/** A letter of a script that writes its words without spaces. */
export const UNSPACED = 4
/** Within a word it is as if it were not there: the apostrophe of “don't”, a soft hyphen. */
export const JOINER = 5

const APOSTROPHES = "'’＇"
const INVISIBLE = '\u00ad\u200d\u2060\ufeff'
/** Half-width marks are letters to Unicode. */
const HALF_WIDTH_MARKS = 'ﾞﾟ'
const WORD = /[\p{L}\p{N}]/u
const ANY_MARK = /\p{M}/u
const UNSPACED_LETTER = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const DIGIT = /[\p{Nd}\p{No}]/u

/**
 * Returns whether a text begins with a letter of a script that writes words without spaces: Chinese, Japanese, Thai, Lao, Khmer,
 * Burmese.
 */
export function isUnspaced(text: string): boolean {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  return WORD.test(first) && UNSPACED_LETTER.test(first) && !DIGIT.test(first)
}

/** A cache of the class of each character, filled on first use. With `splits` an apostrophe ends a word. */
export class Characters {
  /** A byte for each code point; most of it is never touched, and so takes no memory. */
  readonly #kinds = new Uint8Array(0x110000)
  readonly #joiners: string

  constructor(splits: boolean) {
    this.#joiners = splits ? INVISIBLE : INVISIBLE + APOSTROPHES
  }

  /** The classes of UTF-16 units by themselves, as far as they are known: 0 for what is not, and for halves of pairs. */
  get units(): Uint8Array {
    return this.#kinds
  }

  /**
   * Returns the class of the character at an offset of a text. SEPARATOR at the end of the text and for half a surrogate pair.
   */
  at(text: string, place: number): number {
    if (place >= text.length) return SEPARATOR
    const unit = text.charCodeAt(place)
    if (unit < 0xd800 || unit > 0xdfff) return this.#kinds[unit] || this.#learn(unit)
    return this.#ofPair(text, place)
  }

  #ofPair(text: string, place: number): number {
    const code = text.codePointAt(place) ?? 0
    return code > 0xffff ? this.#kinds[code] || this.#learn(code) : SEPARATOR
  }

  #learn(code: number): number {
    const kind = this.#kindOf(String.fromCodePoint(code))
    this.#kinds[code] = kind
    return kind
  }

  #kindOf(character: string): number {
    if (this.#joiners.includes(character)) return JOINER
    if (ANY_MARK.test(character) || HALF_WIDTH_MARKS.includes(character)) return MARK
    if (!WORD.test(character)) return SEPARATOR
    return isUnspaced(character) ? UNSPACED : LETTER
  }
}
