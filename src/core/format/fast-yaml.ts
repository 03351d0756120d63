import type { Fields, Json } from '../json.ts'
import { UNSAFE_KEYS } from './fault.ts'
import { plainScalar, UNSURE } from './plain.ts'

type Sure<T> = T | typeof UNSURE

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]*$/

/**
 * The common front matter without a YAML parser: one-line scalars plain or quoted, `[a, b]`, lists of `- a`, remarks.
 * Undefined where the text is anything else, in error included; what it answers is what `yaml` would answer.
 */
export function readFast(text: string): Fields | undefined {
  const fields: Fields = {}
  let at = 0
  while (at < text.length) {
    const end = endOf(text, at)
    const next = end + 1
    const line = lineOf(text, at, end)
    at = next
    if (line === '' || line.charCodeAt(0) === 35) continue
    const colon = line.indexOf(':')
    if (colon < 0) return undefined
    const key = line.slice(0, colon)
    if (!KEY.test(key) || UNSAFE_KEYS.has(key) || Object.hasOwn(fields, key)) return undefined
    if (colon + 1 < line.length && line.charCodeAt(colon + 1) !== 32) return undefined
    const rest = bare(line, colon + 1)
    const item = rest === '' || rest.charCodeAt(0) === 35 ? listAt(text, at) : undefined
    if (item === UNSURE) return undefined
    const value = item ? item.value : inline(rest)
    if (value === UNSURE) return undefined
    fields[key] = value
    if (item) at = item.next
    else if (isContinued(text, at)) return undefined
  }
  return fields
}

function endOf(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** The line without its ending; a CR or a tab left in it makes every reader below unsure. */
function lineOf(text: string, at: number, end: number): string {
  return text.slice(at, end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end)
}

/** Whether the next line that is not blank is indented, and so may go on with the value before it. */
function isContinued(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) continue
    return code === 32 || code === 9
  }
  return false
}

/** A value on its key's line, remark and all. */
function inline(rest: string): Sure<Json> {
  if (rest === '' || rest.charCodeAt(0) === 35) return null
  const first = rest.charCodeAt(0)
  if (first === 91) return flowList(rest)
  if (first === 34 || first === 39) return quotedAlone(rest)
  const remark = rest.indexOf(' #')
  return plainScalar(remark < 0 ? rest : bare(rest, 0, remark))
}

function quotedAlone(rest: string): Sure<Json> {
  const end = quoteEnd(rest, 0)
  if (end < 0 || !isRemark(rest, end + 1)) return UNSURE
  return unquote(rest, 0, end)
}

/** True where nothing, or only a remark, stands from `from` on. */
function isRemark(text: string, from: number): boolean {
  if (from >= text.length) return true
  const rest = text.slice(from)
  return /^ +#/.test(rest) && !/[\t\r]/.test(rest)
}

/** Where the quote that opens at `start` closes, or -1. */
function quoteEnd(text: string, start: number): number {
  const quote = text.charCodeAt(start)
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 92 && quote === 34) i++
    else if (code === quote && quote === 39 && text.charCodeAt(i + 1) === 39) i++
    else if (code === quote) return i
  }
  return -1
}

function unquote(text: string, start: number, end: number): Sure<string> {
  const inside = text.slice(start + 1, end)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be left to the whole parser
  if (/[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]/.test(inside)) return UNSURE
  if (text.charCodeAt(start) === 39) return inside.replaceAll("''", "'")
  if (!inside.includes('\\')) return inside
  return /^(?:[^\\]|\\["\\])*$/.test(inside) ? inside.replace(/\\(["\\])/g, '$1') : UNSURE
}

/** `[a, 'b', "c"]` on one line, of scalars that are sure even inside brackets. */
function flowList(rest: string): Sure<Json> {
  const list: Json[] = []
  let at = skipSpaces(rest, 1)
  if (rest.charCodeAt(at) === 93) return isRemark(rest, at + 1) ? list : UNSURE
  for (;;) {
    const end = itemEnd(rest, at)
    const value = end < 0 ? UNSURE : flowItem(bare(rest, at, end))
    if (value === UNSURE) return UNSURE
    list.push(value)
    if (rest.charCodeAt(end) === 93) return isRemark(rest, end + 1) ? list : UNSURE
    at = skipSpaces(rest, end + 1)
  }
}

/** A part of a line without the spaces around it: spaces alone, for other blanks are YAML's text. */
function bare(text: string, from: number, to = text.length): string {
  const start = skipSpaces(text, from)
  let end = to
  while (end > start && text.charCodeAt(end - 1) === 32) end--
  return text.slice(start, end)
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === 32) at++
  return at
}

/** Where the item of a flow list that begins at `at` is ended by a comma or bracket, or -1. */
function itemEnd(text: string, at: number): number {
  const first = text.charCodeAt(at)
  if (first === 34 || first === 39) {
    const quote = quoteEnd(text, at)
    if (quote < 0) return -1
    const after = skipSpaces(text, quote + 1)
    return text.charCodeAt(after) === 44 || text.charCodeAt(after) === 93 ? after : -1
  }
  for (let i = at; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 44 || code === 93) return i
    if (code === 91 || code === 123 || code === 125 || code === 58 || code === 35 || code === 34 || code === 39) return -1
  }
  return -1
}

function flowItem(text: string): Sure<Json> {
  const first = text.charCodeAt(0)
  if (first === 34 || first === 39) return unquote(text, 0, text.length - 1)
  return text === '' ? UNSURE : plainScalar(text)
}

/** The lines of `- a` from `from` on, all at one indentation, and where the text goes on after them; undefined where there are none. */
function listAt(text: string, from: number): Sure<{ value: Json[]; next: number } | undefined> {
  const value: Json[] = []
  let indent = -1
  let at = from
  while (at < text.length) {
    const end = endOf(text, at)
    const line = lineOf(text, at, end)
    const dash = skipSpaces(line, 0)
    if (line.charCodeAt(dash) !== 45) {
      // A blank line or a remark among the items, or anything indented, is for the whole parser.
      if (value.length === 0) return isContinued(text, from) ? UNSURE : blankBeforeList(text, at) ? UNSURE : undefined
      return isContinued(text, at) || blankBeforeList(text, at) ? UNSURE : { value, next: at }
    }
    if (indent >= 0 && dash !== indent) return UNSURE
    indent = dash
    const item = listItem(line, dash)
    if (item === UNSURE) return UNSURE
    value.push(item)
    at = end + 1
  }
  return value.length === 0 ? undefined : { value, next: at }
}

/** Whether an item follows after blank lines and remarks. */
function blankBeforeList(text: string, from: number): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)+ *-/.test(text.slice(from, from + 2000))
}

function listItem(line: string, dash: number): Sure<Json> {
  if (line.charCodeAt(dash + 1) !== 32) return UNSURE
  const rest = bare(line, dash + 2)
  const first = rest.charCodeAt(0)
  if (rest === '' || first === 35 || first === 91) return UNSURE
  return inline(rest)
}
