import { composed, normalForm } from '#lib/text/normal-form.ts'
/** The most characters of a form: what is longer is a hash or a picture in letters, and is known by its beginning. */
export const MOST_LETTERS = 64

const ASCII = /^[\0-\x7f]*$/
const APOSTROPHE = /'/g
/** Matches text that folding does not change, for common scripts: no capitals, no accents, one way to write each character. */
const FOLDED = /^[a-z0-9\u0430-\u0438\u043a-\u044f\u3041-\u3094\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/
/** Accents of Latin and Greek letters. In NFD, as what follows. */
const ACCENTS = /([\p{sc=Latin}\p{sc=Greek}])\p{M}+/gu
/** Dots over the Cyrillic е and stress over vowels, points of Hebrew and Arabic, what encloses, and what can't be seen. */
const OTHER_MARKS =
  /(?<=е)\u0308|(?<=[аеиоуыэюя])\u0301|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]|\p{Me}|\p{Default_Ignorable_Code_Point}/gu
const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]/gu
/** Marks on nothing. */
const LOOSE_MARKS = /^\p{M}+/u
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
    ŧ: 't',
    ŋ: 'n',
    ı: 'i',
    ĸ: 'k',
    ς: 'σ',
    ʼ: '',
    ʻ: '',
  }),
)
const SPELLED = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g')

/**
 * A word as it is compared: small letters, compatible characters made one (full-width forms, ligatures), Latin and Greek letters
 * without accents and Latin ones that are no letter with an accent spelled out (ß, ø, ł), dotless i as i. What tells letters
 * apart in other scripts stays (й, が, Hangul). At most 64 UTF-16 units; folding twice changes nothing.
 */
export function fold(word: string): string {
  const folded = ASCII.test(word) ? word.replace(APOSTROPHE, '').toLowerCase() : foldAny(word)
  return folded.length > MOST_LETTERS ? cutAt(folded, MOST_LETTERS) : folded
}

function foldAny(word: string): string {
  if (FOLDED.test(word)) return word
  const plain = normalForm(word, 'NFKC').replace(NOT_IN_WORDS, '').toLowerCase()
  const spelled = normalForm(plain, 'NFD')
    .replace(ACCENTS, '$1')
    .replace(OTHER_MARKS, '')
    .replace(SPELLED, (letter) => LETTERS.get(letter) ?? '')
    .replace(LOOSE_MARKS, '')
  return composed(spelled)
}

/** The first `length` units of a text, one less where that would cut a pair. */
export function cutAt(text: string, length: number): string {
  const unit = text.charCodeAt(length - 1)
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? length - 1 : length)
}
