import { conflictAt, Fault, unresolved } from './fault.ts'
import { HOW_TO_BEGIN } from './languages.ts'

/** Maximum number of lines to search for misplaced front matter. */
const MOST_LINES = 50

/** A line that opens front matter, or would with another word. */
const OPENS = /^(?:---(?!-)|\+\+\+(?!\+))/
/** Dashes of other lengths and kinds (word processors make one dash of two or three), and the fences of other tools. */
const NEARLY_OPENS = /^(?:[\p{Pd}\u2212]{2,}|[\u2013-\u2015]|\+{4,}|;{3,}|%{3,})$/u
const JSON_OPENS = /^\{[ \t]*(?:["'}]|$)/
/** Begins each of the lines that Nikola reads, in a comment or without. */
const OF_NIKOLA = /^\.\. (?=[\w-]+:)/
const KEY = /^["']?[\p{L}_][\p{L}\p{N}_. -]{0,60}["']?[ \t]*(?::(?:[ \t]|$)|=)/u
/** Keys that keep a text from the public, with the values that do. */
const HIDES = new RegExp(
  [
    /^["']?draft["']?[ \t]*[:=][ \t]*["']?(?:true|yes|on|y|t|1)\b/,
    /^["']?publish(?:ed)?["']?[ \t]*[:=][ \t]*["']?(?:false|no|off|n|f|0)\b/,
    /^["']?(?:private|hidden|unlisted)["']?[ \t]*[:=][ \t]*["']?(?:true|yes|on|y|t|1)\b/,
    /^["']?status["']?[ \t]*[:=][ \t]*["']?(?:draft|in.?review|pending|hidden|private|skip|unpublished|scheduled|future|archived|expired)\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)

/**
 * Throws Fault where a file without front matter on its first line seems to have some elsewhere: it might say that the text is a draft.
 * That is behind empty lines, spaces, marks that are not seen or a comment; in a merge that is not resolved; behind a fence that is none; as bare JSON; or as lines of keys without a fence or in a comment.
 */
export function refuseStrayHead(bytes: Buffer, start: number): void {
  const from = afterBlanks(bytes, start)
  const line = lineAt(bytes, from)
  // Both sides' front matter is in the text then.
  if (from === start && conflictAt(line) === 0) throw unresolved(from)
  if (from > start && OPENS.test(line)) throw late(from)
  const behind = afterComments(bytes, from)
  if (behind > from && OPENS.test(lineAt(bytes, behind)) && isKey(lineAfter(bytes, behind))) throw late(behind)
  if (NEARLY_OPENS.test(line) && isKey(lineAfter(bytes, from))) {
    throw new Fault(`"${line}" does not open front matter.`, from, HOW_TO_BEGIN)
  }
  if (JSON_OPENS.test(line) && /^\{\s*["']/.test(bytes.toString('utf8', from, from + 200))) {
    throw new Fault(
      'JSON front matter is opened by ---json.',
      from,
      'Put a line with ---json before it, and one with --- after it.',
    )
  }
  refuseHidingKeys(bytes, from)
}

/** Throws Fault where a text begins, at this place, with lines of keys that keep it from the public. */
export function refuseHidingKeys(bytes: Buffer, from: number): void {
  const hiding = hidingKey(bytes, from)
  if (hiding) {
    const message = `"${hiding.line}" stands outside of front matter, where it does nothing.`
    throw new Fault(
      message,
      hiding.at,
      'Put a line with --- before the first key and after the last one; or an empty line, a heading before it.',
    )
  }
}

function late(offset: number): Fault {
  const message = 'Front matter begins on the first line, and something is before it here.'
  return new Fault(message, offset, 'Remove what is before it; a rule at the start of a text is written ***.')
}

/** Returns the offset of the first visible character. */
function afterBlanks(bytes: Buffer, start: number): number {
  let at = start
  for (let width = blankAt(bytes, at); width > 0; width = blankAt(bytes, at)) at += width
  return at
}

/** Returns the width in bytes of a space, line end or invisible mark at an offset, or 0 if there is none. */
function blankAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if ((first >= 9 && first <= 13) || first === 32) return 1
  if (first < 0xc2) return 0
  const width = first < 0xe0 ? 2 : 3
  return /^[\s\u0085\u00ad\u180e\u200b-\u200f\u2060-\u2064\ufeff]$/.test(bytes.toString('utf8', at, at + width)) ? width : 0
}

function afterComments(bytes: Buffer, from: number): number {
  let at = from
  while (bytes.toString('latin1', at, at + 4) === '<!--') {
    const end = bytes.indexOf('-->', at + 4)
    if (end < 0) return from
    at = afterBlanks(bytes, end + 3)
  }
  return at
}

/** The line from a place on without the blanks around it; its beginning where it is long. */
function lineAt(bytes: Buffer, at: number): string {
  return bytes.toString('utf8', at, Math.min(lineEnd(bytes, at), at + 200)).trim()
}

/** The next line that is neither blank nor a remark. */
function lineAfter(bytes: Buffer, from: number): string {
  let at = afterBlanks(bytes, lineEnd(bytes, from))
  for (let n = 0; n < MOST_LINES && bytes[at] === 35; n++) at = afterBlanks(bytes, lineEnd(bytes, at))
  return lineAt(bytes, at)
}

function lineEnd(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
  return at
}

function isKey(line: string): boolean {
  return KEY.test(line) || /^[[{]/.test(line)
}

/** The line that keeps a text from the public, where the text begins with nothing but keys. */
function hidingKey(bytes: Buffer, from: number): { line: string; at: number } | undefined {
  let found: { line: string; at: number } | undefined
  let at = from
  for (let n = 0; n < MOST_LINES; n++) {
    const line = lineAt(bytes, at).replace(OF_NIKOLA, '')
    if (line === '' || OPENS.test(line) || NEARLY_OPENS.test(line) || line === '-->') return found
    const goesOn = (n === 0 && line === '<!--') || (n > 0 && (blankAt(bytes, at) > 0 || line.startsWith('- ')))
    if (!KEY.test(line) && !goesOn) return undefined
    if (HIDES.test(line)) found ??= { line, at }
    at = lineEnd(bytes, at)
    at += bytes[at] === 13 && bytes[at + 1] === 10 ? 2 : 1
  }
  return found
}
