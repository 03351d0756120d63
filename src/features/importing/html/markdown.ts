import { append } from '#lib/append.ts'
import { asParagraph, codeBlock } from './escaping.ts'
import { imageOf, inlineOf, type LineOptions } from './inline.ts'
import { tableOf } from './tables.ts'
import { type Element, firstOf, type Node, parseHtml, textIn } from './tree.ts'

/** Elements that stand for themselves, not within a line. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...['p', 'div', 'section', 'article', 'main', 'header', 'footer', 'aside', 'nav', 'center', 'address', 'figure', 'figcaption'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'blockquote', 'pre', 'hr', 'table', 'details'],
  ...['summary', 'form', 'fieldset', 'iframe', 'video', 'audio', 'object', 'embed', 'tbody', 'thead', 'tr', 'td', 'th'],
])

/** Returns HTML as Markdown that shows the same. `breaks` is true where the ends of lines are ones for readers. */
export function markdownOf(html: string, { breaks = false }: { readonly breaks?: boolean } = {}): string {
  const made = blocksOf(parseHtml(html), { breaks })
  return made === '' ? '' : `${made}\n`
}

/** Nodes as blocks, with empty lines between them: what stands within lines between two of them is a paragraph. */
function blocksOf(nodes: readonly Node[], options: LineOptions): string {
  const blocks: string[] = []
  let line: Node[] = []
  const settle = () => {
    append(blocks, paragraphsOf(line, options))
    line = []
  }
  for (const node of nodes) {
    if (typeof node === 'string' || !hasBlocks(node)) line.push(node)
    else {
      settle()
      blocks.push(blockOf(node, options))
    }
  }
  settle()
  return separated(blocks.filter((block) => block.trim() !== ''))
}

/** Two lists of one sort would be one list. */
function separated(blocks: readonly string[]): string {
  return blocks
    .map((block, n) => (n > 0 && isListLike(block) && isListLike(blocks[n - 1] ?? '') ? `<!-- -->\n\n${block}` : block))
    .join('\n\n')
}

function isListLike(block: string): boolean {
  return /^(?:- |\d{1,9}\. )/.test(block)
}

/** Returns whether an element is a block, or holds one. */
function hasBlocks({ name, children }: Element): boolean {
  return BLOCKS.has(name) || (name !== 'a' && children.some((child) => typeof child !== 'string' && hasBlocks(child)))
}

function paragraphsOf(nodes: readonly Node[], options: LineOptions): string[] {
  const parts: Node[][] = [[]]
  for (const node of nodes) {
    if (!options.breaks || typeof node !== 'string') parts.at(-1)?.push(node)
    else for (const [n, text] of node.split(/\n[^\S\n]*\n\s*/).entries()) n === 0 ? parts.at(-1)?.push(text) : parts.push([text])
  }
  return parts.map((part) => asParagraph(trimmed(inlineOf(part, options)))).filter((text) => text !== '')
}

/** Without breaks at its beginning and end. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  for (; start < end; start++) if (!isSpace(text[start]) && !text.startsWith('\\\n', start)) break
  for (; end > start; end--) {
    const isBreak = text[end - 1] === '\n' && text[end - 2] === '\\'
    if (isBreak) end--
    else if (!isSpace(text[end - 1])) break
  }
  return text.slice(start, end)
}

function isSpace(sign: string | undefined): boolean {
  return sign === ' ' || sign === '\t' || sign === '\n'
}

function blockOf(element: Element, options: LineOptions): string {
  const { name, attributes, children } = element
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level !== undefined) return headingOf(Number(level), children)
  switch (name) {
    case 'ul':
    case 'ol':
      return listOf(element, options)
    case 'blockquote':
      return prefixed(blocksOf(children, options), '> ', '> ')
    case 'pre':
      return codeBlock(textIn(children), languageOf(element))
    case 'hr':
      return '---'
    case 'figure':
      return figureOf(element, options)
    case 'table':
      return tableOf(element, (cell) => blocksOf(cell, options))
    case 'dl':
      return definitionsOf(element, options)
    case 'iframe':
    case 'embed':
    case 'video':
    case 'audio':
      return frameOf(element)
    case 'summary':
      return `**${inlineOf(children, { ...options, oneLine: true }).trim()}**`
    default:
      return attributes.hidden === undefined ? blocksOf(children, options) : ''
  }
}

function headingOf(level: number, children: readonly Node[]): string {
  const text = inlineOf(children, { breaks: false, oneLine: true }).trim()
  return text === '' ? '' : `${'#'.repeat(level)} ${text.replace(/(?<!#)(#+)$/, '\\$1')}`
}

function listOf({ name, attributes, children }: Element, options: LineOptions): string {
  let number = /^\d{1,8}$/.test(attributes.start ?? '') ? Number(attributes.start) : 1
  const items = children
    .filter((child) => typeof child !== 'string' || child.trim() !== '')
    .map((child) => {
      const inner = blocksOf(typeof child !== 'string' && child.name === 'li' ? child.children : [child], {
        ...options,
        breaks: false,
      })
      const mark = name === 'ol' ? `${number++}. ` : '- '
      return prefixed(inner, mark, ' '.repeat(mark.length))
    })
  const isLoose = items.some((item) => /\n\n(?! *(?:- |\d+\. ))/.test(item))
  return items.map((item) => (isLoose ? item : item.replace(/\n{2,}/g, '\n'))).join(isLoose ? '\n\n' : '\n')
}

function definitionsOf({ children }: Element, options: LineOptions): string {
  const parts = children.filter((child): child is Element => typeof child !== 'string')
  return parts
    .map((part, n) => {
      const isTerm = part.name === 'dt'
      const text = isTerm
        ? paragraphsOf(part.children, { ...options, oneLine: true }).join(' ')
        : prefixed(blocksOf(part.children, options), ': ', '  ')
      return `${n > 0 && isTerm ? '\n' : ''}${text}`
    })
    .join('\n')
}

/** A picture whose caption is its title; else what is in it. */
function figureOf({ children }: Element, options: LineOptions): string {
  const caption = firstOf(children, 'figcaption')
  const rest = children.filter((child) => child !== caption)
  const image = firstOf(rest, 'img')
  const isPicture = image && caption && textIn(rest).trim() === '' && !firstOf(rest, 'a') && !firstOf(caption.children, 'a')
  // Of a picture without its address nothing stays, and the caption has to.
  if (!isPicture || !image.attributes.src?.trim() || countOf(rest, 'img') > 1) return blocksOf(children, options)
  return imageOf(image.attributes, textIn(caption.children))
}

function countOf(nodes: readonly Node[], name: string): number {
  return nodes.reduce(
    (sum, node) => sum + (typeof node === 'string' ? 0 : Number(node.name === name) + countOf(node.children, name)),
    0,
  )
}

/** A film by its shortcode, where that is known; else a link to what the frame shows. */
function frameOf({ attributes, children }: Element): string {
  const src = attributes.src ?? firstOf(children, 'source')?.attributes.src ?? ''
  const [, film] = /^(?:https?:)?\/\/(?:www\.)?(?:youtube(?:-nocookie)?\.com\/embed|youtu\.be)\/([\w-]{5,20})/.exec(src) ?? []
  if (film !== undefined) return `{{< youtube ${film} >}}`
  const [, other] = /^(?:https?:)?\/\/player\.vimeo\.com\/video\/(\d{3,15})/.exec(src) ?? []
  if (other !== undefined) return `{{< vimeo ${other} >}}`
  return src === ''
    ? ''
    : inlineOf([{ name: 'a', attributes: { href: src }, children: [attributes.title || src] }], { breaks: false })
}

function languageOf({ attributes, children }: Element): string {
  const code = firstOf(children, 'code')
  const said = `${attributes.class ?? ''} ${code?.attributes.class ?? ''}`
  return /(?:lang(?:uage)?-|brush:\s*)([\w+#-]{1,30})/.exec(said)?.[1] ?? ''
}

function prefixed(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, n) => (n === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n')
}
