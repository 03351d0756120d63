/** The reason why well-formed JSON can't be accepted. `path` is that of the value, dotted (`parts.0.name`), '' for the whole. */
export interface JsonFault {
  readonly kind: 'depth' | 'keys' | 'twice' | 'unsafe' | 'number' | 'text'
  readonly path: string
}

/** Limits on the number of levels and keys. */
export interface JsonLimits {
  readonly depth: number
  readonly keys: number
}

/** An object or a list that is being read: a body may have hundreds of thousands, so those of one depth take turns. */
interface Level {
  isObject: boolean
  /** The keys that an object had so far; undefined before the first. */
  keys: Set<string> | undefined
  at: string | number
  isKeyNext: boolean
}

/** Keys that objects inherit. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads JSON (RFC 8259), or says what `JSON.parse` would change without a word: a key that comes twice, a number that a double
 * can't hold, half of a surrogate pair; and what is over the limits. `-0` is 0. Throws SyntaxError where the text is no JSON.
 */
export function readStrictJson(text: string, limits: JsonLimits): { readonly value: unknown } | { readonly fault: JsonFault } {
  const value: unknown = JSON.parse(text)
  const scan = new Scan(text, limits)
  const fault = scan.fault()
  if (fault) return { fault }
  return { value: scan.hasNegativeZero ? withPlainZeros(value) : value }
}

/** The value of a JSON text with 0 in place of each -0, changed in place: `JSON.parse` with a function takes ten times as long. */
function withPlainZeros(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value
  if (Array.isArray(value)) {
    for (let n = 0; n < value.length; n++) value[n] = withPlainZeros(value[n])
    return value
  }
  const fields = value as Record<string, unknown>
  for (const name of Object.keys(fields)) fields[name] = withPlainZeros(fields[name])
  return value
}

/** True for the text of a number whose value is what it says: finite, not rounded to 0, and exact where it is a whole one. */
export function isExactNumber(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (value === 0) return !/^[-+.0]*[1-9]/.test(text)
  if (!/^-?\d{16,}$/.test(text) || Number.isSafeInteger(value)) return true
  // What an answer says of a number may be sent back: its shortest digits are as good as all of them.
  return String(value) === text || BigInt(text) === BigInt(value)
}

/** One pass over text that is known to be JSON. */
class Scan {
  hasNegativeZero = false
  readonly #text: string
  readonly #limits: JsonLimits
  /** Those that were read so far too: `#depth` of them are open. */
  readonly #levels: Level[] = []
  #depth = 0
  /** Only an escape can be half of a pair: bytes that are read as UTF-8 hold none. */
  readonly #hasEscapes: boolean
  #at = 0
  #keys = 0

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
    this.#hasEscapes = text.includes('\\u')
  }

  fault(): JsonFault | undefined {
    while (this.#at < this.#text.length) {
      const kind = this.#step(this.#text.charCodeAt(this.#at))
      if (kind) return { kind, path: this.#path() }
    }
    return undefined
  }

  #path(): string {
    return this.#levels
      .slice(0, this.#depth)
      .map(({ at }) => at)
      .join('.')
  }

  #step(code: number): JsonFault['kind'] | undefined {
    const level = this.#levels[this.#depth - 1]
    if (code === QUOTE) return level?.isKeyNext ? this.#key(level) : this.#string()
    if (code === MINUS || isDigit(code)) return this.#number()
    this.#at++
    if (code === BRACE || code === BRACKET) return this.#open(code === BRACE)
    if (code === BRACE_END || code === BRACKET_END) this.#depth--
    else if (code === COMMA && level) next(level)
    return undefined
  }

  #open(isObject: boolean): JsonFault['kind'] | undefined {
    if (this.#depth === this.#limits.depth) return 'depth'
    const level = this.#levels[this.#depth] ?? { isObject, keys: undefined, at: 0, isKeyNext: false }
    level.isObject = isObject
    level.keys = undefined
    level.at = isObject ? '' : 0
    level.isKeyNext = isObject
    this.#levels[this.#depth++] = level
    return undefined
  }

  #key(level: Level): JsonFault['kind'] | undefined {
    const key: string = JSON.parse(this.#quoted())
    if (UNSAFE.has(key)) {
      this.#depth--
      return 'unsafe'
    }
    level.at = key
    level.isKeyNext = false
    if (++this.#keys > this.#limits.keys) return 'keys'
    level.keys ??= new Set()
    if (level.keys.has(key)) return 'twice'
    level.keys.add(key)
    return HALF.test(key) ? 'text' : undefined
  }

  #string(): JsonFault['kind'] | undefined {
    const quoted = this.#quoted()
    if (!this.#hasEscapes || !quoted.includes('\\u')) return undefined
    const text: string = JSON.parse(quoted)
    return HALF.test(text) ? 'text' : undefined
  }

  #number(): JsonFault['kind'] | undefined {
    if (this.#hasPassed()) return undefined
    NUMBER.lastIndex = this.#at
    const [text = ''] = NUMBER.exec(this.#text) ?? []
    this.#at += text.length
    if (!isExactNumber(text)) return 'number'
    if (Number(text) === 0 && text.startsWith('-')) this.hasNegativeZero = true
    return undefined
  }

  /** Skips a number that is just a few digits, as most are, and returns whether there was one. */
  #hasPassed(): boolean {
    let end = this.#at
    while (isDigit(this.#text.charCodeAt(end))) end++
    const isPlain = end > this.#at && end - this.#at <= SAFE_DIGITS && !FURTHER.has(this.#text.charCodeAt(end))
    if (isPlain) this.#at = end
    return isPlain
  }

  /** The string that begins here, with its quotes. */
  #quoted(): string {
    const start = this.#at
    let end = start
    do end = this.#text.indexOf('"', end + 1)
    while (this.#isEscaped(end))
    this.#at = end + 1
    return this.#text.slice(start, this.#at)
  }

  #isEscaped(at: number): boolean {
    let first = at
    while (this.#text.charCodeAt(first - 1) === BACKSLASH) first--
    return (at - first) % 2 === 1
  }
}

/** A whole number of so many digits is exact. */
const SAFE_DIGITS = 15
const HALF = /\p{Cs}/u
const NUMBER = /[-+.0-9eE]+/y
const [QUOTE, COMMA, MINUS, ZERO, NINE, BACKSLASH] = [34, 44, 45, 48, 57, 92]
const [BRACE, BRACE_END, BRACKET, BRACKET_END] = [123, 125, 91, 93]
/** Character codes that may continue a number after its digits: `.`, `e`, `E`. */
const FURTHER: ReadonlySet<number> = new Set([46, 101, 69])

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

function next(level: Level): void {
  if (level.isObject) level.isKeyNext = true
  else level.at = Number(level.at) + 1
}
