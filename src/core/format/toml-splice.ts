import { Conflict } from '../errors.ts'
import type { Fields, Json } from '../json.ts'
import { applied, changesBetween, isObject, type PathEdit, valueAt } from './changes.ts'
import type { Path } from './json.ts'
import { isSame } from './json-splice.ts'
import { ended, lineEnd, lineStart } from './lines.ts'
import { tomlPlaces } from './toml-places.ts'

const DATE = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?$/

/** Sets a top-level key of TOML text (undefined removes it), touching its lines alone. Throws Conflict where it is spread over the file. */
export function spliceToml(text: string, data: Readonly<Fields>, key: string, value: Json | undefined, eol: string): string {
  let now = text
  let held: Fields = { ...data }
  for (const edit of changesBetween(data[key], value, [key])) {
    const next = applied(held, edit)
    now = edited(now, held, next, edit, eol)
    held = next
  }
  return now
}

function edited(text: string, held: Fields, next: Fields, { path, value }: PathEdit, eol: string): string {
  const { places, sections } = tomlPlaces(text)
  const place = places.find((known) => isSame(known.path, path))
  if (place && value === undefined) {
    const start = lineStart(text, place.keyStart)
    return text.slice(0, start) + text.slice(lineEnd(text, place.valueEnd))
  }
  if (place && value !== undefined) {
    const old = text.slice(place.valueStart, place.valueEnd)
    return text.slice(0, place.valueStart) + valueText(value, old, eol) + text.slice(place.valueEnd)
  }
  const holder = path.slice(0, -1)
  const section = sections.findLast((known) => isSame(known.path, holder))
  if (section && value !== undefined && valueAt(held, path) === undefined) {
    const at = section.path.length === 0 ? topEnd(text, sections) : section.end
    const entry = `${keyText(String(path.at(-1)))} = ${valueText(value, '', eol)}${eol}`
    return ended(text.slice(0, at), eol) + entry + text.slice(at)
  }
  if (holder.length === 0) throw refusal(path)
  return edited(text, held, next, { path: holder, value: valueAt(next, holder) }, eol)
}

/** Where a key of no table can be added: after the last one, or before the first table. */
function topEnd(text: string, sections: readonly { start: number; end: number }[]): number {
  const [top, first] = sections
  if (!first) return text.length
  return top && top.end > 0 ? top.end : lineStart(text, first.start)
}

function refusal(path: Path): Conflict {
  const message = `"${path[0]}" can't be changed safely: it is spread over several places of the TOML front matter.`
  return new Conflict(message, undefined, 'Change it in the file itself.')
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key)
}

function valueText(value: Json, old: string, eol: string): string {
  if (typeof value === 'string') return stringText(value, old, eol)
  if (value === null) throw new Conflict('TOML has no null.', undefined, 'Leave the value out.')
  if (Array.isArray(value)) return listText(value, old, eol)
  if (!isObject(value)) return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, item]) => `${keyText(key)} = ${valueText(item, '', eol)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** A list over several lines stays one, at its first item's indentation. */
function listText(list: Json[], old: string, eol: string): string {
  const pad = /^\[\s*?\n([ \t]*)/.exec(old)?.[1]
  const sample = /["']/.exec(old)?.[0] ?? ''
  const items = list.map((item) => valueText(item, sample, eol))
  if (pad === undefined || items.length === 0) return `[${items.join(', ')}]`
  const close = /\n([ \t]*)\]$/.exec(old)?.[1] ?? ''
  return `[${eol}${items.map((item) => `${pad}${item},${eol}`).join('')}${close}]`
}

function stringText(value: string, old: string, eol: string): string {
  if (DATE.test(old) && DATE.test(value)) return value
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a literal string can't hold them
  const isLiteral = old.startsWith("'") && !/['\x00-\x08\x0a-\x1f\x7f]/.test(value)
  if (isLiteral) return `'${value}'`
  // What a CRLF inside a long string stands for is left to the reader: not written.
  if (!value.includes('\n') || eol !== '\n') return basicText(value)
  const lines = value.split('\n').map((line) => basicText(line).slice(1, -1).replace(/""/g, '"\\"'))
  return `"""${eol}${lines.join(eol)}"""`
}

function basicText(value: string): string {
  return JSON.stringify(value).replace(/\x7f/g, '\\u007f')
}
