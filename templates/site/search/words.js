// Reads the words of a text as Quire's own index does (src/fulltext/analysis): a test holds the two alike.
import { additions, language, lunr } from './lunr.js'

const [SEPARATOR, LETTER, MARK, UNSPACED, JOINER] = [1, 2, 3, 4, 5]
const MOST_UNITS = 256
const MOST_LETTERS = 64
const INVISIBLE = '\u00ad\u200d\u2060\ufeff'
const JOINERS = language.splits ? INVISIBLE : `${INVISIBLE}'’＇`
const HALF_WIDTH_MARKS = 'ﾞﾟ'
const WORD = /[\p{L}\p{N}]/u
const ANY_MARK = /\p{M}/u
const UNSPACED_LETTER = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const DIGIT = /[\p{Nd}\p{No}]/u
const ASCII = /^[\0-\x7f]*$/
const ACCENTS =
  /(?<=[\p{sc=Latin}\p{sc=Greek}]\p{M}*)\p{M}|(?<=е)\u0308|(?<=[аеиоуыэюя])\u0301|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]|\p{Me}|\p{Default_Ignorable_Code_Point}/gu
const NOT_IN_WORDS = /[^\p{L}\p{N}\p{M}]/gu
const LOOSE_MARKS = /^\p{M}+/u
const LETTERS = new Map(
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

const stemOf = language.name === 'en' ? english : additions.length > 0 ? otherLanguage() : (form) => form

/** Gives every word of a text in order: its form, its stem ('' for a stop word), where it begins and ends. */
export function read(text, take) {
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at)
    if (kind === LETTER || kind === MARK) {
      const end = endOfWord(text, at)
      give(text, at, end, take)
      at = end
    } else {
      at = kind === UNSPACED ? readRun(text, at, take) : at + 1
    }
  }
}

/** Whether a form is of a script that writes its words without spaces. */
export function isUnspaced(text) {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  return WORD.test(first) && UNSPACED_LETTER.test(first) && !DIGIT.test(first)
}

function endOfWord(text, start) {
  for (let at = start; ; ) {
    const kind = kindAt(text, at)
    if (kind === LETTER || kind === MARK) at += widthAt(text, at)
    else if (kind === JOINER && [LETTER, MARK].includes(kindAt(text, at + 1))) at++
    else return at
  }
}

/** Gives the pairs of a run of characters and the last one alone; its end. */
function readRun(text, start, take) {
  let at = start
  let end = endOfCharacter(text, at)
  while (kindAt(text, end) === UNSPACED) {
    const next = endOfCharacter(text, end)
    give(text, at, next, take)
    at = end
    end = next
  }
  give(text, at, end, take)
  return end
}

function endOfCharacter(text, start) {
  let at = start + widthAt(text, start)
  while (kindAt(text, at) === MARK) at += widthAt(text, at)
  return at
}

function give(text, start, end, take) {
  const form = fold(text.slice(start, Math.min(end, start + MOST_UNITS)))
  if (form !== '') take({ form, stem: isUnspaced(form) ? form : stemOf(form) }, start, end)
}

function kindAt(text, at) {
  const code = text.codePointAt(at)
  if (code === undefined || (code >= 0xd800 && code <= 0xdfff)) return SEPARATOR
  const character = String.fromCodePoint(code)
  if (JOINERS.includes(character)) return JOINER
  if (ANY_MARK.test(character) || HALF_WIDTH_MARKS.includes(character)) return MARK
  if (!WORD.test(character)) return SEPARATOR
  return isUnspaced(character) ? UNSPACED : LETTER
}

function widthAt(text, at) {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit <= 0xdbff ? 2 : 1
}

function fold(word) {
  const folded = ASCII.test(word) ? word.replaceAll("'", '').toLowerCase() : foldAny(word)
  if (folded.length <= MOST_LETTERS) return folded
  const unit = folded.charCodeAt(MOST_LETTERS - 1)
  return folded.slice(0, unit >= 0xd800 && unit <= 0xdbff ? MOST_LETTERS - 1 : MOST_LETTERS)
}

function foldAny(word) {
  return word
    .normalize('NFKC')
    .replace(NOT_IN_WORDS, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(ACCENTS, '')
    .replace(SPELLED, (letter) => LETTERS.get(letter) ?? '')
    .replace(LOOSE_MARKS, '')
    .normalize('NFC')
}

function english(form) {
  return lunr.stopWordFilter(form) === undefined ? '' : lunr.stemmer({ update: (stem) => stem(form) }) || form
}

/** What a language adds to Lunr, given to a stand-in: Lunr itself stays as it is, and the stop words are told. */
function otherLanguage() {
  const stops = new Set()
  const standIn = Object.assign(Object.create(lunr), {
    Pipeline: { registerFunction: () => undefined },
    generateStopWordFilter: (words) => {
      for (const word of words) stops.add(fold(word))
      return () => undefined
    },
  })
  for (const add of additions) add(standIn)
  const { stemmer } = standIn[language.name]
  return (form) => (stops.has(form) ? '' : stemmer(form) || form)
}
