import type { Path, Place } from '../json/json.ts'
import { lineEnd } from '../lines.ts'

/** A table of TOML text: its path and where its last statement's line ends. `start` is its header's line. */
export interface Section {
  path: Path
  start: number
  end: number
}

const BARE = /[A-Za-z0-9_-]+/y

/** The places of the values that stand after a `key =` in TOML text that is known to be valid, and its tables in order. */
export function tomlPlaces(text: string): { places: Place[]; sections: Section[] } {
  const places: Place[] = []
  const sections: Section[] = [{ path: [], start: 0, end: 0 }]
  const counts = new Map<string, number>()
  let path: Path = []
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const start = at
    if (text.charAt(at) === '[') {
      const isList = text.charAt(at + 1) === '['
      const header = keysAt(text, at + (isList ? 2 : 1))
      path = resolved(header.keys, isList, counts)
      at = lineEnd(text, header.end)
      sections.push({ path, start, end: at })
      continue
    }
    const { keys, end } = keysAt(text, at)
    const valueStart = skipSpaces(text, skipSpaces(text, end) + 1)
    const valueEnd = valueEndAt(text, valueStart)
    places.push({ path: [...path, ...keys], keyStart: start, valueStart, valueEnd })
    at = lineEnd(text, valueEnd)
    const section = sections.at(-1)
    if (section) section.end = at
  }
  return { places, sections }
}

/** The path of a table's header; a list of tables is entered at its last item. */
function resolved(keys: readonly string[], isList: boolean, counts: Map<string, number>): Path {
  const path: (string | number)[] = []
  for (const [i, key] of keys.entries()) {
    path.push(key)
    const name = JSON.stringify(path)
    const count = counts.get(name)
    if (isList && i === keys.length - 1) {
      counts.set(name, (count ?? 0) + 1)
      path.push(count ?? 0)
    } else if (count !== undefined) path.push(count - 1)
  }
  return path
}

function keysAt(text: string, from: number): { keys: string[]; end: number } {
  const keys: string[] = []
  let at = skipSpaces(text, from)
  for (;;) {
    const end = keyEnd(text, at)
    const key = text.slice(at, end)
    keys.push(key.startsWith('"') ? basic(key) : key.startsWith("'") ? key.slice(1, -1) : key)
    at = skipSpaces(text, end)
    if (text.charAt(at) !== '.') return { keys, end: at }
    at = skipSpaces(text, at + 1)
  }
}

/** A quoted key; one with escapes that JSON lacks is known by its own spelling, and so never found to be edited. */
function basic(key: string): string {
  try {
    return JSON.parse(key)
  } catch {
    return key
  }
}

function keyEnd(text: string, at: number): number {
  const sign = text.charAt(at)
  if (sign === '"' || sign === "'") return stringEnd(text, at)
  BARE.lastIndex = at
  return at + Math.max(BARE.exec(text)?.[0].length ?? 1, 1)
}

/** After the value that begins at `from`; brackets are followed to their end, a bare word to the end of its line. */
function valueEndAt(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const sign = text.charAt(at)
    if (sign === '"' || sign === "'") at = stringEnd(text, at)
    else if (sign === '#' || (sign === '\n' && depth === 0)) {
      if (depth === 0) break
      at = lineEnd(text, at)
    } else {
      if (sign === '[' || sign === '{') depth++
      if (sign === ']' || sign === '}') depth--
      at++
    }
    if (depth === 0 && /["'\]}]/.test(text.charAt(at - 1))) return at
  }
  return from + text.slice(from, at).trimEnd().length
}

function stringEnd(text: string, from: number): number {
  const quote = text.charAt(from)
  const isLong = text.startsWith(quote.repeat(3), from)
  const close = isLong ? quote.repeat(3) : quote
  let at = from + close.length
  while (at < text.length && !text.startsWith(close, at)) at += quote === '"' && text.charAt(at) === '\\' ? 2 : 1
  at += close.length
  // A long string may end in one or two quotes of its own.
  while (isLong && text.charAt(at) === quote) at++
  return at
}

function skipSpaces(text: string, from: number): number {
  let at = from
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at++
  return at
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length) {
    if (text.charAt(at) === '#') at = lineEnd(text, at)
    else if (/\s/.test(text.charAt(at))) at++
    else break
  }
  return at
}
