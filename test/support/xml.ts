/** An element of XML. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

/** The root of a document; throws where it is not well-formed (XML 1.0). Knows no comments and no CDATA: Quire writes none. */
export function xmlOf(text: string): Element {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) throw new Error('a character that XML can not have')
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const rest = text.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, '')
  for (const [token, close, name = '', given = '', empty] of rest.matchAll(
    /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|[^<]+|</g,
  )) {
    const parent = open.at(-1) as Element
    if (name === '') {
      if (token === '<' || (open.length === 1 && token.trim() !== '')) throw new Error(`${token} is no element`)
      parent.text += decoded(token)
    } else if (close) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends nothing`)
    } else {
      const attributes = [...given.matchAll(/([\w:.-]+)="([^"]*)"/g)].map(([, key, value = '']) => [key, decoded(value)])
      const element: Element = { name, attributes: Object.fromEntries(attributes), children: [], text: '' }
      parent.children.push(element)
      if (!empty) open.push(element)
    }
  }
  if (open.length > 1 || root.children.length !== 1) throw new Error('not one root')
  return root.children[0] as Element
}

/** The children of an element that have a name. */
export function elementsOf({ children }: Element, name: string): Element[] {
  return children.filter((child) => child.name === name)
}

function decoded(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text) || text.includes(']]>')) throw new Error(`${text} has a bare sign`)
  return text.replace(/&(?:lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&amp;': '&' }
