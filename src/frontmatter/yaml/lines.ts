import { isDeepStrictEqual } from 'node:util'
import type { Fields, Json } from '#lib/json.ts'
import { ended } from '../lines.ts'
import { marksIn } from './bounds.ts'
import { keyAt } from './fast-flow.ts'
import { readFast } from './fast-yaml.ts'
import { flowText, type Look, NEW_LOOK, pairLines, type Quote } from './text.ts'

/** Tokens times edits above which `yaml` would take over 100 ms: it parses all of the text for each edit, and again for what came out. */
const MOST_WORK = 20_000

/** A sign that may begin a remark, and a character that begins none. */
const REMARK = /(?<=^|\s)#/
const STAND_IN = '\ue000'

/** True where the text is too long for so many edits by the whole parser. */
export function isLongFor(text: string, edits: number): boolean {
  const most = Math.floor(MOST_WORK / (2 * edits + 2))
  return text.length > most && marksIn(text, most).count > most
}

/**
 * YAML text with top-level keys set (undefined: removed), by lines alone: what stands after each key is written anew in its style. `wanted` is what it
 * then holds. Undefined where that is not sure, or a remark stands among the lines.
 */
export function spliceLines(
  text: string,
  edits: ReadonlyMap<string, Json | undefined>,
  wanted: Readonly<Fields>,
  eol: string,
): string | undefined {
  const left = new Map(edits)
  const parts: string[] = []
  let at = 0
  for (const { key, start, keyEnd, end } of entriesOf(text)) {
    if (!left.has(key)) continue
    const value = left.get(key)
    left.delete(key)
    const old = text.slice(keyEnd, end)
    if (REMARK.test(old) && mayHaveRemarks(text.slice(start, end))) return undefined
    parts.push(
      text.slice(at, start),
      value === undefined ? '' : ended(text.slice(start, keyEnd) + written(key, value, old, eol), eol),
    )
    at = end
  }
  const rest = text.slice(at)
  const added = [...left].flatMap(([key, value]) => (value === undefined ? [] : pairLines({ [key]: value }, 0, NEW_LOOK)))
  const made = parts.join('') + (added.length > 0 ? ended(rest, eol) : rest) + added.map((line) => line + eol).join('')
  return isDeepStrictEqual(readFast(made), wanted) ? made : undefined
}

/**
 * Returns whether an entry may have remarks. A `#` in quotes or in a block of text is none: with another character in its place
 * all else is read as before.
 */
function mayHaveRemarks(entry: string): boolean {
  if (entry.includes(STAND_IN)) return true
  const [own, other] = [readFast(entry), readFast(entry.replaceAll(new RegExp(REMARK, 'g'), STAND_IN))]
  return !own || !other || JSON.stringify(other).replaceAll(STAND_IN, '#') !== JSON.stringify(own)
}

/** A key at the beginning of a line, with what belongs to it: up to the remarks and blank lines before the next key. */
interface Entry {
  readonly key: string
  readonly start: number
  readonly keyEnd: number
  readonly end: number
}

function entriesOf(text: string): Entry[] {
  const entries: Entry[] = []
  let open: { key: string; start: number; keyEnd: number } | undefined
  let end = 0
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const next = newline < 0 ? text.length : newline + 1
    const first = text.charCodeAt(at)
    const isOther = first === 10 || first === 13 || first === 35
    const key = first === 32 || first === 45 || isOther ? undefined : keyAt(text, at, lineEnd(text, at, next))
    if (key) {
      if (open) entries.push({ ...open, end })
      open = { key: key.name, start: at, keyEnd: key.end }
    }
    if (!isOther) end = next
    at = next
  }
  if (open) entries.push({ ...open, end })
  return entries
}

/** Returns the end of a line's text. `next` is the start of the next line. */
function lineEnd(text: string, at: number, next: number): number {
  let end = next
  while (end > at && (text.charCodeAt(end - 1) === 10 || text.charCodeAt(end - 1) === 13)) end--
  return end
}

/** Returns the text after the colon of a key, in the style of the old text. */
function written(key: string, value: Json, old: string, eol: string): string {
  const inline = old.trimStart()
  const first = inline.charAt(0)
  if ((first === '[' || first === '{') && typeof value === 'object' && value !== null) return ` ${flowText(value, 'plain')}`
  const quote: Quote = first === '"' ? 'double' : first === "'" ? 'single' : 'plain'
  const dash = /^[ \r]*\n( *)- /.exec(old)?.[1]?.length
  const look: Look = { ...NEW_LOOK, quote, ...(dash !== undefined && { dash }) }
  const [line = '', ...below] = pairLines({ [key]: value }, 0, look)
  return [line.slice(keyAt(line, 0, line.length)?.end ?? 0), ...below].join(eol)
}
