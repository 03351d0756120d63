import type { Key } from '../key.ts'
import { lastSegment } from '../key.ts'

const ATX = /^ {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/

/** The text of a Markdown body's first heading without its marks, or undefined where it has none. */
export function firstHeading(body: string): string | undefined {
  let fence = ''
  let before = ''
  for (const line of lines(body)) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
      continue
    }
    fence = mark ?? ''
    const heading = ATX.exec(line)?.[1] ?? (before !== '' && UNDERLINE.test(line) ? before : '')
    const text = mark ? '' : unmarked(heading)
    if (text !== '') return text
    before = mark || /^(?: {4}|\t|[ ]{0,3}[>|*+-])/.test(line) ? '' : line.trim()
  }
  return undefined
}

/** Lines one by one: a long body whose heading is its first line is not cut up whole. */
function* lines(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    yield text.slice(at, end < 0 ? text.length : end)
    at = end < 0 ? text.length : end + 1
  }
}

/** Inline Markdown as the words it shows. */
function unmarked(text: string): string {
  return text
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
 * The title of a record whose file says none, by the last part of its id: lower-case words joined by `-` or `_` as words that begin with a capital, without
 * a date before them; any other name as it is.
 */
export function nameOf(key: Key): string {
  const name = lastSegment(key.id)
  const undated = name.replace(DATED, '')
  if (!WORDS.test(undated) || !/\p{L}/u.test(undated)) return name
  const words = undated.replace(/[-_]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
