import type { MarkdownIt as Parser, Token } from 'markdown-it'
import type { Words } from '../words.ts'

/** The looks of boxes: those of GitHub's alerts, and what folds. */
type Look = 'note' | 'tip' | 'important' | 'warning' | 'caution' | 'details'

interface Kind {
  readonly look: Look
  readonly word: keyof Words
}

/** The names of boxes, as GitHub, VitePress, Docusaurus and Obsidian have them. */
const KINDS: Readonly<Record<string, Kind>> = {
  note: { look: 'note', word: 'note' },
  info: { look: 'note', word: 'info' },
  question: { look: 'note', word: 'question' },
  tip: { look: 'tip', word: 'tip' },
  hint: { look: 'tip', word: 'tip' },
  success: { look: 'tip', word: 'success' },
  important: { look: 'important', word: 'important' },
  warning: { look: 'warning', word: 'warning' },
  attention: { look: 'warning', word: 'warning' },
  caution: { look: 'caution', word: 'caution' },
  danger: { look: 'caution', word: 'danger' },
  details: { look: 'details', word: 'details' },
}

/** Returns the kind of a box by its name, whatever its capitals. */
export function boxKind(name: string): Kind | undefined {
  const small = name.toLowerCase()
  return Object.hasOwn(KINDS, small) ? KINDS[small] : undefined
}

/** The tokens that begin a box, with its title; a title that is none is the word for its kind. */
export function boxTokens(
  kind: Kind,
  { title, folds, map }: { title: string; folds: 'open' | 'closed' | undefined; map: [number, number] | null },
  make: typeof Token,
): Token[] {
  const open = new make('box_open', folds ? 'details' : 'div', 1)
  open.block = true
  open.map = map
  open.attrSet('class', `box box-${kind.look}`)
  if (folds === 'open') open.attrSet('open', '')
  const tag = folds ? 'summary' : 'p'
  const titleOpen = new make('box_title_open', tag, 1)
  titleOpen.block = true
  titleOpen.attrSet('class', 'box-title')
  const inline = new make('inline', '', 0)
  inline.content = title
  inline.children = []
  inline.map = map && [map[0], map[0] + 1]
  const titleClose = new make('box_title_close', tag, -1)
  titleClose.block = true
  if (title === '') titleClose.meta = { word: kind.word }
  return [open, titleOpen, inline, titleClose]
}

/** The token that ends a box which `open` begins. */
export function boxEnd(open: Token, make: typeof Token): Token {
  const close = new make('box_close', open.tag, -1)
  close.block = true
  return close
}

/** Has boxes without a title show the word for their kind. */
export function addBoxes(md: Parser, words: Words): void {
  md.renderer.rules.box_title_close = (tokens, index) => {
    const token = tokens[index]
    const word = token?.meta?.word as keyof Words | undefined
    return `${word === undefined ? '' : md.utils.escapeHtml(words[word])}</${token?.tag}>\n`
  }
}
