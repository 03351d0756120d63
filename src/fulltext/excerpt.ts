import { type Analyser, ENOUGH } from './analysis/analyser.ts'
import { cutAt } from './analysis/folding.ts'
import type { Reading } from './reading.ts'

/** Length of a text in UTF-16 units after which the search for a better match ends, once there is one. */
const MOST_READ_ON = 16 * 1024
/** So many stems together are enough. */
const MANY = 4
/** Some thirty words, in UTF-16 units, and what they are at most when what follows them up to a space is taken along. */
const LENGTH = 200
const MOST = 240
/** Maximum number of characters before the first match. */
const BEFORE = 50
/** A character to escape, or white space that is no single space. */
const SPECIAL = /[&<>"']|\s\s|[^\S ]/
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A stretch of a text, from `start` up to `end`. */
interface Stretch {
  readonly start: number
  readonly end: number
}

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

interface Match extends Stretch {
  readonly stem: string
}

/**
 * The stretch of a text where most of the stems are together, as HTML: escaped, what was found in `<mark>`, white space made
 * single spaces, `…` where the text goes on. About 30 words and at most 240 characters of the text, cut between words, and where
 * there are none between characters. Of equals the first; the beginning of the text where nothing matches. It stops looking where
 * four stems are together, or all of them, or where there is a match in the first 16 KiB.
 */
export function excerptOf(reading: Reading, stems: ReadonlySet<string>, analyser: Analyser): string {
  const { text } = reading
  const best = bestOf(reading, stems, analyser)
  const start = best === undefined ? 0 : beginOf(text, best)
  const end = endOf(text, start)
  const goesOn = reading.goesOn || end < text.length
  return `${start > 0 ? '…' : ''}${marked(text, { start, end }, matchesIn(reading, { start, end }, stems, analyser))}${goesOn ? '…' : ''}`
}

/** Returns the offset of the first match of the best stretch. */
function bestOf(reading: Reading, stems: ReadonlySet<string>, analyser: Analyser): number | undefined {
  const enough = Math.min(stems.size, MANY)
  let near: Match[] = []
  let best: number | undefined
  let most = 0
  reading.find(stems, analyser, (stem, start, end) => {
    if (best !== undefined && start > MOST_READ_ON) return ENOUGH
    near = near.filter((match) => match.stem !== stem && match.start > end - (LENGTH - BEFORE))
    near.push({ start, end, stem })
    if (near.length > most) {
      most = near.length
      best = near[0]?.start
    }
    return most >= enough ? ENOUGH : undefined
  })
  return best
}

/**
 * Returns the offset to begin at, so that the first match has words before it and an excerpt at the end of a text is not too
 * short.
 */
function beginOf(text: string, match: number): number {
  const least = Math.min(match - BEFORE, text.length - LENGTH)
  if (least <= 0) return 0
  const before = text.slice(least, match)
  const space = before.search(/\s\S/)
  return space >= 0 ? least + space + 1 : least + firstCut(before)
}

/** Returns the end of a stretch that begins at `from`. */
function endOf(text: string, from: number): number {
  if (text.length - from <= MOST) return text.length
  const limit = from + LENGTH
  const after = text.slice(limit, from + MOST).search(/\s/)
  if (after >= 0) return limit + after
  const part = text.slice(from, limit)
  const kept = part.replace(/\s+\S*$/, '').length
  return from + (kept > LENGTH / 2 && kept < LENGTH ? kept : lastCut(text.slice(from, from + MOST)))
}

/** After the first character of a text, which may be but a part of one. */
function firstCut(text: string): number {
  const [, second] = [...CHARACTERS.segment(text)]
  return second?.index ?? text.length
}

/** The last place up to LENGTH that is between two characters. */
function lastCut(text: string): number {
  let last = 0
  for (const { index } of CHARACTERS.segment(text)) {
    if (index > LENGTH) break
    last = index
  }
  return last > 0 ? last : cutAt(text, LENGTH).length
}

function marked(text: string, { start, end }: Stretch, matches: readonly Stretch[]): string {
  let html = ''
  let at = start
  for (const match of matches) {
    html += `${escaped(text.slice(at, match.start))}<mark>${escaped(text.slice(match.start, match.end))}</mark>`
    at = match.end
  }
  return html + escaped(text.slice(at, end))
}

/** Returns the stretches to highlight. Pairs of characters that overlap or touch are merged into one. */
function matchesIn(reading: Reading, stretch: Stretch, stems: ReadonlySet<string>, analyser: Analyser): Stretch[] {
  const matches: Stretch[] = []
  const take = (_: string, start: number, wordEnd: number) => {
    const end = Math.min(wordEnd, stretch.end)
    const last = matches.at(-1)
    if (last && start <= last.end) matches[matches.length - 1] = { start: last.start, end }
    else matches.push({ start, end })
  }
  reading.find(stems, analyser, take, stretch.start, stretch.end)
  return matches
}

function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text
  return text.replace(/\s+/g, ' ').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
