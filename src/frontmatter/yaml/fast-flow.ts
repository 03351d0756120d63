import type { Fields, Json } from '#lib/json.ts'
import { UNSAFE_KEYS } from '../fault.ts'
import { plainScalar, type Sure, UNSURE } from './plain-scalar.ts'

const KEY = /^[A-Za-z_][A-Za-z0-9_.-]*$/
/** `yaml` takes no key of over 1,024 characters. */
const LONGEST_KEY = 1000
const MOST_DEPTH = 32

/** The key that begins at `at`, before a colon that is followed by a space or the end of the line; undefined where none is sure to be one. */
export function keyAt(text: string, at: number, end: number): { name: string; end: number } | undefined {
  const first = text.charCodeAt(at)
  const isQuoted = first === 34 || first === 39
  const quote = isQuoted ? quoteEnd(text, at, end) : -1
  const colon = isQuoted ? quote + 1 : colonAt(text, at, end)
  if ((isQuoted && quote < 0) || colon >= end || colon - at > LONGEST_KEY) return undefined
  if (text.charCodeAt(colon) !== 58 || (colon + 1 < end && text.charCodeAt(colon + 1) !== 32)) return undefined
  const name = isQuoted ? unquoted(text, at, quote) : plainKey(text.slice(at, colon))
  return name === UNSURE ? undefined : { name, end: colon + 1 }
}

/** Returns the offset of the first colon of a line, or the end of the line. Does not look beyond the line. */
function colonAt(text: string, from: number, end: number): number {
  let at = from
  while (at < end && text.charCodeAt(at) !== 58) at++
  return at
}

/** A key is a text, whatever it looks like. */
function plainKey(key: string): Sure<string> {
  if (KEY.test(key)) return key
  return key === '' || key.endsWith(' ') || plainScalar(key) === UNSURE ? UNSURE : key
}

/** A value that stands on one line from `at` on, remark and all. */
export function inlineValue(text: string, at: number, end: number): Sure<Json> {
  const first = text.charCodeAt(at)
  if (first === 91 || first === 123) return new FlowReader(text, at, end).whole()
  if (first === 34 || first === 39) {
    const quote = quoteEnd(text, at, end)
    return quote < 0 || !isRemark(text, quote + 1, end) ? UNSURE : unquoted(text, at, quote)
  }
  const line = text.slice(at, end)
  const remark = line.indexOf(' #')
  return plainScalar(trimmed(line, 0, remark < 0 ? line.length : remark))
}

/** True where nothing, or only a remark, stands from `from` on. */
function isRemark(text: string, from: number, end: number): boolean {
  const at = skipSpaces(text, from, end)
  return at >= end || (at > from && text.charCodeAt(at) === 35 && !/[\t\r]/.test(text.slice(at, end)))
}

/** Returns the offset of the quote that closes the one at `start`, or -1. */
function quoteEnd(text: string, start: number, end: number): number {
  const quote = text.charCodeAt(start)
  for (let i = start + 1; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === 92 && quote === 34) i++
    else if (code === quote && quote === 39 && text.charCodeAt(i + 1) === 39) i++
    else if (code === quote) return i
  }
  return -1
}

function unquoted(text: string, start: number, end: number): Sure<string> {
  const inside = text.slice(start + 1, end)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be left to the whole parser
  if (/[\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff]/.test(inside)) return UNSURE
  if (text.charCodeAt(start) === 39) return inside.replaceAll("''", "'")
  if (!inside.includes('\\')) return inside
  return escaped(inside)
}

/** A text with the escapes that JSON and YAML have alike. */
function escaped(inside: string): Sure<string> {
  try {
    return JSON.parse(`"${inside}"`)
  } catch {
    return UNSURE
  }
}

/** A part of a line without the spaces around it: spaces alone, for other blanks are YAML's text. */
function trimmed(text: string, from: number, to: number): string {
  const start = skipSpaces(text, from, to)
  let end = to
  while (end > start && text.charCodeAt(end - 1) === 32) end--
  return text.slice(start, end)
}

function skipSpaces(text: string, from: number, end: number): number {
  let at = from
  while (at < end && text.charCodeAt(at) === 32) at++
  return at
}

/** Reads `[a, 'b', {c: d}]` on one line, of scalars that are sure even inside brackets. */
class FlowReader {
  readonly #text: string
  readonly #end: number
  #at: number

  constructor(text: string, at: number, end: number) {
    this.#text = text
    this.#at = at
    this.#end = end
  }

  whole(): Sure<Json> {
    const value = this.#value(0)
    return isRemark(this.#text, this.#at, this.#end) ? value : UNSURE
  }

  #value(depth: number): Sure<Json> {
    if (depth > MOST_DEPTH) return UNSURE
    const first = this.#code()
    if (first === 91) return this.#list(depth)
    if (first === 123) return this.#map(depth)
    return first === 34 || first === 39 ? this.#quoted() : this.#plain()
  }

  #code(): number {
    return this.#at < this.#end ? this.#text.charCodeAt(this.#at) : -1
  }

  #skip(): number {
    this.#at = skipSpaces(this.#text, this.#at, this.#end)
    return this.#code()
  }

  #list(depth: number): Sure<Json[]> {
    const list: Json[] = []
    if (this.#opened(93)) return list
    for (;;) {
      const value = this.#value(depth + 1)
      if (value === UNSURE) return UNSURE
      list.push(value)
      const sign = this.#skip()
      this.#at++
      if (sign === 93) return list
      if (sign !== 44) return UNSURE
      this.#skip()
    }
  }

  #map(depth: number): Sure<Fields> {
    const fields: Fields = {}
    if (this.#opened(125)) return fields
    for (;;) {
      const key = this.#key()
      if (key === UNSURE || UNSAFE_KEYS.has(key) || Object.hasOwn(fields, key)) return UNSURE
      this.#skip()
      const value = this.#value(depth + 1)
      if (value === UNSURE) return UNSURE
      fields[key] = value
      const sign = this.#skip()
      this.#at++
      if (sign === 125) return fields
      if (sign !== 44) return UNSURE
      this.#skip()
    }
  }

  /** True for brackets with nothing in them; else stands at what is first in them. */
  #opened(close: number): boolean {
    this.#at++
    if (this.#skip() !== close) return false
    this.#at++
    return true
  }

  #key(): Sure<string> {
    const start = this.#at
    const isQuoted = this.#code() === 34 || this.#code() === 39
    const colon = colonAt(this.#text, start, this.#end)
    const name = isQuoted ? this.#quoted() : plainKey(this.#text.slice(start, colon))
    if (name === UNSURE || (!isQuoted && /[,[\]{}]/.test(name))) return UNSURE
    if (!isQuoted) this.#at = colon
    if (this.#at - start > LONGEST_KEY || this.#code() !== 58) return UNSURE
    this.#at++
    return this.#code() === 32 ? name : UNSURE
  }

  #quoted(): Sure<string> {
    const start = this.#at
    const quote = quoteEnd(this.#text, start, this.#end)
    if (quote < 0) return UNSURE
    this.#at = quote + 1
    return unquoted(this.#text, start, quote)
  }

  #plain(): Sure<Json> {
    const start = this.#at
    for (; this.#at < this.#end; this.#at++) {
      const code = this.#code()
      if (code === 44 || code === 93 || code === 125) break
      if (code === 91 || code === 123) return UNSURE
      if (code === 58 && /[,[\]{} ]/.test(this.#text.charAt(this.#at + 1))) return UNSURE
    }
    const text = trimmed(this.#text, start, this.#at)
    return text === '' ? UNSURE : plainScalar(text)
  }
}
