import { isDeepStrictEqual } from 'node:util'
import { Conflict } from '#lib/errors.ts'
import type { Fields, Json } from '#lib/json.ts'
import { applied, changesBetween, isObject, type PathEdit, valueAt } from '../changes.ts'
import type { Path, Place } from '../json/json.ts'
import { isSame } from '../json/splice.ts'
import { ended, lineEnd, lineStart } from '../lines.ts'
import { type Section, tomlPlaces } from './places.ts'
import { isTables, isWithin, runsOf, runsWhere, tablesText, without } from './tables.ts'
import { keyText, valueText } from './value-text.ts'

/** Each edit reads all of the text again: over so many edits times characters a value is written whole. */
const MOST_WORK = 512 * 1024

/** Sets a top-level key of TOML text (undefined removes it), touching its lines alone. Throws Conflict where that can't be told from the text. */
export function spliceToml(text: string, data: Readonly<Fields>, key: string, value: Json | undefined, eol: string): string {
  const small = changesBetween(data[key], value, [key])
  return allEdited(text, { ...data }, isMuch(small, text) ? [{ path: [key], value }] : small, eol)
}

function isMuch(edits: readonly PathEdit[], text: string): boolean {
  return edits.length > 1 && edits.length * text.length > MOST_WORK
}

function allEdited(text: string, data: Fields, edits: readonly PathEdit[], eol: string): string {
  let now = text
  let held = data
  for (const edit of edits) {
    now = edited(now, held, edit, eol)
    held = applied(held, edit)
  }
  return now
}

/** A text, what it holds, and what is where in it. */
interface Toml {
  readonly text: string
  readonly held: Fields
  readonly places: readonly Place[]
  readonly sections: readonly Section[]
  readonly eol: string
}

function edited(text: string, held: Fields, edit: PathEdit, eol: string): string {
  const { path, value } = edit
  const { places, sections } = tomlPlaces(text)
  const toml: Toml = { text, held, places, sections, eol }
  const place = places.find((known) => isSame(known.path, path))
  if (place && value !== undefined) {
    const old = text.slice(place.valueStart, place.valueEnd)
    return text.slice(0, place.valueStart) + valueText(value, old, eol) + text.slice(place.valueEnd)
  }
  const inline = places.find((known) => isWithin(known.path, path) && known.path.length < path.length)
  if (inline) return edited(text, held, { path: inline.path, value: valueAt(applied(held, edit), inline.path) }, eol)
  const old = valueAt(held, path)
  if (old === undefined) return value === undefined ? text : added(toml, path, value)
  const runs = runsOf(text, path, places, sections)
  const [first] = runs
  if (!first) throw refusal(path)
  if (value === undefined) return without(text, runs)
  const list = isTables(old) && isTables(value) ? listEdited(toml, path, old, value) : undefined
  if (list !== undefined) return list
  const isItem = typeof path.at(-1) === 'number'
  const isTable = sections.some((known) => known.path.length > 0 && isWithin(path, known.path) && known.start === first.start)
  if (isTable && (isObject(value) || (isTables(value) && !isItem))) {
    const tables = tablesText(headerOf(path), isItem && isObject(value) ? [value] : value, eol)
    return text.slice(0, first.start) + tables + without(text.slice(first.end), shifted(runs, first.end))
  }
  if (isItem) return edited(text, held, { path: path.slice(0, -1), value: valueAt(applied(held, edit), path.slice(0, -1)) }, eol)
  return edited(without(text, runs), applied(held, { path, value: undefined }), edit, eol)
}

function shifted(runs: readonly { start: number; end: number }[], by: number): { start: number; end: number }[] {
  return runs.slice(1).map(({ start, end }) => ({ start: start - by, end: end - by }))
}

/** A value where there is none: among the keys of its table, after its dotted siblings, or in a table of its own before those inside it. */
function added({ text, held, sections, places, eol }: Toml, path: Path, value: Json): string {
  const holder = path.slice(0, -1)
  const entry = (keys: Path) => `${keys.map((key) => keyText(String(key))).join('.')} = ${valueText(value, '', eol)}${eol}`
  const insert = (at: number, line: string) => ended(text.slice(0, at), eol) + line + text.slice(at)
  const section = sections.findLast((known) => isSame(known.path, holder))
  if (section) return insert(section.path.length === 0 ? topEnd(text, sections) : section.end, entry(path.slice(-1)))
  const sibling = places.findLast(
    (place) => isWithin(holder, place.path) && sectionOf(place, sections).path.length < holder.length,
  )
  if (sibling) return insert(lineEnd(text, sibling.valueEnd), entry(path.slice(sectionOf(sibling, sections).path.length)))
  const inner = sections.find((known) => known.path.length > 0 && isWithin(holder, known.path))
  if (inner) return insert(inner.start, `[${headerOf(holder).map(keyText).join('.')}]${eol}${entry(path.slice(-1))}`)
  if (holder.length === 0 || valueAt(held, holder) !== undefined) throw refusal(path)
  return added({ text, held, sections, places, eol }, holder, { [String(path.at(-1))]: value })
}

/** A header means the last table of each list it goes through: it has no numbers. */
function headerOf(path: Path): string[] {
  return path.filter((step) => typeof step === 'string')
}

function sectionOf(place: Place, sections: readonly Section[]): Section {
  return sections.findLast(({ start }) => start <= place.keyStart) ?? { path: [], start: 0, end: 0 }
}

/** A list of tables: those that stay are not touched, those that come and go do so where the others end. Undefined where that is too much at once. */
function listEdited({ text, held, eol }: Toml, path: Path, old: readonly Fields[], list: readonly Fields[]): string | undefined {
  const least = Math.min(old.length, list.length)
  let before = 0
  while (before < least && isDeepStrictEqual(old[before], list[before])) before++
  let after = 0
  while (after < least - before && isDeepStrictEqual(old.at(-1 - after), list.at(-1 - after))) after++
  const common = least - after
  const changes = list.slice(before, common).flatMap((item, i) => changesBetween(old[before + i], item, [...path, before + i]))
  if (isMuch(changes, text)) return undefined
  const now = allEdited(text, held, changes, eol)
  const { places, sections } = tomlPlaces(now)
  const isGone = (inner: Path) => isWithin(path, inner) && isBetween(inner[path.length], common, old.length - after)
  const gone = runsWhere(now, isGone, places, sections)
  if (gone.length > 0) return without(now, gone)
  const fresh = list.slice(common, list.length - after)
  if (fresh.length === 0) return now
  const last = sections.findLast((known) => isWithin([...path, common - 1], known.path))
  const first = sections.find((known) => isWithin([...path, 0], known.path))
  const at = last?.end ?? first?.start
  if (at === undefined) throw refusal(path)
  const gap = isSetOff(now, sections, path) ? eol : ''
  const texts = fresh.map((item) => tablesText(headerOf(path), [item], eol))
  const block = last ? texts.map((item) => gap + item).join('') : texts.map((item) => item + gap).join('')
  return ended(now.slice(0, at), eol) + block + now.slice(at)
}

function isBetween(step: string | number | undefined, from: number, to: number): boolean {
  return typeof step === 'number' && step >= from && step < to
}

/** Returns whether each table of a list has an empty line before it. */
function isSetOff(text: string, sections: readonly Section[], path: Path): boolean {
  const items = sections.filter((known) => known.path.length === path.length + 1 && isWithin(path, known.path))
  return (
    items.length > 0 &&
    items.every(({ start }, i) => (i === 0 && items.length > 1) || /\n\r?\n$/.test(text.slice(Math.max(0, start - 3), start)))
  )
}

/**
 * Returns the offset at which a top-level key can be added: after the last one, or before the first table and the comments right
 * above it.
 */
function topEnd(text: string, sections: readonly Section[]): number {
  const [top, first] = sections
  if (!first) return text.length
  if (top && top.end > 0) return top.end
  let at = lineStart(text, first.start)
  while (at > 0 && /^[ \t]*#/.test(text.slice(lineStart(text, at - 1), at))) at = lineStart(text, at - 1)
  return at
}

function refusal(path: Path): Conflict {
  const message = `"${path[0]}" can't be changed safely in the way this TOML front matter is written.`
  return new Conflict(message, undefined, 'Change it in the file itself.')
}
