/** An element of HTML with what is in it. */
export interface Element {
  readonly tag: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: (Element | string)[]
}

/** Elements that have no end. */
const VOID: ReadonlySet<string> = new Set('br hr img input source track col wbr'.split(' '))
/** Elements in which nothing is hidden, and which are read as what they are. */
const KNOWN: ReadonlySet<string> = new Set([
  ...VOID,
  ...'h1 h2 h3 h4 h5 h6 p div span section article aside header footer main nav blockquote q cite pre code kbd samp var'.split(
    ' ',
  ),
  ...'b i em strong small s strike del ins u sub sup mark abbr dfn time data bdi bdo address ul ol li dl dt dd'.split(' '),
  ...'details summary figure figcaption ruby rb rt rp table caption colgroup thead tbody tfoot tr th td'.split(' '),
  ...'a picture video audio'.split(' '),
])
/** Attributes by which an element may be out of sight. */
const HIDING = /^(?:hidden|style)$/
const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [a-z][a-z-]*(?:="[^"<>]*")?)*) ?\/?>/y
const ATTRIBUTE = / ([a-z][a-z-]*)(?:="([^"]*)")?/g
const ENTITY = /&([a-z0-9#]{0,10};?)/gi
const ENTITIES: Readonly<Record<string, string>> = { 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', '#39;': "'", '#34;': '"' }
const DEEPEST = 120

/**
 * Reads HTML as Quire's Markdown and its cleaning write it. Undefined where it is any other: with comments, elements or entities
 * that they do not write, something hidden, or ends without beginnings.
 */
export function readHtml(html: string): Element | undefined {
  const root: Element = { tag: '', attributes: new Map(), children: [] }
  const open = [root]
  for (let at = 0; at < html.length; ) {
    const parent = open.at(-1) ?? root
    if (html[at] !== '<') {
      const end = html.indexOf('<', at)
      const text = decoded(html.slice(at, end < 0 ? undefined : end))
      if (text === undefined) return undefined
      parent.children.push(text)
      at = end < 0 ? html.length : end
      continue
    }
    TAG.lastIndex = at
    const [whole, close, tag = '', rest = ''] = TAG.exec(html) ?? []
    if (whole === undefined || !KNOWN.has(tag)) return undefined
    at += whole.length
    if (close) {
      if (open.length === 1 || open.pop()?.tag !== tag) return undefined
      continue
    }
    const attributes = attributesIn(rest)
    if (!attributes || open.length > DEEPEST) return undefined
    const element: Element = { tag, attributes, children: [] }
    parent.children.push(element)
    if (!VOID.has(tag)) open.push(element)
  }
  return open.length === 1 ? root : undefined
}

/** The text in an element. */
export function textIn({ children }: Element): string {
  return children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('')
}

/** Returns whether an element has a class. */
export function hasClass({ attributes }: Element, name: string): boolean {
  return attributes.get('class')?.split(' ').includes(name) === true
}

function attributesIn(text: string): Map<string, string> | undefined {
  const attributes = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    const plain = decoded(value)
    if (plain === undefined || HIDING.test(name)) return undefined
    attributes.set(name, plain)
  }
  return attributes
}

function decoded(text: string): string | undefined {
  if (!text.includes('&')) return text
  let isKnown = true
  const made = text.replace(ENTITY, (_, name: string) => {
    isKnown &&= Object.hasOwn(ENTITIES, name)
    return ENTITIES[name] ?? ''
  })
  return isKnown ? made : undefined
}
