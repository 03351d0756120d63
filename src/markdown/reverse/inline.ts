import { type Element, hasClass, textIn } from './html-tree.ts'

/** Returns the address that a link or a picture has in the text. */
export type Resolve = (href: string) => string

type Node = Element | string

const MARKS: Readonly<Record<string, string>> = {
  ...{ strong: '**', b: '**', em: '*', i: '*', cite: '*', del: '~~', s: '~~', strike: '~~', mark: '==' },
}
const SIGNS = /[\\`*_[\]<>$]|~~|==|!$|&(?=[a-z0-9#]+;)/gi
/** Matches signs that begin a block at the beginning of a line. */
const BEGINS = /^(\s*)(#{1,6}(?=\s|$)|[-+:](?=\s|$)|[-=]+\s*$|:::|~~~|\||\d{1,9}(?=[.)](?:\s|$)))/
const SPACES = /[ \t\n\r\f]+/g

/** The Markdown of what stands in a line. */
export function inlineText(nodes: readonly Node[], resolve: Resolve): string {
  return nodes.map((node) => (typeof node === 'string' ? escaped(node.replace(SPACES, ' ')) : inlineOf(node, resolve))).join('')
}

/** A line of Markdown that begins no block. */
export function asParagraph(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .map((line) => line.replace(BEGINS, (_, space: string, sign: string) => space + guarded(sign)))
    .join('\n')
    .trim()
}

/** A line without a break in it. */
export function asLine(text: string): string {
  return text.replace(/\\?\n/g, ' ').replace(SPACES, ' ').trim()
}

function guarded(sign: string): string {
  return /^\d/.test(sign) ? `${sign}\\` : `\\${sign}`
}

/** A text in whose line nothing is a mark. */
export function escaped(text: string): string {
  return text.replace(SIGNS, (sign) => `\\${[...sign].join('\\')}`)
}

function inlineOf(element: Element, resolve: Resolve): string {
  const { tag, attributes, children } = element
  if (tag === 'br') return '\\\n'
  if (tag === 'input') return attributes.has('checked') ? '[x]' : '[ ]'
  if (tag === 'img') return pictureOf(attributes, resolve)
  if (tag === 'code' || tag === 'kbd' || tag === 'samp') return codeOf(textIn(element))
  if (tag === 'a') return linkOf(element, resolve)
  if (tag === 'q') return `“${inlineText(children, resolve)}”`
  if (tag === 'video' || tag === 'audio') return mediaOf(element, resolve)
  if (hasClass(element, 'math')) return textIn(element).replace(SPACES, ' ')
  if (hasClass(element, 'footnote-ref')) return `[^${textIn(element)}]`
  const mark = MARKS[tag]
  const text = inlineText(children, resolve)
  return mark === undefined ? text : marked(text, mark)
}

/** Marks stand at words: spaces within go out of them. */
function marked(text: string, mark: string): string {
  const inner = text.trim()
  const start = text.indexOf(inner)
  return inner === '' ? text : text.slice(0, start) + mark + inner + mark + text.slice(start + inner.length)
}

function linkOf(element: Element, resolve: Resolve): string {
  if (hasClass(element, 'anchor') || hasClass(element, 'footnote-back')) return ''
  const href = element.attributes.get('href')
  const text = inlineText(element.children, resolve)
  return href === undefined || text.trim() === '' ? text : `[${text.trim()}](${addressed(resolve(href))})`
}

function pictureOf(attributes: Element['attributes'], resolve: Resolve): string {
  const src = attributes.get('src') ?? ''
  const alt = escaped((attributes.get('alt') ?? '').replace(SPACES, ' ').trim())
  return src === '' || /^data:/i.test(src) ? alt : `![${alt}](${addressed(resolve(src))})`
}

function mediaOf({ attributes, children }: Element, resolve: Resolve): string {
  const sources = children.flatMap((child) => (typeof child === 'string' ? [] : (child.attributes.get('src') ?? [])))
  const src = attributes.get('src') ?? sources[0]
  if (src === undefined) return ''
  const address = resolve(src)
  return `[${escaped(address.slice(address.lastIndexOf('/') + 1))}](${addressed(address)})`
}

function addressed(href: string): string {
  return href.replace(/[\s()<>\\]/g, (sign) => (sign === '(' ? '%28' : sign === ')' ? '%29' : encodeURIComponent(sign)))
}

function codeOf(text: string): string {
  const line = text.replace(SPACES, ' ')
  if (line.trim() === '') return line
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const space = /^[`\s]|[`\s]$/.test(line) ? ' ' : ''
  return fence + space + line + space + fence
}
