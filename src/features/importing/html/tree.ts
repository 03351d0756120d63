import { Parser } from 'htmlparser2'
import { withoutDepths } from '#lib/text/html-depths.ts'

/** An element of HTML, with its attributes by names in small letters. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Node[]
}

/** A part of HTML: an element, or a text whose entities are read. */
export type Node = Element | string

/** The depth at which what lies deeper is put, so that no text is lost and no walk goes too deep. */
const DEEPEST = 100

/** Elements whose text no reader sees. */
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'head', 'title'])

/** Reads HTML as a tree, without comments, scripts and styles. Never throws; linear in the length. */
export function parseHtml(html: string): Node[] {
  const root: Element = { name: '', attributes: {}, children: [] }
  const open: Element[] = [root]
  let unseen = 0
  let deeper = 0
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (UNSEEN.has(name)) unseen++
        if (unseen > 0) return
        if (open.length > DEEPEST) {
          deeper++
          return
        }
        const element: Element = { name, attributes, children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      ontext: (text) => {
        if (unseen > 0) return
        const children = open.at(-1)?.children ?? root.children
        const last = children.at(-1)
        if (typeof last === 'string') children[children.length - 1] = last + text
        else children.push(text)
      },
      onclosetag: (name) => {
        if (UNSEEN.has(name) && unseen > 0) unseen--
        else if (unseen > 0) return
        else if (deeper > 0) deeper--
        else if (open.length > 1) open.pop()
      },
    },
    { decodeEntities: true },
  )
  parser.end(withoutDepths(html))
  return root.children
}

/** Returns the text of nodes as it is, line ends among it. */
export function textIn(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : node.name === 'br' ? '\n' : textIn(node.children))).join('')
}

/** Returns the first element of a name in nodes, at any depth. */
export function firstOf(nodes: readonly Node[], name: string): Element | undefined {
  for (const node of nodes) {
    if (typeof node === 'string') continue
    const found = node.name === name ? node : firstOf(node.children, name)
    if (found) return found
  }
  return undefined
}
