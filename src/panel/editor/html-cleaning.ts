/** Elements whose content is no text. */
const DROPPED = /^(?:script|style)$/i

/** Attributes that a document under a Content-Security-Policy reports, even one that is only parsed. */
const REPORTED = /([\s"'/])(style|on\w+)(?=\s*=)/gi

/**
 * Returns HTML in which `style=` and `on…=` are called `data-style=` and `data-on…=`, without scripts and sheets, so that it can be
 * parsed under the panel's policy. Reads it once.
 */
export function withoutStyles(html: string): string {
  let [cleaned, at] = ['', 0]
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? -1 : endOfTag(html, open)
    if (end < 0) return cleaned + (open < 0 ? html.slice(at) : html.slice(at, open))
    const tag = html.slice(open, end)
    const [, name = ''] = /^<([a-z][\w:-]*)/i.exec(tag) ?? []
    cleaned += html.slice(at, open)
    if (DROPPED.test(name)) at = endOfElement(html, end, name)
    else {
      cleaned += name === '' ? tag : tag.replaceAll(REPORTED, '$1data-$2')
      at = end
    }
  }
  return cleaned
}

/** The position after the tag that begins at one; -1 where it does not end. */
function endOfTag(html: string, open: number): number {
  if (html.startsWith('<!--', open)) return after(html, '-->', open)
  if (!/[a-z/!?]/i.test(html[open + 1] ?? '')) return open + 1
  for (let at = open; at < html.length; at++) {
    const character = html[at] ?? ''
    if (character === '>') return at + 1
    if (character !== '"' && character !== "'") continue
    const close = html.indexOf(character, at + 1)
    if (close < 0) return -1
    at = close
  }
  return -1
}

function endOfElement(html: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}[^>]*>`, 'gi')
  closing.lastIndex = from
  return closing.test(html) ? closing.lastIndex : html.length
}

function after(html: string, word: string, from: number): number {
  const at = html.indexOf(word, from)
  return at < 0 ? -1 : at + word.length
}
