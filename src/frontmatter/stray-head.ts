import type { Fields, Json } from '#lib/json.ts'
import { conflictAt, Fault, unresolved } from './fault.ts'
import { HOW_TO_BEGIN } from './languages.ts'
import { plainName } from './other-tools.ts'
import { afterBlanks, afterComments, lineAfter, lineAt, lineEnd, MOST_LINES, nextLine } from './places.ts'
import { hidingPair, keysAt, MAY_OPEN, NEARLY_OPENS, OPENS, type Pair, type StrayKeys } from './stray-keys.ts'
import { strayWord } from './stray-words.ts'

const JSON_OPENS = /^\{[ \t]*(?:["'}]|$)/
const KEY = /^["']?[\p{L}_][\p{L}\p{N}_. -]{0,60}["']?[ \t]*(?::(?:[ \t]|$)|=)/u

/** Begins code in Markdown. */
const CODE = /^(?:```|~~~)/

/** Front matter that was read: its text, where that begins in the bytes, and its data. */
export interface ParsedHead {
  readonly text: string
  readonly start: number
  readonly data: Fields
}

/** Most bytes of a second head that is read: nobody writes longer ones. */
const MOST_BYTES = 16 * 1024

/** A line in the front matter of a file whose text begins as front matter does, and is to be shown all the same. */
export const TEXT_FOLLOWS = '# What follows is text.'

const SAY_TEXT = `if it is text, put ${TEXT_FOLLOWS} between two lines with --- at the top.`
const FENCE_THEM = `Put a line with --- before the first key and after the last one; ${SAY_TEXT}`
const WRITE_IT = `Put a line with draft: true between two lines with --- at the top; ${SAY_TEXT}`
const MOVE_THEM = `Put it into the front matter; or a line with ${TEXT_FOLLOWS} there, if it is text.`

/**
 * Throws Fault where a file without front matter on its first line seems to have some elsewhere: it might say that the text is a draft.
 * That is behind empty lines, spaces, marks that are not seen or a comment; in a merge that is not resolved; behind a fence that is none; as bare JSON; or as lines of keys without a fence or in a comment.
 */
export function refuseStrayHead(bytes: Buffer, start: number, now: number): void {
  const from = afterBlanks(bytes, start)
  // Both sides' front matter is in the text then.
  if (from === start && conflictAt(lineAt(bytes, from)) === 0) throw unresolved(from)
  if (from > start && OPENS.test(lineAt(bytes, from))) throw late(from)
  const fault =
    headAt(bytes, from) ?? hidden(keysAt(bytes, from), FENCE_THEM, now) ?? headBelow(bytes, from, now) ?? wordIn(bytes, from, now)
  if (fault) throw fault
}

/** Returns the fault of fences that hide the text: of another tool on the first line, or ours below a heading, a remark or a text. */
function headBelow(bytes: Buffer, from: number, now: number): Fault | undefined {
  if (MAY_OPEN.test(lineAt(bytes, from))) return hidden(keysAt(bytes, nextLine(bytes, from), true), FENCE_THEM, now)
  let at = from
  for (let n = 0; n < MOST_LINES && at < bytes.length; n++) {
    const line = lineAt(bytes, at)
    if (CODE.test(line)) return undefined
    const keys = OPENS.test(line) ? keysAt(bytes, nextLine(bytes, at)) : undefined
    if (keys?.end === 'fence' && hidingPair(keys, now)) return late(at)
    at = nextLine(bytes, at)
  }
  return undefined
}

/**
 * Returns the fault of a text right behind front matter that seems to begin with front matter as well, as where a tool has put
 * an empty one before it. Behind one with keys, that is what has fences and keeps the text from the public. `parse` reads the
 * front matter that bytes begin with; undefined where it can't be read.
 */
export function headBehind(
  bytes: Buffer,
  end: number,
  { isEmpty, now, parse }: { isEmpty: boolean; now: number; parse: (bytes: Buffer) => ParsedHead | undefined },
): Fault | undefined {
  const start = afterBlanks(bytes, end)
  if (!isEmpty && isProse(bytes, start)) return undefined
  const from = afterFences(bytes, start)
  if (isEmpty) {
    const keys = { ...keysAt(bytes, from), isSure: true }
    return headAt(bytes, from) ?? hidden(keys, MOVE_THEM, now) ?? wordIn(bytes, from, now)
  }
  const behind = afterComments(bytes, from)
  const isOpened = OPENS.test(lineAt(bytes, behind))
  const parsed = isOpened ? parse(bytes.subarray(behind, behind + MOST_BYTES)) : undefined
  const found = parsed && hidden(keysOf(parsed, behind), MOVE_THEM, now)
  if (found) return found
  const keys = isOpened ? keysAt(bytes, nextLine(bytes, behind), true) : keysAt(bytes, from)
  return keys.end === 'fence' ? hidden(keys, MOVE_THEM, now) : undefined
}

/** The fault of a line near the beginning that calls the text a draft. */
function wordIn(bytes: Buffer, from: number, now: number): Fault | undefined {
  const found = strayWord(bytes, from, now)
  return found && new Fault(`"${found.line}" stands outside of front matter, where it does nothing.`, found.at, WRITE_IT)
}

/** The keys of a head that begins at an offset of the file. */
function keysOf(head: ParsedHead, at: number): StrayKeys {
  const pairs = Object.entries(head.data).map(([key, value]) => pairIn(head, at, key, value))
  return { pairs, end: 'fence', isSure: pairs.length > 1 || pairs.some(({ key }) => plainName(key) === 'title') }
}

/** A key is looked for in the text when it is asked where it is: thousands of them would be looked for in all of it. */
function pairIn({ text, start }: ParsedHead, at: number, key: string, value: Json): Pair {
  const place = () => Math.max(0, text.search(new RegExp(`^[ \\t{,]*["']?${escaped(key)}["']?[ \\t]*[:=]`, 'm')))
  return {
    key,
    value,
    get line() {
      const from = place()
      return text.slice(from, lineEndIn(text, from)).replace(/^[ \t{,]+/, '')
    },
    get at() {
      return at + start + Buffer.byteLength(text.slice(0, place()))
    },
  }
}

function lineEndIn(text: string, from: number): number {
  const end = text.slice(from).search(/[\r\n]/)
  return end < 0 ? text.length : from + end
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** Returns whether a line begins with a letter and has no sign that ends a key, as most texts do: this is asked of every file. */
function isProse(bytes: Buffer, at: number): boolean {
  const letter = (bytes[at] ?? 0) | 0x20
  if (letter < 0x61 || letter > 0x7a) return false
  const end = lineEnd(bytes, at, at + 200)
  for (let n = at; n < end; n++) if (bytes[n] === 0x3a || bytes[n] === 0x3d) return false
  return true
}

/** The place behind fences with nothing between them. */
function afterFences(bytes: Buffer, from: number): number {
  let at = from
  for (let n = 0; n < MOST_LINES; n++) {
    const behind = afterComments(bytes, at)
    if (!OPENS.test(lineAt(bytes, behind)) || isKey(lineAfter(bytes, behind))) break
    at = afterBlanks(bytes, nextLine(bytes, behind))
  }
  return at
}

/** The fault of front matter that is opened at a place where it is not read. */
function headAt(bytes: Buffer, from: number): Fault | undefined {
  const line = lineAt(bytes, from)
  const behind = afterComments(bytes, from)
  if (OPENS.test(lineAt(bytes, behind)) && isKey(lineAfter(bytes, behind))) return late(behind)
  if (NEARLY_OPENS.test(line) && isKey(lineAfter(bytes, from))) {
    return new Fault(`"${line}" does not open front matter.`, from, HOW_TO_BEGIN)
  }
  if (!JSON_OPENS.test(line) || !/^\{\s*["']/.test(bytes.toString('utf8', from, from + 200))) return undefined
  const hint = 'Put a line with ---json before it, and one with --- after it.'
  return new Fault('JSON front matter is opened by ---json.', from, hint)
}

/** The fault of keys that keep a text from the public. */
function hidden(keys: StrayKeys, hint: string, now: number): Fault | undefined {
  const found = hidingPair(keys, now)
  return found && new Fault(`"${found.line}" stands outside of front matter, where it does nothing.`, found.at, hint)
}

function late(offset: number): Fault {
  const message = 'Front matter begins on the first line, and something is before it here.'
  return new Fault(message, offset, 'Remove what is before it; a rule at the start of a text is written ***.')
}

function isKey(line: string): boolean {
  return KEY.test(line) || /^[[{]/.test(line)
}
