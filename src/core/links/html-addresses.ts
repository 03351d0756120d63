import { trimEnd } from '#lib/trim-end.ts'

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

const RAW = /^(?:script|style|textarea|title|xmp|template|iframe|noembed|noframes|plaintext)$/i
const SINGLE = /^(?:href|src|poster)$/i
const SEVERAL = /^(?:srcset|imagesrcset)$/i
const NAME = /[a-z][a-z0-9-]*/iy
const CANDIDATE = /([\s,]*)(\S*)/y
const ATTRIBUTE = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y

/** The addresses in raw HTML, as a browser finds them: not those in comments, scripts and the like. Linear in its length. */
export function htmlAddresses(html: string): HtmlScan {
  const found: HtmlAddress[] = []
  let at = html.indexOf('<')
  while (at >= 0) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4)
      if (end < 0) return { found, inComment: true }
      at = html.indexOf('<', end + 3)
      continue
    }
    NAME.lastIndex = at + 1
    const name = NAME.exec(html)?.[0]
    if (name === undefined) {
      at = html.indexOf('<', at + 1)
      continue
    }
    const end = pastAttributes(html, NAME.lastIndex, found)
    at = html.indexOf('<', RAW.test(name) ? pastText(html, end, name) : end)
  }
  return { found, inComment: false }
}

function pastAttributes(html: string, from: number, found: HtmlAddress[]): number {
  let at = from
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const match = ATTRIBUTE.exec(html)
    if (!match) return at
    at = ATTRIBUTE.lastIndex
    const [, name = '', double, single, bare] = match
    const value = double ?? single ?? bare
    if (value === undefined) continue
    const end = bare === undefined ? at - 1 : at
    if (SINGLE.test(name)) found.push({ start: end - value.length, end })
    else if (SEVERAL.test(name)) for (const one of candidates(value)) found.push(moved(one, end - value.length))
  }
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

/** After the text of an element that holds no tags. */
function pastText(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  const match = close.exec(html)
  return match ? match.index : html.length
}
