import { syntaxTree } from '@codemirror/language'
import { Decoration, type EditorView } from '@codemirror/view'
import type { SyntaxNode, SyntaxNodeRef } from '@lezer/common'
import { Drawing, type Drawn } from './drawing.ts'
import { settings } from './settings.ts'
import { drawRow, drawRule } from './tables.ts'
import { Bullet, Picture, TaskBox } from './widgets.ts'

/** The part of a text that is being drawn. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Draws one kind of syntax; `false` leaves out what is within it. */
type Draw = (drawing: Drawing, node: SyntaxNodeRef, span: Span) => false | undefined

const bullet = Decoration.replace({ widget: new Bullet() })
const boxes = [false, true].map((isDone) => Decoration.replace({ widget: new TaskBox(isDone) }))

/** Draws the part of a text that is seen as it will read. */
export function draw(view: EditorView): Drawn {
  const drawing = new Drawing(view)
  const tree = syntaxTree(view.state)
  let done = -1
  for (const span of view.visibleRanges) {
    const end = done
    tree.iterate({
      ...span,
      enter: (node) => {
        // What reaches into the part before this one has been drawn with it, but for lines of blocks.
        if (node.from <= end && node.to <= end) return false
        return SHAPES[node.name]?.(drawing, node, span)
      },
    })
    for (const range of view.hasFocus ? view.state.selection.ranges : []) {
      drawing.lines(Math.max(range.from, span.from), Math.min(range.to, span.to), 'md-active')
    }
    done = span.to
  }
  return drawing.finish()
}

function heading(level: number): Draw {
  return (drawing, { from, to }) => void drawing.lines(from, to, `md-h md-h${level}`)
}

function styled(name: string): Draw {
  return (drawing, { from, to }) => void drawing.mark(from, to, name)
}

function block(name: string): Draw {
  return (drawing, node, span) => void drawing.lines(Math.max(node.from, span.from), Math.min(node.to, span.to), name)
}

const hide: Draw = (drawing, { from, to }) => void drawing.syntax(from, to)

/** Hides a mark and the space that belongs to it. */
const hideWithSpace: Draw = (drawing, { from, to }) => void drawing.syntax(from, to + spaceAfter(drawing, to))

const SHAPES: Readonly<Record<string, Draw>> = {
  ATXHeading1: heading(1),
  ATXHeading2: heading(2),
  ATXHeading3: heading(3),
  ATXHeading4: heading(4),
  ATXHeading5: heading(5),
  ATXHeading6: heading(6),
  SetextHeading1: heading(1),
  SetextHeading2: heading(2),
  HeaderMark: (drawing, node, span) => {
    if (/^[=-]/.test(drawing.state.doc.sliceString(node.from, node.from + 1))) drawing.mark(node.from, node.to, 'md-mark')
    else hideWithSpace(drawing, node, span)
  },
  Emphasis: styled('md-emphasis'),
  StrongEmphasis: styled('md-strong'),
  Strikethrough: styled('md-strike'),
  InlineCode: styled('md-inline-code'),
  EmphasisMark: hide,
  StrikethroughMark: hide,
  CodeMark: hide,
  Escape: (drawing, { from }) => void drawing.syntax(from, from + 1),
  Link: drawLink,
  Image: drawImage,
  Autolink: styled('md-link'),
  LinkMark: (drawing, node, span) => (node.node.parent?.name === 'Autolink' ? hide(drawing, node, span) : undefined),
  URL: (drawing, node) => {
    if (!/^(?:Link|Image|LinkReference|Autolink)$/.test(node.node.parent?.name ?? '')) drawing.mark(node.from, node.to, 'md-link')
  },
  LinkReference: styled('md-mark'),
  HTMLTag: styled('md-html'),
  Comment: styled('md-html'),
  HTMLBlock: block('md-html-line'),
  CommentBlock: block('md-html-line'),
  Blockquote: block('md-quote'),
  QuoteMark: hideWithSpace,
  FencedCode: block('md-code'),
  CodeBlock: block('md-code'),
  CodeInfo: styled('md-info'),
  HorizontalRule: (drawing, { from }) => void drawing.line(drawing.state.doc.lineAt(from).from, ruleClass(drawing, from)),
  ListItem: (drawing, { from }) => void drawing.line(drawing.state.doc.lineAt(from).from, 'md-item'),
  ListMark: drawListMark,
  TaskMarker: (drawing, { from, to }) => {
    const box = boxes[/x/i.test(drawing.state.doc.sliceString(from, to)) ? 1 : 0]
    if (box && !drawing.isActive(from)) drawing.replace(from, to, box)
    else drawing.mark(from, to, 'md-mark')
  },
  TableHeader: (drawing, node) => void drawRow(drawing, node),
  TableRow: (drawing, node) => void drawRow(drawing, node),
  TableDelimiter: (drawing, node) => (node.node.parent?.name === 'Table' ? void drawRule(drawing, node) : undefined),
}

function ruleClass(drawing: Drawing, at: number): string {
  return drawing.isActive(at) ? 'md-mark-line' : 'md-rule'
}

function drawListMark(drawing: Drawing, { node, from, to }: SyntaxNodeRef): undefined {
  const end = to + spaceAfter(drawing, to)
  if (drawing.isActive(from)) drawing.mark(from, end, 'md-mark md-number')
  else if (node.nextSibling?.name === 'Task') drawing.syntax(from, end)
  else if (node.parent?.parent?.name === 'OrderedList') drawing.mark(from, end, 'md-number')
  else drawing.replace(from, end, bullet)
}

function spaceAfter(drawing: Drawing, at: number): number {
  return drawing.state.doc.sliceString(at, at + 1) === ' ' ? 1 : 0
}

/** Shows the words of a link alone. What has no address, as `[words]`, may be no link at all. */
function drawLink(drawing: Drawing, { node }: SyntaxNodeRef): undefined {
  const [open, close] = node.getChildren('LinkMark')
  if (!node.getChild('URL') || !open || !close) return
  drawing.mark(open.to, close.from, 'md-link')
  drawing.syntax(open.from, open.to)
  drawing.syntax(close.from, node.to)
}

function drawImage(drawing: Drawing, { node, from, to }: SyntaxNodeRef): false {
  const url = node.getChild('URL')
  if (!url) return false
  const { doc } = drawing.state
  const [open, close] = node.getChildren('LinkMark')
  const alt = open && close ? doc.sliceString(open.to, close.from) : ''
  const widget = new Picture(ownAddress(drawing, url), alt, drawing.isActive(from))
  const isWhole = doc.lineAt(from).to >= to
  if (isWhole && !drawing.isActive(from)) {
    drawing.replace(from, to, Decoration.replace({ widget }))
    const line = doc.lineAt(from)
    if (doc.sliceString(line.from, from) + doc.sliceString(to, line.to).trim() === '') drawing.line(line.from, 'md-alone')
  } else {
    drawing.syntax(from, to)
    drawing.after(to, Decoration.widget({ widget, side: 1 }))
  }
  return false
}

/** The address of a picture that this page may ask for: others would be told who reads the text, and are refused by its policy. */
function ownAddress(drawing: Drawing, url: SyntaxNode): string | undefined {
  const written = drawing.state.doc.sliceString(url.from, url.to).replace(/^<(.*)>$/, '$1')
  const base = new URL(drawing.state.facet(settings).base ?? '', document.baseURI).href
  if (!URL.canParse(written, base)) return undefined
  const { href, origin, protocol } = new URL(written, base)
  return origin === location.origin || protocol === 'data:' ? href : undefined
}
