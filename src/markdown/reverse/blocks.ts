import { append } from '#lib/append.ts'
import { type Element, hasClass, readHtml, textIn } from './html-tree.ts'
import { asLine, asParagraph, inlineText, type Resolve } from './inline.ts'

type Node = Element | string

/** Elements that stand in a line, among words. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo br cite code data del dfn em i img input ins kbd mark picture q rb rp rt ruby s samp small span strike strong sub sup time u var video audio wbr'.split(
    ' ',
  ),
)
const NOTE = /^fn-(\d+)$/

/**
 * Returns Markdown of HTML as Quire writes it, with the words of it and no others; undefined where it is any other (see
 * `readHtml`). `resolve` gives the addresses of links and pictures.
 */
export function markdownOf(html: string, resolve: Resolve): string | undefined {
  const root = readHtml(html)
  return root && blocksOf(root.children, resolve).join('\n\n')
}

function blocksOf(nodes: readonly Node[], resolve: Resolve): string[] {
  const blocks: string[] = []
  let line: Node[] = []
  const end = () => {
    const text = asParagraph(inlineText(line, resolve))
    if (text !== '') blocks.push(text)
    line = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || isInline(node)) {
      line.push(node)
      continue
    }
    end()
    append(
      blocks,
      blockOf(node, resolve).filter((block) => block.trim() !== ''),
    )
  }
  end()
  return blocks
}

/** A formula of its own may be either; a link around blocks is one. */
function isInline({ tag, children }: Element): boolean {
  return INLINE.has(tag) && children.every((child) => typeof child === 'string' || isInline(child))
}

function blockOf(element: Element, resolve: Resolve): string[] {
  const { tag, children } = element
  const line = () => asLine(inlineText(children, resolve))
  if (/^h[1-6]$/.test(tag)) return [`${'#'.repeat(Number(tag[1]))} ${line()}`]
  if (tag === 'hr') return ['* * *']
  if (tag === 'pre') return [codeOf(element)]
  if (tag === 'ul' || tag === 'ol') return [listOf(element, resolve)]
  if (tag === 'table') return tableOf(element, resolve)
  if (tag === 'blockquote' || hasClass(element, 'box')) return [indented(blocksOf(children, resolve).join('\n\n'), '> ', '> ')]
  if (tag === 'summary' || tag === 'dt' || hasClass(element, 'box-title')) return line() === '' ? [] : [`**${line()}**`]
  if (tag === 'dd') return [indented(blocksOf(children, resolve).join('\n\n'), ': ', '  ')]
  if (hasClass(element, 'math')) return [textIn(element)]
  if (hasClass(element, 'footnotes')) return children.flatMap((list) => (typeof list === 'string' ? [] : notesOf(list, resolve)))
  return blocksOf(children, resolve)
}

function codeOf(element: Element): string {
  const [code] = element.children
  const named = typeof code === 'object' ? /(?:^| )language-(\S+)/.exec(code.attributes.get('class') ?? '')?.[1] : undefined
  const language = hasClass(element, 'mermaid') ? 'mermaid' : (named ?? '').replaceAll('`', '')
  const text = textIn(element).replace(/\n$/, '')
  const longest = Math.max(2, ...(text.match(/^`+/gm) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function listOf({ tag, attributes, children }: Element, resolve: Resolve): string {
  const items = children.filter((child) => typeof child !== 'string' && child.tag === 'li') as Element[]
  const first = Number(attributes.get('start') ?? 1)
  const made = items.map((item, index) => {
    const mark = tag === 'ol' ? `${first + index}. ` : '- '
    return indented(blocksOf(item.children, resolve).join(isTight(item) ? '\n' : '\n\n'), mark, ' '.repeat(mark.length))
  })
  return made.join(items.every(isTight) ? '\n' : '\n\n')
}

/** An item without paragraphs of its own. */
function isTight({ children }: Element): boolean {
  return children.every((child) => typeof child === 'string' || isInline(child) || child.tag === 'ul' || child.tag === 'ol')
}

function notesOf({ children }: Element, resolve: Resolve): string[] {
  return children.flatMap((item) => {
    const number = typeof item === 'string' ? undefined : NOTE.exec(item.attributes.get('id') ?? '')?.[1]
    if (typeof item === 'string' || number === undefined) return []
    return [indented(blocksOf(item.children, resolve).join('\n\n'), `[^${number}]: `, '    ')]
  })
}

function tableOf(table: Element, resolve: Resolve): string[] {
  const rows = rowsIn(table).map((row) => row.children.filter((cell) => typeof cell !== 'string'))
  const width = Math.max(0, ...rows.map(({ length }) => length))
  const caption = table.children.find((child) => typeof child !== 'string' && child.tag === 'caption') as Element | undefined
  const title = caption ? blocksOf(caption.children, resolve) : []
  if (width === 0) return title
  const cells = rows.map((row) => row.map((cell) => flat(cell, resolve).replace(/\\?\|/g, '\\|')))
  const lines = cells.map((row) => `| ${[...row, ...Array.from({ length: width - row.length }, () => '')].join(' | ')} |`)
  return [...title, [lines[0], `|${' --- |'.repeat(width)}`, ...lines.slice(1)].join('\n')]
}

function rowsIn({ children }: Element): Element[] {
  return children.flatMap((child) => (typeof child === 'string' ? [] : child.tag === 'tr' ? [child] : rowsIn(child)))
}

/** The text of a cell, in one line. */
function flat(cell: Element, resolve: Resolve): string {
  return asLine(blocksOf(cell.children, resolve).join(' '))
}

function indented(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : others) + line)
    .map((line) => line.trimEnd())
    .join('\n')
}
