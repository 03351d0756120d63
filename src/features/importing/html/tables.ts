import { inlineOf } from './inline.ts'
import { type Element, type Node, textIn } from './tree.ts'

/** Elements of a cell that a table of Markdown has no place for. */
const TOO_MUCH: ReadonlySet<string> = new Set([
  'ul',
  'ol',
  'pre',
  'blockquote',
  'table',
  'hr',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])

/** Returns a table of Markdown below its caption; where cells hold blocks, or go over several, their contents one after the other. */
export function tableOf(table: Element, blocksOf: (nodes: readonly Node[]) => string): string {
  const captions = table.children.filter((one) => typeof one !== 'string' && one.name === 'caption')
  return [...captions.map((one) => blocksOf([one])), rowsAsBlocks(table, blocksOf)].filter(Boolean).join('\n\n')
}

function rowsAsBlocks(table: Element, blocksOf: (nodes: readonly Node[]) => string): string {
  const rows = rowsOf(table.children)
  const cells = rows.flat()
  const isPlain = cells.every(({ attributes, children }) => !attributes.colspan && !attributes.rowspan && !holds(children))
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0)
  // One long row would make all others as long.
  const isEven = width * rows.length <= 4 * cells.length + 1000
  if (!isPlain || !isEven || rows.length === 0)
    return cells
      .map(({ children }) => blocksOf(children))
      .filter(Boolean)
      .join('\n\n')
  const isHeaded = rows[0]?.every(({ name }) => name === 'th') === true
  const lines = rows.map((row) => lineOf([...Array(width).keys()].map((n) => (row[n] ? cellText(row[n].children) : ''))))
  const head = isHeaded ? [lines[0] ?? ''] : [lineOf(Array(width).fill(''))]
  return [...head, lineOf(Array(width).fill('---')), ...(isHeaded ? lines.slice(1) : lines)].join('\n')
}

function rowsOf(nodes: readonly Node[]): Element[][] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string') return []
    if (node.name !== 'tr') return ['thead', 'tbody', 'tfoot'].includes(node.name) ? rowsOf(node.children) : []
    const cells = node.children.filter((cell): cell is Element => typeof cell !== 'string' && /^t[dh]$/.test(cell.name))
    return cells.length > 0 ? [cells] : []
  })
}

function holds(nodes: readonly Node[]): boolean {
  return nodes.some((node) => typeof node !== 'string' && (TOO_MUCH.has(node.name) || holds(node.children)))
}

function cellText(nodes: readonly Node[]): string {
  const parts = nodes.flatMap((node): Node[] =>
    typeof node !== 'string' && /^(?:p|div)$/.test(node.name) ? [...node.children, ' '] : [node],
  )
  return textIn(parts).trim() === '' && !hasImage(parts)
    ? ''
    : inlineOf(parts, { breaks: false, oneLine: true })
        .trim()
        .replace(/(?<!\\)\|/g, '\\|')
}

function hasImage(nodes: readonly Node[]): boolean {
  return nodes.some((node) => typeof node !== 'string' && (node.name === 'img' || hasImage(node.children)))
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
