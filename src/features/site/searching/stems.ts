import type { Analyser } from '#fulltext/analysis/analyser.ts'
import type { SearchText } from '#fulltext/segments/search-text.ts'
import { plainText } from '#fulltext/text/plain-text.ts'
import { composed } from '#lib/text/normal-form.ts'
import { digitOf, levelOf } from './posting-code.ts'

/** A page as a browser's search knows it. */
export interface PageWords {
  /** Its stems without those of stop words, each after the character of its level (see `levelOf`), with spaces between. */
  readonly words: string
  /** The beginning of its text, for excerpts. */
  readonly text: string
}

/** Bytes of UTF-8 of the text that is kept for excerpts: ten of them are to be fetched quickly. */
const KEPT_TEXT = 3_000
/** Units of a text that are read: what is further on is not found. */
const LONGEST = 1024 * 1024
const FIELDS = 3

/** Reads a page; its text is the first part of the body, its words are those of all. */
export function wordsOf({ title, tags, body }: SearchText, analyser: Analyser): PageWords {
  const texts = body.map((part) => plainText(part).slice(0, LONGEST))
  const counts = new Map<string, number[]>()
  const lengths = [[title], tags, texts].map((field, nth) => {
    let length = 0
    for (const text of field) {
      analyser.read(composed(text), ({ stem }) => {
        if (stem === '') return
        length++
        const count = counts.get(stem) ?? new Array<number>(FIELDS).fill(0)
        counts.set(stem, count)
        count[nth] = (count[nth] ?? 0) + 1
      })
    }
    return length
  })
  const words = [...counts].map(([stem, count]) => digitOf(levelOf(count, lengths)) + stem)
  return { words: words.join(' '), text: beginningOf(texts[0] ?? '') }
}

/** The beginning of a text on one line, cut at a space where there is one near. */
function beginningOf(text: string): string {
  const line = composed(text.slice(0, KEPT_TEXT * 2))
    .replace(/\s+/g, ' ')
    .trim()
  const bytes = Buffer.from(line)
  if (bytes.length <= KEPT_TEXT) return line
  // A character that is cut is left out.
  const part = new TextDecoder().decode(bytes.subarray(0, KEPT_TEXT), { stream: true })
  const end = part.lastIndexOf(' ')
  return end > part.length / 2 ? part.slice(0, end) : part
}
