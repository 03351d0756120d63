import type { Fields, Json } from '#lib/json.ts'
import { trimEnd } from '#lib/text/trim-end.ts'
import { applied, changesBetween, type PathEdit } from '../changes.ts'
import { type Path, type Place, readJson } from './json.ts'

/** RFC 8259 §2. */
const SPACE = ' \t\r\n'

/** Sets a top-level key of JSON text (undefined removes it), touching that key's text alone; a comma beside it goes with it. */
export function spliceJson(text: string, data: Readonly<Fields>, key: string, value: Json | undefined, eol: string): string {
  let now = text
  for (const edit of changesBetween(data[key], value, [key])) now = edited(now, edit, eol)
  return now
}

function edited(text: string, { path, value }: PathEdit, eol: string): string {
  const { data, places } = readJson(text, true)
  const place = places.find((known) => isSame(known.path, path))
  if (value === undefined) return place ? removed(text, places, place) : text
  if (!place) return added(text, data, places, path, value, eol)
  const old = text.slice(place.valueStart, place.valueEnd)
  const isLong = old.includes('\n')
  return text.slice(0, place.valueStart) + valueText(value, text, place.keyStart, isLong, eol) + text.slice(place.valueEnd)
}

function added(text: string, data: Fields, places: readonly Place[], path: Path, value: Json, eol: string): string {
  const holder = path.slice(0, -1)
  const siblings = places.filter((place) => place.path.length === path.length && isSame(place.path.slice(0, -1), holder))
  const last = siblings.at(-1)
  if (!last) {
    const object = { [String(path.at(-1))]: value }
    if (holder.length > 0) return edited(text, { path: holder, value: object }, eol)
    return text.includes('{')
      ? text.replace(/\{\s*\}/, () => spread(object, eol))
      : spread(applied(data, { path, value }), eol) + eol
  }
  const before = siblings.at(-2)
  const gap = before
    ? text.slice(before.valueEnd, last.keyStart)
    : `,${text.slice(trimEnd(text.slice(0, last.keyStart), SPACE).length, last.keyStart)}`
  const colon = /"\s*:\s*$/.exec(text.slice(last.keyStart, last.valueStart))?.[0].slice(1) ?? ': '
  const entry = JSON.stringify(String(path.at(-1))) + colon + valueText(value, text, last.keyStart, gap.includes('\n'), eol)
  return text.slice(0, last.valueEnd) + gap + entry + text.slice(last.valueEnd)
}

function removed(text: string, places: readonly Place[], place: Place): string {
  const holder = place.path.slice(0, -1)
  const siblings = places.filter(({ path }) => path.length === place.path.length && isSame(path.slice(0, -1), holder))
  const i = siblings.indexOf(place)
  const next = siblings[i + 1]
  if (next) return text.slice(0, place.keyStart) + text.slice(next.keyStart)
  return text.slice(0, siblings[i - 1]?.valueEnd ?? place.keyStart) + text.slice(place.valueEnd)
}

function spread(value: Json, eol: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', eol)
}

/** A value over several lines, indented as the line its key is on, or on one line. */
function valueText(value: Json, text: string, keyStart: number, isLong: boolean, eol: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (!isLong) return oneLine(value)
  const line = text.slice(text.lastIndexOf('\n', keyStart - 1) + 1, keyStart)
  const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
  const step = indent.startsWith('\t') ? '\t' : 2
  return JSON.stringify(value, null, step).replaceAll('\n', eol + indent)
}

function oneLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const pairs = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${oneLine(item)}`)
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** Returns whether two paths lead to the same place. */
export function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, i) => step === b[i])
}
