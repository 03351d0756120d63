import type { Word } from '../word.ts'
import { Characters, isUnspaced, JOINER, LETTER, MARK, SEPARATOR, UNSPACED } from './characters.ts'
import { fold } from './folding.ts'
import { type Language, languageOf } from './language.ts'
import { hashWith, NO_HASH, WordMemory } from './word-memory.ts'

/** Raised whenever the same text could give other words, stems or places: by a change here, or of lunr or lunr-languages. */
const EDITION = 1

/** The most units of a word that are looked at: folded they are more than a form can have. */
const MOST_UNITS = 256
/** From so many units on, what is cut from a string is no copy in V8. */
const SLICED = 13
/**
 * A word as the analyser gives it, mostly the same object each time: who numbers words notes the number on it, and need not look
 * it up again.
 */
export interface ReadWord extends Word {
  /** Stands for who noted the number. */
  reader: number
  number: number
}

const NOTHING: ReadWord = { form: '', stem: '', reader: 0, number: 0 }

/** A value for a callback to return to stop reading. */
export const ENOUGH = Symbol('enough')

/** Takes a word, and where it is written in the text: from `start` up to `end`. Reading ends where it returns ENOUGH. */
export type Take = (word: ReadWord, start: number, end: number) => unknown

/**
 * Finds the words of a text, the same way in what is searched and in what is asked for.
 *
 * A word is what `[\p{L}\p{N}\p{M}]+` matches. An apostrophe within a word is no part of it and does not end it (“don't” is
 * `dont`, “dog's” is `dogs`, whose stem is `dog`), but for languages that leave out a letter there (l'eau is `l` and `eau`).
 * Scripts that write their words without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are read as pairs of neighbouring
 * characters, each beginning where one character does, and the last character of a run alone: 東京都 is 東京 京都 都. So whatever stretch
 * of a text is asked for is found, as a phrase of pairs; a dictionary (`Intl.Segmenter`) cuts a word here so and there otherwise,
 * and with every version of Node anew.
 */
export class Analyser {
  /** Stands for how texts are read: what is saved under another name is made anew. */
  readonly name: string
  /** See `Language`. */
  readonly keepsBeginnings: boolean
  readonly #language: Language
  readonly #characters: Characters
  readonly #memory = new WordMemory<ReadWord>()

  constructor(locale: string) {
    this.#language = languageOf(locale)
    this.keepsBeginnings = this.#language.keepsBeginnings
    this.#characters = new Characters(this.#language.splits)
    this.name = `${this.#language.name} ${EDITION}`
  }

  /**
   * Gives every word of a text in order, stop words with stem ''; the text need not be NFC. Words of one form are mostly, and not
   * always, one object. Takes time in proportion to the text, whatever is in it.
   */
  read(text: string, take: Take): void {
    const { units } = this.#characters
    const { length } = text
    for (let at = 0; at < length; ) {
      let kind = SEPARATOR
      let hash = NO_HASH
      let end = at
      // Most words are letters of the basic plane alone, between separators: their end and their hash are found in one go.
      for (; end < length; end++) {
        const unit = text.charCodeAt(end)
        kind = units[unit] ?? 0
        if (kind !== LETTER) break
        hash = hashWith(hash, unit)
      }
      if (kind === SEPARATOR || end === length) {
        if (end > at && this.#giveWord(this.#memory.findBy(hash, text, at, end), text, at, end, take) === ENOUGH) return
        at = end + 1
      } else {
        at = this.#readNext(text, at, take)
      }
    }
  }

  /** The word that stands from `start` up to `end`, where `read` gave one. */
  word(text: string, start: number, end: number): Word {
    return this.#memory.find(text, start, end) ?? this.#learn(text, start, end)
  }

  /** Gives the word that begins at a place, if one does; where to read on. */
  #readNext(text: string, at: number, take: Take): number {
    const kind = this.#characters.at(text, at)
    if (kind === UNSPACED) return this.#readRun(text, at, take)
    if (kind !== LETTER && kind !== MARK) return at + 1
    const end = this.#endOfWord(text, at)
    return this.#give(text, at, end, take) === ENOUGH ? text.length : end
  }

  #endOfWord(text: string, start: number): number {
    const characters = this.#characters
    let at = start
    for (;;) {
      const kind = characters.at(text, at)
      if (kind === LETTER || kind === MARK) at += widthAt(text, at)
      else if (kind === JOINER && isInWord(characters.at(text, at + 1))) at++
      else return at
    }
  }

  /** Gives the pairs of a run of characters and the last one alone; where to read on. */
  #readRun(text: string, start: number, take: Take): number {
    let at = start
    let end = this.#endOfCharacter(text, at)
    while (this.#characters.at(text, end) === UNSPACED) {
      const next = this.#endOfCharacter(text, end)
      if (this.#give(text, at, next, take) === ENOUGH) return text.length
      at = end
      end = next
    }
    return this.#give(text, at, end, take) === ENOUGH ? text.length : end
  }

  #endOfCharacter(text: string, start: number): number {
    let at = start + widthAt(text, start)
    while (this.#characters.at(text, at) === MARK) at += widthAt(text, at)
    return at
  }

  #give(text: string, start: number, end: number, take: Take): unknown {
    return this.#giveWord(this.#memory.find(text, start, end), text, start, end, take)
  }

  #giveWord(known: ReadWord | undefined, text: string, start: number, end: number, take: Take): unknown {
    const word = known ?? this.#learn(text, start, end)
    return word === NOTHING ? undefined : take(word, start, end)
  }

  #learn(text: string, start: number, end: number): ReadWord {
    const written = apart(text.slice(start, Math.min(end, start + MOST_UNITS)))
    const form = fold(written)
    if (form === '') return NOTHING
    // What is written just so was looked for already.
    const known = form === written ? undefined : this.#memory.find(form, 0, form.length)
    const word = known ?? this.#make(form === written ? written : apart(form))
    if (form !== written) this.#memory.add(word.form, word)
    this.#memory.add(written, word)
    return word
  }

  #make(form: string): ReadWord {
    const stem = isUnspaced(form) ? form : this.#language.stem(form)
    return { form, stem: stem === form ? form : stem, reader: 0, number: 0 }
  }
}

function isInWord(kind: number): boolean {
  return kind === LETTER || kind === MARK
}

function widthAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff ? 2 : 1
}

/** The text as a string of its own: a slice of some length keeps the whole text it was cut from in memory. */
function apart(slice: string): string {
  return slice.length < SLICED ? slice : Buffer.from(slice, 'utf16le').toString('utf16le')
}
