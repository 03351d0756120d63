import type { Fields, Json } from '#lib/json.ts'
import { duplicateKey, Fault, MAX_DEPTH, tooDeep, UNSAFE_KEYS, unsafeKey } from '../fault.ts'

/** The way to a value: keys of objects and indexes of lists. */
export type Path = readonly (string | number)[]

/**
 * The offsets of one value in a text, in characters. `keyStart` equals `valueStart` for an item of a list. The places of nested
 * values follow in order.
 */
export interface Place {
  path: Path
  keyStart: number
  valueStart: number
  valueEnd: number
}

/** JSON as read, with the place of each of its values. */
export interface Located {
  data: Fields
  places: Place[]
}

/** Reads a JSON object (RFC 8259) and, where asked, where its values are; throws Fault. Nothing but blanks is {}. */
export function readJson(text: string, locate = false): Located {
  const data = locate ? undefined : soundObject(text)
  return data ? { data, places: [] } : readByHand(text, locate)
}

function readByHand(text: string, locate: boolean): Located {
  const reader = new Reader(text, locate)
  reader.blanks()
  if (reader.at === text.length) return { data: {}, places: [] }
  const start = reader.at
  const data = reader.value([])
  reader.blanks()
  if (reader.at < text.length) throw reader.fault('There is something after the end of the object.')
  if (data === null || typeof data !== 'object' || Array.isArray(data)) {
    throw new Fault('This is not an object of keys and values.', start, 'Write { "key": "value" }.')
  }
  return { data, places: reader.places }
}

/** The object that the text is, by the engine's own reader; undefined where it is none or has what only the other reader tells of: a key twice, say. */
function soundObject(text: string): Fields | undefined {
  let data: Json
  try {
    data = JSON.parse(text)
  } catch {
    return undefined
  }
  if (data === null || typeof data !== 'object' || Array.isArray(data)) return undefined
  return membersIn(data, 0) === colonsIn(text) ? data : undefined
}

/**
 * Counts the members of all objects in a value. Returns -1 if a value can't be taken as it is: an unsafe key, a number too large,
 * or too deep nesting.
 */
function membersIn(value: Json, depth: number): number {
  if (depth > MAX_DEPTH) return -1
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : -1
  if (value === null || typeof value !== 'object') return 0
  let count = 0
  const inner = Array.isArray(value) ? value : Object.values(value)
  if (inner !== value) {
    const keys = Object.keys(value)
    if (keys.some((key) => UNSAFE_KEYS.has(key))) return -1
    count = keys.length
  }
  for (const item of inner) {
    const found = membersIn(item, depth + 1)
    if (found < 0) return -1
    count += found
  }
  return count
}

/** Counts the colons outside of strings in a text of valid JSON. */
function colonsIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 58) count++
    if (code !== 34) continue
    for (at++; text.charCodeAt(at) !== 34; at++) if (text.charCodeAt(at) === 92) at++
  }
  return count
}

class Reader {
  readonly text: string
  readonly places: Place[] = []
  readonly locate: boolean
  at = 0
  constructor(text: string, locate: boolean) {
    this.text = text
    this.locate = locate
  }

  fault(message: string): Fault {
    return new Fault(message, this.at, 'Compare it with { "key": "value", "list": [1, 2] }.')
  }

  blanks(): void {
    while (/[ \t\r\n]/.test(this.text.charAt(this.at))) this.at++
  }

  value(path: Path): Json {
    if (path.length > MAX_DEPTH) throw tooDeep(this.at)
    const sign = this.text.charAt(this.at)
    if (sign === '{') return this.object(path)
    if (sign === '[') return this.list(path)
    return sign === '"' ? this.string() : this.word()
  }

  object(path: Path): Fields {
    const fields: Fields = {}
    this.members('}', () => {
      const keyStart = this.at
      if (this.text.charAt(this.at) !== '"') throw this.fault('A key in quotes is missing here.')
      const key = this.string()
      if (UNSAFE_KEYS.has(key)) throw unsafeKey(key, keyStart)
      if (Object.hasOwn(fields, key)) throw duplicateKey(key, keyStart)
      this.blanks()
      if (this.text.charAt(this.at) !== ':') throw this.fault('A ":" is missing here.')
      this.at++
      this.blanks()
      fields[key] = this.placed([...path, key], keyStart)
    })
    return fields
  }

  list(path: Path): Json[] {
    const list: Json[] = []
    this.members(']', () => list.push(this.placed([...path, list.length], this.at)))
    return list
  }

  placed(path: Path, keyStart: number): Json {
    const place = { path, keyStart, valueStart: this.at, valueEnd: this.at }
    if (this.locate) this.places.push(place)
    const value = this.value(path)
    place.valueEnd = this.at
    return value
  }

  /** Reads the members between brackets, separated by commas. */
  members(close: string, member: () => void): void {
    this.at++
    this.blanks()
    if (this.text.charAt(this.at) === close) {
      this.at++
      return
    }
    for (;;) {
      this.blanks()
      member()
      this.blanks()
      const sign = this.text.charAt(this.at)
      if (sign !== ',' && sign !== close) throw this.fault(`A "," or "${close}" is missing here.`)
      this.at++
      if (sign === close) return
    }
  }

  string(): string {
    let end = this.at + 1
    while (end < this.text.length && this.text.charCodeAt(end) !== 34) end += this.text.charCodeAt(end) === 92 ? 2 : 1
    return this.parsed(Math.min(end + 1, this.text.length)) as string
  }

  word(): Json {
    let end = this.at
    while (/[\w.+-]/.test(this.text.charAt(end))) end++
    return this.parsed(end)
  }

  parsed(end: number): Json {
    try {
      const value: Json = JSON.parse(this.text.slice(this.at, end))
      this.at = end
      return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
    } catch {
      throw this.fault('This is no value of JSON.')
    }
  }
}
