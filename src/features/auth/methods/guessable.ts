import { normalForm } from '#lib/text/normal-form.ts'
/** Words and passwords that many use, small letters, each of four characters or more. */
export type CommonWords = ReadonlySet<string>

/** Number of parts up to which a password counts as guessable. */
const FEW = 3

const NO_WORD = /[^\p{L}\p{N}]+/u

const LONGEST_WORD = 40
const SHORTEST_WORD = 4
const SHORTEST_NAME = 3
const SHORTEST_RUN = 3

/** Length of a piece up to which repetitions add nothing. */
const SHORT_PIECE = 8

/** Length above which a text has more than a few parts, whatever they are. */
const LONGEST_FEW = FEW * LONGEST_WORD

/** Sequences that are typed without thinking: alphabets, and rows, columns and zigzags of keyboards. */
const RUNS: readonly string[] = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  '`1234567890-=',
  '!@#$%^&*()_+',
  'qwertyuiop[]',
  "asdfghjkl;'",
  'zxcvbnm,./',
  'qwertzuiopü',
  'yxcvbnm',
  'azertyuiop',
  'qsdfghjklm',
  'wxcvbn',
  'йцукенгшщзхъ',
  'фывапролджэ',
  'ячсмитьбю',
  'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  'q1w2e3r4t5y6u7i8o9p0',
  '1q2w3e4r5t6y7u8i9o0p',
]

/** The runs and their reverses in one text, between characters that no password has. */
const ALL_RUNS = [...RUNS, ...RUNS.map((run) => [...run].reverse().join(''))].join('\0')

/** Sentences that are known as passwords or by heart, without their spaces: each is one part, however many words it has. */
const FAMOUS: ReadonlySet<string> = new Set([
  'correcthorsebatterystaple',
  'loremipsumdolorsitamet',
  'maytheforcebewithyou',
  'thequickbrownfoxjumpsoverthelazydog',
  'tobeornottobe',
  'thatisthequestion',
])

/** Separators between words. They make a password no harder to guess. */
const SEPARATORS = /[\s\p{Pd}\p{Pc}.,;:/|+]+/u

/** Common substitutes for letters. */
const DISGUISES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

// Not by @zxcvbn-ts/core 4.2: it passes 12 to 15 of 34 that the tests refuse, and takes up to 340 ms (this 2) for 128 characters.
/**
 * Returns whether a password is one that attackers try first: a common one; three or fewer of common words, names of the person
 * or the site, keyboard runs, short numbers and other characters, combined; or a short piece repeated. Spaces and punctuation
 * between them, and names as words of their own, do not count. `names` are in any case, and may be of several words.
 */
export function isGuessable(password: string, common: CommonWords, names: readonly string[]): boolean {
  const plain = folded(password)
  const own = new Set(names.flatMap(partsOf))
  const words = plain.split(SEPARATORS)
  // Whole words are names even where they are too short to be looked for inside of others.
  const theirs = new Set(names.flatMap((name) => folded(name).split(NO_WORD)))
  const others = words.filter((word) => !theirs.has(word))
  const texts = [plain, words.join(''), others.join('')]
  const forms = new Set(texts.flatMap((text) => [text, undisguised(text)]))
  return [...forms].some((form) => isFew(form, common, own))
}

function isFew(text: string, common: CommonWords, own: ReadonlySet<string>): boolean {
  const start = piece(text)
  return (start !== text && start.length < SHORT_PIECE) || hasFewParts(start, common, own)
}

function undisguised(text: string): string {
  return text.replaceAll(/[013457@$!]/g, (sign) => DISGUISES[sign] ?? sign)
}

/** The piece that a text repeats; itself, where it repeats none, or one that is longer than a few parts. */
function piece(text: string): string {
  for (let length = 1; length <= Math.min(text.length / 2, LONGEST_FEW); length++) {
    if (text.startsWith(text.slice(length))) return text.slice(0, length)
  }
  return text
}

/** Returns whether a text can be put together of a few parts: known ones, and single characters. */
function hasFewParts(text: string, common: CommonWords, own: ReadonlySet<string>): boolean {
  if (text.length > LONGEST_FEW) return false
  const fewest = [0]
  for (let end = 1; end <= text.length; end++) {
    let best = (fewest[end - 1] ?? 0) + 1
    for (let start = Math.max(0, end - LONGEST_WORD); start <= end - SHORTEST_RUN; start++) {
      const parts = (fewest[start] ?? 0) + 1
      if (parts < best && parts <= FEW && isKnown(text.slice(start, end), common, own)) best = parts
    }
    fewest.push(best)
  }
  return (fewest[text.length] ?? 0) <= FEW
}

function isKnown(part: string, common: CommonWords, own: ReadonlySet<string>): boolean {
  if (own.has(part) || FAMOUS.has(part) || (part.length >= SHORTEST_WORD && common.has(part))) return true
  // A year, or any other number that is easier to come by than a common word.
  return /^\d{3,4}$/.test(part) || isRun(part)
}

function isRun(part: string): boolean {
  return part === part.charAt(0).repeat(part.length) || ALL_RUNS.includes(part)
}

/** A name whole, without its signs, and each of its words. */
function partsOf(name: string): string[] {
  const plain = folded(name)
  const words = plain.split(NO_WORD)
  return [plain, words.join(''), ...words].filter((part) => part.length >= SHORTEST_NAME)
}

function folded(text: string): string {
  return normalForm(text, 'NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
