import type { Key } from '../key.ts'
import { lastSegment } from '../key.ts'

/** A line with more characters is no heading: to take its marks off takes time with the square of its length. */
const MOST_HEADING = 1000
/** So many headings that show no word are passed over, at most. */
const MOST_EMPTY = 50
/** Any line that begins as a heading is one: a dot that stops at U+2028 would have the rest tried in all ways there are. */
const ATX = /^#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?$/s
const FENCE = /^(?:`{3,}|~{3,})/
const UNDERLINE = /^(?:=+|-+)$/
/** HTML that goes on over empty lines, and what browsers or the cleaning of pages keep from readers. */
const UNSEEN = /<!--|<\?|<!\[CDATA\[|<(script|style|pre|textarea|template|noscript|title|svg|math)(?=[\s>]|$)/iy
const UNSEEN_WITHIN = /<!--.*?-->|<(script|style|textarea|template|noscript|title|svg|math)\b[^>]*>.*?<\/\1\s*>/gis
const CLOSING: Readonly<Record<string, RegExp>> = { '<?': /\?>/g, '<![CDATA[': /\]\]>/g }
/** A shortcode, which may show nothing of what it is around. */
const SHORTCODE = /\{\{<\s{0,20}([\w-]{1,80})(?=[\s>])/y
/** The first of what an underline makes no heading of: code, quotes, rows of tables and items. */
const NO_TEXT = new Set(['', '\t', '>', '|', '*', '+', '-'])

/**
 * A line without the spaces before it: in `text` from `start` up to `end`. `first` is its first character, '' where it is blank
 * or indented as code.
 */
interface Line {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly first: string
}

/**
 * Returns the text of a Markdown body's first heading without its marks, or undefined where it has none. A line of over 1,000
 * characters is no heading. Takes time in proportion to the text.
 */
export function firstHeading(body: string): string | undefined {
  let fence = ''
  let before: Line | undefined
  let left = MOST_EMPTY
  let unseen = 0
  for (const line of lines(body)) {
    if (line.start < unseen) continue
    const mark = line.first === '`' || line.first === '~' ? FENCE.exec(written(line))?.[0] : undefined
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
      continue
    }
    fence = mark ?? ''
    const end = line.first === '<' ? endOfHtml(line) : line.first === '{' ? endOfShortcode(line) : undefined
    if (end === 'none' && --left === 0) return undefined
    if (typeof end === 'number') {
      unseen = end
      before = undefined
      continue
    }
    const heading = headingOf(line, before)
    const text = heading === undefined ? '' : unmarked(heading)
    if (text !== '') return text
    if (heading !== undefined && --left === 0) return undefined
    before = mark || NO_TEXT.has(line.first) ? undefined : line
  }
  return undefined
}

/** Returns the text of the heading that a line makes: its own, or that of the line before if it underlines that. */
function headingOf(line: Line, before: Line | undefined): string | undefined {
  if (line.first === '#') return ATX.exec(written(line).trimEnd())?.[1]
  const isUnderline =
    before !== undefined && (line.first === '=' || line.first === '-') && UNDERLINE.test(written(line).trimEnd())
  return isUnderline ? written(before).trim() : undefined
}

/** The offset behind the HTML that begins with a line and is not read as Markdown; undefined where it begins none. */
function endOfHtml({ text, start }: Line): number | undefined {
  const [mark, element] = matchAt(UNSEEN, text, start) ?? []
  if (mark === undefined) return undefined
  const closing = element === undefined ? (CLOSING[mark] ?? /-->/g) : new RegExp(`</${element}\\s{0,20}>`, 'gi')
  return matchAt(closing, text, start + 2) ? closing.lastIndex : text.length
}

/** The offset behind the text that a shortcode which begins with a line is around; `none` where it is around none. */
function endOfShortcode({ text, start }: Line): number | 'none' | undefined {
  const name = matchAt(SHORTCODE, text, start)?.[1]
  if (name === undefined) return undefined
  const closing = new RegExp(`\\{\\{<\\s{0,20}/\\s{0,20}${name}\\s{0,20}>\\}\\}`, 'g')
  return matchAt(closing, text, start) ? closing.lastIndex : 'none'
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** A line as it is written; '' where it is too long to be looked at. */
function written({ text, start, end }: Line): string {
  return end - start > MOST_HEADING ? '' : text.slice(start, end)
}

/** Lines one by one: a long body whose heading is its first line is not cut up whole. */
function* lines(text: string): Generator<Line> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    let start = at
    while (start < end && text.charCodeAt(start) === 32) start++
    yield { text, start, end, first: start < end && start - at <= 3 ? text.charAt(start) : '' }
    at = end + 1
  }
}

/** Inline Markdown as the words it shows. */
function unmarked(text: string): string {
  return text
    .replace(UNSEEN_WITHIN, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\s*\{#[\w-]+\}$/, '')
    .replace(/(\*\*|__|~~|`+)(.+?)\1/g, '$2')
    .replace(/(^|\W)[*_]([^*_]+)[*_](?=\W|$)/g, '$1$2')
    .replace(/<\/?[a-z][^>]*>/gi, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()
}

const DATED = /^\d{4}-\d{2}-\d{2}[-_](?=.)/
const WORDS = /^[\p{Ll}\p{Lo}\p{M}\p{N}]+(?:[-_]+[\p{Ll}\p{Lo}\p{M}\p{N}]+)*$/u

/**
 * The title of a record whose file says none, by the last part of its id: lower-case words joined by `-` or `_` as words that
 * begin with a capital, without a date before them; any other name as it is.
 */
export function nameOf(key: Key): string {
  const name = lastSegment(key.id)
  const undated = name.replace(DATED, '')
  if (!WORDS.test(undated) || !/\p{L}/u.test(undated)) return name
  const words = undated.replace(/[-_]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
