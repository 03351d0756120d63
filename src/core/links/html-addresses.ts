import { trimEnd } from '#lib/text/trim-end.ts'
import { attributeAt, walkTags } from './html-tags.ts'

/** The offsets of an address in a piece of HTML: of a value of `href`, `src` or `poster`, or a candidate of a `srcset`. */
export interface HtmlAddress {
  readonly start: number
  readonly end: number
}

/** The addresses found in a piece of HTML, and its end state: in an unclosed comment, or between tags. */
export interface HtmlScan {
  readonly found: readonly HtmlAddress[]
  readonly inComment: boolean
}

const SINGLE = /^(?:href|src|poster)$/i
const SEVERAL = /^(?:srcset|imagesrcset)$/i
const CANDIDATE = /([\s,]*)(\S*)/y

/** The addresses in raw HTML, as a browser finds them: not those in comments, scripts and the like. Linear in its length. */
export function htmlAddresses(html: string): HtmlScan {
  const found: HtmlAddress[] = []
  const inComment = walkTags(html, (_, from) => pastAttributes(html, from, found))
  return { found, inComment }
}

function pastAttributes(html: string, from: number, found: HtmlAddress[]): number {
  let at = from
  for (let next = attributeAt(html, at); next; next = attributeAt(html, at)) {
    at = next.end
    const { name, value, valueEnd } = next
    if (value === undefined) continue
    const start = valueEnd - value.length
    if (SINGLE.test(name)) found.push({ start, end: valueEnd })
    else if (SEVERAL.test(name)) for (const one of candidates(value)) found.push(moved(one, start))
  }
  return at
}

/** The addresses of a `srcset` (HTML 4.8.4.2.1): what stands behind each, as `2x`, ends with a comma. */
function* candidates(text: string): Generator<HtmlAddress> {
  for (let at = 0; at < text.length; ) {
    CANDIDATE.lastIndex = at
    const [whole = '', before = '', word = ''] = CANDIDATE.exec(text) ?? []
    if (word === '') return
    const start = at + before.length
    const end = start + trimEnd(word, ',').length
    if (end > start) yield { start, end }
    const comma = end < start + word.length ? start + word.length : text.indexOf(',', at + whole.length)
    if (comma < 0) return
    at = comma
  }
}

function moved({ start, end }: HtmlAddress, by: number): HtmlAddress {
  return { start: start + by, end: end + by }
}
