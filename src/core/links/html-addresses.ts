/** The offsets of a value of `href` or `src` in a piece of HTML, between its quotes. */
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
const NAME = /[a-z][a-z0-9-]*/iy
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
    if (value === undefined || !/^(?:href|src)$/i.test(name)) continue
    const end = bare === undefined ? at - 1 : at
    found.push({ start: end - value.length, end })
  }
}

/** After the text of an element that holds no tags. */
function pastText(html: string, from: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi')
  close.lastIndex = from
  const match = close.exec(html)
  return match ? match.index : html.length
}
