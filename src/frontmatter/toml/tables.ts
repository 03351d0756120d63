import type { Fields, Json } from '#lib/json.ts'
import { isObject } from '../changes.ts'
import type { Path, Place } from '../json/json.ts'
import { lineEnd, lineStart } from '../lines.ts'
import type { Section } from './places.ts'
import { keyText, valueText } from './value-text.ts'

/** A part of a text. */
export interface Run {
  readonly start: number
  readonly end: number
}

/** True where `path` leads to `inner` or into what `inner` is a part of. */
export function isWithin(path: Path, inner: Path): boolean {
  return path.length <= inner.length && path.every((step, i) => step === inner[i])
}

/** The parts of TOML text that say what is at a path: its tables, those that follow each other as one, and its dotted keys elsewhere. */
export function runsOf(text: string, path: Path, places: readonly Place[], sections: readonly Section[]): Run[] {
  return runsWhere(text, (inner) => isWithin(path, inner), places, sections)
}

/** As `runsOf`, of all paths that are meant. Places and sections are in the order of the text. */
export function runsWhere(
  text: string,
  isMeant: (path: Path) => boolean,
  places: readonly Place[],
  sections: readonly Section[],
): Run[] {
  const runs: { start: number; end: number }[] = []
  let isOpen = false
  for (const section of sections) {
    const isOwn = section.path.length > 0 && isMeant(section.path)
    const last = runs.at(-1)
    if (isOwn && isOpen && last) last.end = section.end
    else if (isOwn) runs.push({ start: section.start, end: section.end })
    isOpen = isOwn
  }
  let next = 0
  const dotted = places
    .filter((place) => isMeant(place.path))
    .map((place) => ({ start: lineStart(text, place.keyStart), end: lineEnd(text, place.valueEnd) }))
    .filter(({ start }) => {
      while ((runs[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++
      return start < (runs[next]?.start ?? Number.POSITIVE_INFINITY)
    })
  return [...runs, ...dotted].sort((a, b) => a.start - b.start)
}

/** The text without some parts of it, which are in order. */
export function without(text: string, runs: readonly Run[]): string {
  let at = 0
  let kept = ''
  for (const { start, end } of runs) {
    kept += text.slice(at, start)
    at = end
  }
  return kept + text.slice(at)
}

/** True for a list that can be written as tables. */
export function isTables(value: Json | undefined): value is Fields[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

/** A table or a list of tables with its headers, those inside it among them. `path` has no numbers: a header means the last item of a list. */
export function tablesText(path: readonly string[], value: Fields | Fields[], eol: string): string {
  if (Array.isArray(value)) return value.map((item) => tableText(path, item, ['[[', ']]'], eol)).join('')
  return tableText(path, value, ['[', ']'], eol)
}

function tableText(path: readonly string[], table: Fields, [open, close]: readonly [string, string], eol: string): string {
  const inner: string[] = []
  let text = `${open}${path.map(keyText).join('.')}${close}${eol}`
  for (const [key, value] of Object.entries(table)) {
    if (isTables(value) || isObject(value)) inner.push(tablesText([...path, key], value, eol))
    else text += `${keyText(key)} = ${valueText(value, '', eol)}${eol}`
  }
  return text + inner.join('')
}
