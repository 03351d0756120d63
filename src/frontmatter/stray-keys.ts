import type { Json } from '#lib/json.ts'
import { hidingKeys, isDataWord } from './hiding-words.ts'
import { plainName } from './other-tools.ts'
import { blankAt, lineAt, MOST_LINES, nextLine } from './places.ts'

/** Matches a line that opens front matter, or would with another word. */
export const OPENS = /^(?:---(?!-)|\+\+\+(?!\+))/
/** Matches dashes of other lengths and kinds (word processors make one dash of two or three), and the fences of other tools. */
export const NEARLY_OPENS = /^(?:[\p{Pd}\u2212]{2,}|[\u2013-\u2015]|\+{4,}|;{3,}|%{3,})$/u
/** Matches lines by which other tools begin and end front matter, and texts begin as well: a rule, a heading without words, code. */
export const MAY_OPEN = /^(?:#{3,}|={3,}|!{3,}|\*{3,}|_{3,}|\{{3,}|(?:- ?){3,}|(?:`{3,}|~{3,})[ \t]*(?:ya?ml|toml|json)?)$/i
/** Begins each of the lines of keys that Nikola reads, in a comment or without, and those of Org, AsciiDoc and reStructuredText. */
const OF_OTHERS = /^(?:\.\. (?=[\w-]+:)|#\+(?:HUGO_)?(?=\w+:)|:(?:EXPORT_)?(?:HUGO_)?(?=[\w-]+:))/i
/** Matches what Org has around keys. */
const DRAWER = /^:(?:PROPERTIES|END):$/i
/** Begins the table that keys without fences may be in. */
const TABLE = /^\[\w[\w.-]*\]$/
/** Match where a comment of HTML begins and ends. */
const COMMENT = /^<!--[ \t]*/
const COMMENT_ENDS = /[ \t]*-->$/
/** Matches the braces about JSON. */
const BRACES = /^\{+[ \t]*|[ \t]*\}+$/g
/** A key outside of fences, with its value: not every tool needs a blank between them. */
const PAIR = /^["']?([\p{L}_][\p{L}\p{N}_. -]{0,60}?)["']?[ \t]*(?:::?|=)[ \t]*(.*)$/u
/** Dates until which a text is to be shown lie before it: nobody looks again when they come. */
const END_OF_TIME = Number.MAX_VALUE

/** Lines of keys that are in no front matter. */
export interface StrayKeys {
  readonly pairs: readonly Pair[]
  /** Absent where an empty line ends them, or a text. */
  readonly end: 'fence' | 'comment' | undefined
  /** True where they can't be sentences that begin as keys do. */
  readonly isSure: boolean
}

/** A key with its value, the line it is on, and the offset of that. */
export interface Pair {
  readonly key: string
  readonly value: Json
  readonly line: string
  readonly at: number
}

/**
 * Returns the keys that a text begins with, up to an empty line, a fence, or a line that is none. Behind a fence that opens front
 * matter (`isOpened`) empty lines, remarks, tables of TOML and the braces of JSON are passed over.
 */
export function keysAt(bytes: Buffer, from: number, isOpened = false): StrayKeys {
  const pairs: Pair[] = []
  let [at, isOfOthers, end] = [from, false, undefined as StrayKeys['end']]
  for (let n = 0; n < MOST_LINES && at < bytes.length && !end; n++) {
    const line = lineAt(bytes, at)
    if (OPENS.test(line) || NEARLY_OPENS.test(line)) end = 'fence'
    else if (line.endsWith('-->')) end = 'comment'
    if ((line === '' && !isOpened) || end === 'fence') break
    const bare = line
      .replace(n === 0 ? COMMENT : '', '')
      .replace(isOpened || n === 0 ? BRACES : '', '')
      .replace(COMMENT_ENDS, '')
    const plain = bare.replace(OF_OTHERS, '')
    const found = pairsOn(plain)
    const goesOn =
      bare === '' ||
      DRAWER.test(bare) ||
      (n === 0 && TABLE.test(bare)) ||
      (isOpened && /^[#[]/.test(bare)) ||
      (n > 0 && (blankAt(bytes, at) > 0 || line.startsWith('- ')))
    if (found.length === 0 && !goesOn) break
    pairs.push(...found.map(([key, value]) => ({ key, value, line: plain, at })))
    // In texts `:secret:` is a picture.
    isOfOthers ||= plain !== bare && !bare.startsWith(':')
    at = nextLine(bytes, at)
  }
  // One line above dashes may be a heading.
  const isSure = end === 'comment' || (end === 'fence' && pairs.length > 1) || isOfOthers
  return { pairs, end, isSure: isSure || pairs.some(({ key }) => plainName(key) === 'title') }
}

/** The keys of a line; Hexo's JSON may have several there. */
function pairsOn(line: string): [key: string, value: Json][] {
  if (line.startsWith('"')) {
    try {
      return Object.entries<Json>(JSON.parse(`{${line.replace(/,$/, '')}}`))
    } catch {
      // A line of another language, or a part of a longer one.
    }
  }
  const [, key, value] = PAIR.exec(line) ?? []
  return key === undefined || value === undefined ? [] : [[key, shortValue(value)]]
}

/** Returns the first key that keeps a text from the public at `now` or later. */
export function hidingPair({ pairs, isSure }: StrayKeys, now: number): Pair | undefined {
  return pairs.find(({ key, value }) => (isSure || isPlain(key, value)) && hidesAtAnyTime(key, value, now))
}

function hidesAtAnyTime(key: string, value: Json, now: number): boolean {
  const data = { [key]: value }
  return hidingKeys(data, now).length > 0 || hidingKeys(data, END_OF_TIME).length > 0
}

/** A text may well begin with the date of what it is about, or a word and a colon. */
function isPlain(key: string, value: Json): boolean {
  if (key.includes(' ')) return false
  const name = plainName(key)
  if (name === 'password') return typeof value === 'string' && !value.includes(' ')
  return name !== 'date' && isDataWord(value)
}

/** The value on a line as the languages of front matter write short ones. */
function shortValue(written: string): Json {
  const text = written.replace(/(?:^|[ \t]+)#.*$/, '').replace(/[ \t]*,$/, '')
  if (text.startsWith('[') && text.endsWith(']'))
    return text
      .slice(1, -1)
      .split(',')
      .map((item) => unquoted(item.trim()))
  return unquoted(text)
}

function unquoted(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text
}
