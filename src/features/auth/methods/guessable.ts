/** Words and passwords that many use, small letters, each of four characters or more. */
export type CommonWords = ReadonlySet<string>

/** What a password is guessable of that is made of so many parts or fewer. */
const FEW = 3

const LONGEST_WORD = 40
const SHORTEST_WORD = 4
const SHORTEST_NAME = 3
const SHORTEST_RUN = 3

/** A piece this short that is repeated is no more than itself. */
const SHORT_PIECE = 8

/** What fingers find without thinking: alphabets, and rows, columns and zigzags of keyboards. */
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

const ALL_RUNS = [...RUNS, ...RUNS.map((run) => [...run].reverse().join(''))]

/** What letters are often written as. */
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

/**
 * Whether a password is one that is tried first: a common one, or three or fewer of common words, names that belong to the person or the site, runs of
 * keys, short numbers and other characters together; or a short piece again and again. `names` are in any case, and may be of several words.
 */
export function isGuessable(password: string, common: CommonWords, names: readonly string[]): boolean {
  const plain = folded(password)
  const own = new Set(names.flatMap(partsOf))
  const undisguised = plain.replaceAll(/[013457@$!]/g, (sign) => DISGUISES[sign] ?? sign)
  return [plain, undisguised].some((text) => isFew(piece(text), common, own))
}

function isFew(text: string, common: CommonWords, own: ReadonlySet<string>): boolean {
  return text.length < SHORT_PIECE || fewestParts(text, common, own) <= FEW
}

/** The piece that a text repeats; itself, where it repeats none. */
function piece(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    const start = text.slice(0, length)
    if (text === start.repeat(Math.ceil(text.length / length)).slice(0, text.length)) return start
  }
  return text
}

/** The fewest parts that a text can be put together of: known ones, and single characters. */
function fewestParts(text: string, common: CommonWords, own: ReadonlySet<string>): number {
  const fewest = [0]
  for (let end = 1; end <= text.length; end++) {
    let best = (fewest[end - 1] ?? 0) + 1
    for (let start = Math.max(0, end - LONGEST_WORD); start <= end - SHORTEST_RUN; start++) {
      const parts = (fewest[start] ?? 0) + 1
      if (parts < best && isKnown(text.slice(start, end), common, own)) best = parts
    }
    fewest.push(best)
  }
  return fewest[text.length] ?? 0
}

function isKnown(part: string, common: CommonWords, own: ReadonlySet<string>): boolean {
  if (own.has(part) || (part.length >= SHORTEST_WORD && common.has(part))) return true
  // A year, or any other number that is easier to come by than a common word.
  return /^\d{3,4}$/.test(part) || isRun(part)
}

function isRun(part: string): boolean {
  return part === part.charAt(0).repeat(part.length) || ALL_RUNS.some((run) => run.includes(part))
}

/** A name whole, without its signs, and each of its words. */
function partsOf(name: string): string[] {
  const plain = folded(name)
  const words = plain.split(/[^\p{L}\p{N}]+/u)
  return [plain, words.join(''), ...words].filter((part) => part.length >= SHORTEST_NAME)
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}
