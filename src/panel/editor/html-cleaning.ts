/** Elements whose content is no text. */
const DROPPED = /^(?:script|style)$/i

/** Attributes that a document under a Content-Security-Policy reports, even one that is only parsed. */
const REPORTED = /([\s"'/])(style|on\w+)(?=\s*=)/gi

/** The most elements within each other: for more of them, browsers take minutes to parse what is half a megabyte. */
const DEEPEST = 500

/** Elements that need no closing tag. */
const OPEN_ENDED: ReadonlySet<string> = new Set(
  'area,base,br,col,colgroup,dd,dt,embed,hr,img,input,li,link,meta,option,p,source,tbody,td,tfoot,th,thead,tr,track,wbr'.split(
    ',',
  ),
)

/** Counts the elements that are open, by name: a tag that closes none of them takes none away. */
class Nesting {
  readonly #open = new Map<string, number>()
  #depth = 0

  /** Returns how many are open after a tag. */
  pass(name: string, isOpening: boolean): number {
    const count = this.#open.get(name) ?? 0
    const step = isOpening ? 1 : count > 0 ? -1 : 0
    if (name === '' || OPEN_ENDED.has(name) || step === 0) return this.#depth
    this.#open.set(name, count + step)
    this.#depth += step
    return this.#depth
  }
}

/**
 * Returns HTML in which `style=` and `on…=` are called `data-style=` and `data-on…=`, without scripts and sheets, so that it can be
 * parsed under the panel's policy; undefined where it is too deep to be parsed in a moment. Reads it once.
 */
export function withoutStyles(html: string): string | undefined {
  const nesting = new Nesting()
  let [cleaned, at] = ['', 0]
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? -1 : endOfTag(html, open)
    if (end < 0) return cleaned + (open < 0 ? html.slice(at) : html.slice(at, open))
    const tag = html.slice(open, end)
    const [, slash = '', name = ''] = /^<(\/?)([a-z][\w:-]*)/i.exec(tag) ?? []
    if (nesting.pass(name.toLowerCase(), slash === '') > DEEPEST) return undefined
    cleaned += html.slice(at, open)
    if (slash === '' && DROPPED.test(name)) {
      at = endOfElement(html, end, name)
      nesting.pass(name.toLowerCase(), false)
    } else {
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

/** The position after the closing tag; of what is not closed, the end. Looks for `</name` and for `>` once each. */
function endOfElement(html: string, from: number, name: string): number {
  const closing = new RegExp(`</${name}`, 'gi')
  closing.lastIndex = from
  const end = closing.test(html) ? after(html, '>', closing.lastIndex) : -1
  return end < 0 ? html.length : end
}

function after(html: string, word: string, from: number): number {
  const at = html.indexOf(word, from)
  return at < 0 ? -1 : at + word.length
}
