import { codeSpan, destination, escapedText, titled } from './escaping.ts'
import { type Element, type Node, textIn } from './tree.ts'

/** Elements that stay HTML within a line: Markdown has nothing for them. */
const KEPT: ReadonlySet<string> = new Set([
  'sup',
  'sub',
  'kbd',
  'abbr',
  'mark',
  'small',
  'ins',
  'u',
  'q',
  'cite',
  'dfn',
  'var',
  'samp',
])
const STRONG: ReadonlySet<string> = new Set(['strong', 'b'])
const EMPHASIS: ReadonlySet<string> = new Set(['em', 'i'])
const STRUCK: ReadonlySet<string> = new Set(['del', 's', 'strike'])
const LETTER = /[\p{L}\p{N}]/u

/** The way in which lines are written. */
export interface LineOptions {
  /** True where the end of a line is one for readers, as in old texts of WordPress. */
  readonly breaks: boolean
  /** True where a text has to stay on one line: headings and cells of tables. */
  readonly oneLine?: boolean
}

/** Returns nodes as a line of Markdown, or as several with breaks. */
export function inlineOf(nodes: readonly Node[], options: LineOptions): string {
  const pieces: string[] = []
  let before = ''
  for (const [n, node] of nodes.entries()) {
    const around = { before, after: typeof node === 'string' ? '' : firstSign(nodes, n + 1) }
    const piece = typeof node === 'string' ? textLine(node, options) : elementOf(node, around, options)
    pieces.push(piece)
    before = piece.at(-1) ?? before
  }
  const made = pieces.join('')
  return made.replace(/ {2,}/g, ' ').replace(/ ?(\\\n) ?/g, '$1')
}

function textLine(text: string, { breaks, oneLine }: LineOptions): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/[^\S\n\u00a0]+/g, ' ')
  if (!breaks || oneLine) return escapedText(lines.replace(/ ?\n[ \n]*/g, ' '))
  return lines
    .split(/ ?\n ?/)
    .map(escapedText)
    .join('\\\n')
}

/** Nodes without a text that are looked past for the next sign. */
const MOST_EMPTY = 50

/** The sign that nodes from `start` on begin with; '' where that is far. */
function firstSign(nodes: readonly Node[], start = 0): string {
  for (const node of nodes.slice(start, start + MOST_EMPTY)) {
    const sign = typeof node === 'string' ? node.slice(0, 1) : node.name === 'br' ? ' ' : firstSign(node.children)
    if (sign !== '') return sign
  }
  return ''
}

interface Around {
  readonly before: string
  readonly after: string
}

function elementOf({ name, attributes, children }: Element, around: Around, options: LineOptions): string {
  if (name === 'br') return options.oneLine ? ' ' : '\\\n'
  if (name === 'img') return imageOf(attributes)
  if (name === 'code' || name === 'tt') return codeOf(textIn(children), around, options)
  const inner = inlineOf(children, options)
  if (STRONG.has(name)) return marked('**', 'strong', inner, around)
  if (EMPHASIS.has(name)) return marked('*', 'em', inner, around)
  if (STRUCK.has(name)) return marked('~~', 'del', inner, around)
  if (name === 'a') return linkOf(attributes, inner)
  if (KEPT.has(name) && inner.trim() !== '') return `<${name}>${inner}</${name}>`
  return inner
}

/** Two spans of code side by side would be one, and a bar in one would part cells of a table. */
function codeOf(code: string, { before }: Around, { oneLine }: LineOptions): string {
  const text = code.replace(/\s+/g, ' ').trim()
  const isApart = before === '`' || (oneLine && text.includes('|'))
  return isApart && text !== '' ? `<code>${escapedText(text)}</code>` : codeSpan(code)
}

/** Returns an image of Markdown; '' where it has no address. A caption is its title. */
export function imageOf({ src = '', alt = '', title = '' }: Readonly<Record<string, string>>, caption = title): string {
  return src.trim() === '' ? '' : `![${escapedText(alt.replace(/\s+/g, ' '))}](${destination(src)}${titled(caption)})`
}

function linkOf({ href = '', title = '' }: Readonly<Record<string, string>>, inner: string): string {
  const text = inner.trim()
  if (href.trim() === '' || text === '') return inner
  const [before, after] = [/^\s/.test(inner) ? ' ' : '', /\s$/.test(inner) ? ' ' : '']
  return `${before}[${text.replaceAll('\\\n', ' ')}](${destination(href)}${titled(title)})${after}`
}

/** Signs around a text, its white space outside of them; as HTML where Markdown would not see them. */
function marked(sign: string, tag: string, inner: string, { before, after }: Around): string {
  const text = inner.trim()
  if (text === '') return inner
  const [head, tail] = [/^\s/.test(inner) ? ' ' : '', /\s$/.test(inner) ? ' ' : '']
  const isPlain = LETTER.test(text[0] ?? '') && LETTER.test(text.at(-1) ?? '')
  const isFree = (head !== '' || !/\S/.test(before)) && (tail !== '' || !/\S/.test(after))
  const isClear = !text.startsWith('*') && !text.endsWith('*') && before !== '*' && before !== '~'
  const whole = isClear && (isPlain || isFree) ? `${sign}${text}${sign}` : `<${tag}>${text}</${tag}>`
  return `${head}${whole}${tail}`
}
