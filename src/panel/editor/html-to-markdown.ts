import { withoutStyles } from './html-cleaning.ts'
import { escapeText, fenced, inCode, isBold, isItalic, isPlain, lineStarts, surrounded, wordsOf } from './markdown-text.ts'

const BLOCKS =
  'address,article,aside,blockquote,center,dd,details,dialog,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,h5,h6,header,hr,li,main,nav,ol,p,pre,section,summary,table,ul'
const BLOCK_NAMES: ReadonlySet<string> = new Set(BLOCKS.split(','))
const SILENT: ReadonlySet<string> = new Set(
  'script,style,head,meta,link,title,template,noscript,svg,math,iframe,object,audio,video,canvas,select,textarea'.split(','),
)

/** The most levels of lists, quotes and tables that stay such: each writes the lines of those within it once more. */
const DEEPEST = 12

/** Marks that a text is within already. */
type Within = ReadonlySet<string>
const NOTHING: Within = new Set()

/** Returns HTML of another program as Markdown; what Markdown has no words for becomes its text. Nothing of what is too deep. */
export function htmlToMarkdown(html: string): string {
  const cleaned = withoutStyles(html)
  return cleaned === undefined ? '' : blocksOf(new DOMParser().parseFromString(cleaned, 'text/html').body, 0).join('\n\n')
}

function blocksOf(parent: Element, depth: number): string[] {
  if (depth > DEEPEST) return [lineStarts(wordsOf(escapeText(parent.textContent ?? '')))]
  const blocks: string[] = []
  let run = ''
  const flush = (): void => {
    const text = lineStarts(wordsOf(run))
    if (text !== '') blocks.push(text)
    run = ''
  }
  for (const child of parent.childNodes) {
    if (!isElement(child) || !holdsBlocks(child)) run += inline(child, NOTHING)
    else {
      flush()
      for (const text of block(child, depth)) blocks.push(text)
    }
  }
  flush()
  return blocks
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE
}

function holdsBlocks(element: Element): boolean {
  return BLOCK_NAMES.has(element.localName) || (!SILENT.has(element.localName) && element.querySelector(BLOCKS) !== null)
}

function block(element: Element, depth: number): string[] {
  const name = element.localName
  if (/^h[1-6]$/.test(name)) {
    const words = wordsOf(inlineOf(element, new Set(['**']))).replaceAll(/\\?\n/g, ' ')
    return words === '' ? [] : [`${'#'.repeat(Number(name[1]))} ${words}`]
  }
  if (name === 'hr') return ['---']
  if (name === 'pre') return [fenced(element.textContent ?? '', languageOf(element))]
  if (name === 'blockquote') return quoted(blocksOf(element, depth + 1))
  if (name === 'ul' || name === 'ol') return list(element, depth + 1)
  if (name === 'table') return table(element, depth + 1)
  return blocksOf(element, depth)
}

function quoted(blocks: readonly string[]): string[] {
  return blocks.length === 0 ? [] : [blocks.join('\n\n').replaceAll(/^/gm, '> ').replaceAll(/ $/gm, '')]
}

function languageOf(element: Element): string {
  const classes = `${element.className} ${element.querySelector('code')?.className ?? ''}`
  return /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(classes)?.[1] ?? ''
}

function list(element: Element, depth: number): string[] {
  if (depth > DEEPEST) return blocksOf(element, depth)
  const items: string[] = []
  let number = Number(element.getAttribute('start') ?? 1) || 1
  for (const child of element.children) {
    const marker = element.localName === 'ol' ? `${number}. ` : '- '
    // Some programs put a list within a list and not within its item.
    if (child.localName === 'ul' || child.localName === 'ol') items.push(...indented(list(child, depth + 1), '  ', '  '))
    else {
      items.push(...indented([item(child, depth)], marker, ' '.repeat(marker.length)))
      number++
    }
  }
  return items.length === 0 ? [] : [items.join('\n')]
}

function item(element: Element, depth: number): string {
  const box = element.querySelector('input[type=checkbox]')
  const mark = box && box.closest('li') === element ? (box.hasAttribute('checked') ? '[x] ' : '[ ] ') : ''
  const blocks = blocksOf(element, depth)
  const isTight = !element.querySelector(':scope > p + p')
  return mark + blocks.join(isTight ? '\n' : '\n\n')
}

function indented(blocks: readonly string[], first: string, rest: string): string[] {
  return blocks.map((text) => first + text.replaceAll(/\n(?!\n|$)/g, `\n${rest}`))
}

function table(element: Element, depth: number): string[] {
  const rows = [...element.querySelectorAll('tr')].filter((row) => row.closest('table') === element)
  const texts = rows.map((row) => [...row.children].map((cell) => cellText(cell, depth)))
  const width = Math.max(0, ...texts.map((cells) => cells.length))
  // A table of one column is a page's layout.
  if (width < 2) return rows.flatMap((row) => [...row.children].flatMap((cell) => blocksOf(cell, depth)))
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`
  const [head = [], ...body] = texts
  return [[line(head), line(Array.from({ length: width }, () => '---')), ...body.map(line)].join('\n')]
}

function cellText(cell: Element, depth: number): string {
  return wordsOf(blocksOf(cell, depth).join(' ')).replaceAll(/\\?\n/g, ' ').replaceAll('|', '\\|')
}

function inlineOf(parent: Element, within: Within): string {
  let text = ''
  for (const child of parent.childNodes) text += inline(child, within)
  return text
}

function inline(node: Node, within: Within): string {
  if (node.nodeType === Node.TEXT_NODE) return escapeText(node.nodeValue ?? '')
  if (!isElement(node) || SILENT.has(node.localName)) return ''
  const name = node.localName
  if (name === 'br') return '\\\n'
  if (name === 'img') return picture(node)
  if (/^(?:code|kbd|samp|tt)$/.test(name)) return inCode(node.textContent ?? '')
  if (name === 'a') return link(node, within)
  const style = node.getAttribute('data-style') ?? ''
  const marks = [
    ...(isBold(name, style) ? ['**'] : []),
    ...(isItalic(name, style) ? ['*'] : []),
    ...(/^(?:del|s|strike)$/.test(name) || /line-through/i.test(style) ? ['~~'] : []),
  ].filter((mark) => !within.has(mark))
  if (isPlain(name, style)) return inlineOf(node, within)
  return marks.reduceRight(surrounded, inlineOf(node, new Set([...within, ...marks])))
}

function link(element: Element, within: Within): string {
  const href = (element.getAttribute('href') ?? '').trim()
  const words = within.has('[') ? inlineOf(element, within) : inlineOf(element, new Set([...within, '[']))
  const isSafe = /^(?:https?:|mailto:|tel:|\/|#)/i.test(href)
  if (within.has('[') || !isSafe || wordsOf(words) === '') return words
  if (element.textContent?.trim() === href && /^https?:\/\/[^\s<>]+$/i.test(href)) return `<${href}>`
  const address = /[\s()<>]/.test(href) ? `<${href.replaceAll(/[<>\n]/g, encodeURIComponent)}>` : href
  const [before, after] = [/^\s/, /\s$/].map((space) => (space.test(words) ? ' ' : ''))
  return `${before}[${wordsOf(words)}](${address})${after}`
}

function picture(element: Element): string {
  const source = (element.getAttribute('src') ?? '').trim()
  const alt = escapeText(element.getAttribute('alt') ?? '').trim()
  return /^(?:https?:\/\/|\/)[^\s()<>]+$/i.test(source) ? `![${alt}](${source})` : alt
}
