import type { Fields, Json } from '#lib/json.ts'
import { UNSAFE_KEYS } from '../fault.ts'
import { inlineValue, keyAt } from './fast-flow.ts'
import { blockScalar } from './fast-text.ts'
import { type Sure, UNSURE } from './plain-scalar.ts'

/** Maximum nesting depth. Deeper values are left to the full parser. */
const MOST_DEPTH = 32
const DASH = 45

/**
 * The common front matter without a YAML parser: mappings and lists of any indentation, scalars of one line plain or quoted, `[a, {b: c}]` on a line,
 * texts after `|` and `>`, remarks. Undefined where the text is anything else, in error included; what it answers is what `yaml` would answer.
 */
export function readFast(text: string): Fields | undefined {
  const reader = new BlockReader(text)
  reader.advance()
  if (reader.indent < 0) return {}
  const fields = reader.indent === 0 ? reader.map(0, 0) : UNSURE
  return fields === UNSURE || reader.indent >= 0 ? undefined : fields
}

/** Reads line by line, standing on a line that is neither blank nor a remark. */
class BlockReader {
  readonly #text: string
  /**
   * The offset of the unread rest of the line, and the end of the line without a CR. `#next` is the start of the line after it.
   */
  #at = 0
  #end = 0
  #next = 0
  /** The indentation of the line. -1 after the last line. */
  indent = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Goes to the next line that is neither blank nor a remark. A tab before the text of a line is text to it, and read by nobody. */
  advance(): void {
    const text = this.#text
    while (this.#next < text.length) {
      const start = this.#next
      const newline = text.indexOf('\n', start)
      const end = newline < 0 ? text.length : newline
      this.#next = end + 1
      let at = start
      while (text.charCodeAt(at) === 32) at++
      this.#end = end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end
      if (at >= this.#end || text.charCodeAt(at) === 35) continue
      this.#at = at
      this.indent = at - start
      return
    }
    this.indent = -1
  }

  /** The mapping whose keys stand at `column`, from its first key on. */
  map(column: number, depth: number): Sure<Fields> {
    if (depth > MOST_DEPTH) return UNSURE
    const fields: Fields = {}
    do {
      const key = keyAt(this.#text, this.#at, this.#end)
      if (!key || UNSAFE_KEYS.has(key.name) || Object.hasOwn(fields, key.name)) return UNSURE
      this.#at = key.end
      const value = this.#value(column, depth, false)
      if (value === UNSURE) return UNSURE
      fields[key.name] = value
    } while (this.indent === column)
    return this.indent > column ? UNSURE : fields
  }

  /** The list whose dashes stand at `column`, from its first dash on. */
  #list(column: number, depth: number): Sure<Json[]> {
    if (depth > MOST_DEPTH) return UNSURE
    const list: Json[] = []
    do {
      const item = this.#item(column, depth)
      if (item === UNSURE) return UNSURE
      list.push(item)
    } while (this.indent === column && this.#isDash())
    return this.indent > column ? UNSURE : list
  }

  #item(column: number, depth: number): Sure<Json> {
    const dash = this.#at
    this.#at = dash + 1
    while (this.#text.charCodeAt(this.#at) === 32) this.#at++
    const own = column + this.#at - dash
    if (this.#isDash()) return this.#list(own, depth + 1)
    const first = this.#text.charCodeAt(this.#at)
    const isKey = this.#at < this.#end && first !== 91 && first !== 123 && keyAt(this.#text, this.#at, this.#end) !== undefined
    return isKey ? this.map(own, depth + 1) : this.#value(column, depth, true)
  }

  #isDash(): boolean {
    const at = this.#at
    return this.#text.charCodeAt(at) === DASH && (at + 1 >= this.#end || this.#text.charCodeAt(at + 1) === 32)
  }

  /** The value after a key or dash at `column`: what is left of the line, or the lines below that stand further in. */
  #value(column: number, depth: number, isItem: boolean): Sure<Json> {
    const text = this.#text
    while (this.#at < this.#end && text.charCodeAt(this.#at) === 32) this.#at++
    const first = this.#at < this.#end ? text.charCodeAt(this.#at) : 35
    if (first === 35) return this.#below(column, depth, isItem)
    if (first === 124 || first === 62) return this.#blockScalar(column)
    const value = inlineValue(text, this.#at, this.#end)
    this.advance()
    return value
  }

  #below(column: number, depth: number, isItem: boolean): Sure<Json> {
    this.advance()
    if (this.indent > column) return this.#isDash() ? this.#list(this.indent, depth + 1) : this.map(this.indent, depth + 1)
    return !isItem && this.indent === column && this.#isDash() ? this.#list(column, depth + 1) : null
  }

  #blockScalar(column: number): Sure<Json> {
    const found = blockScalar(this.#text, this.#text.slice(this.#at, this.#end), this.#next, column)
    if (found === UNSURE) return UNSURE
    this.#next = found.next
    this.advance()
    return found.value
  }
}
