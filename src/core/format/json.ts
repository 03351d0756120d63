import type { Fields, Json } from '../json.ts'
import { duplicateKey, Fault, MAX_DEPTH, tooDeep, UNSAFE_KEYS, unsafeKey } from './fault.ts'

/** The way to a value: keys of objects and indexes of lists. */
export type Path = readonly (string | number)[]

/** Where one value of a text is, in characters; `keyStart` equals `valueStart` for an item of a list. `to` of what it holds follows in order. */
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

  /** What stands between brackets, with commas between. */
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
