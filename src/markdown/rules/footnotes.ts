import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateBlock, type StateInline, type Token } from 'markdown-it'
import type { Words } from '../words.ts'

/** A footnote: the tokens of its text, and how often the text refers to it. */
interface Note {
  readonly number: number
  readonly label: string
  references: number
}

const CARET = 94
const LABEL = /\[\^([^\s[\]]{1,200})\]/y
const LABELS = Symbol('labels of footnotes')

/**
 * Adds footnotes: `[^a]` in a text, and `[^a]: its text` as a block, whose further paragraphs are indented. A label without a
 * text is plain text; a text that nothing refers to is left out, and of two texts the first counts.
 */
export function addFootnotes(md: Parser, words: Words): void {
  leaveToFootnotes(md)
  md.block.ruler.before('reference', 'footnote', definition, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  md.inline.ruler.before('link', 'footnote_ref', reference)
  md.core.ruler.after('inline', 'footnotes', (state) => {
    const labels = labelsOf(state.env)
    if (labels.size > 0) state.tokens = gathered(state.tokens, state.Token)
  })
  addRenderers(md, words)
}

/** Has `[^1]: word` be no definition of a link, as `[^1]: two words` is none. */
function leaveToFootnotes(md: Parser): void {
  const other = new MarkdownIt()
  other.block.ruler.enableOnly(['reference'])
  const [reference] = other.block.ruler.getRules('')
  if (!reference) throw new Error('The parser has no rule for definitions of links.')
  md.block.ruler.at('reference', (state, startLine, endLine, silent) => {
    const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
    return state.src.charCodeAt(start + 1) === CARET ? false : reference(state, startLine, endLine, silent)
  })
}

function labelsOf(env: Env): Set<string> {
  env[LABELS] ??= new Set<string>()
  return env[LABELS] as Set<string>
}

function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const begin = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  if (state.src.charCodeAt(begin + 1) !== CARET || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  LABEL.lastIndex = begin
  const label = LABEL.exec(state.src)?.[1]
  const colon = begin + (label?.length ?? 0) + 3
  if (label === undefined || state.src[colon] !== ':' || colon >= (state.eMarks[startLine] ?? 0)) return false
  if (silent) return true
  labelsOf(state.env).add(label)
  const open = state.push('footnote_open', '', 1)
  open.meta = { label }
  // As the first line of a list's item: what stands behind the colon is a line of its own.
  const saved = [
    state.bMarks[startLine],
    state.tShift[startLine],
    state.sCount[startLine],
    state.blkIndent,
    state.parentType,
  ] as const
  const text = state.skipSpaces(colon + 1)
  state.bMarks[startLine] = colon + 1
  state.tShift[startLine] = text - colon - 1
  state.sCount[startLine] = state.blkIndent + 4
  state.blkIndent += 4
  state.parentType = 'footnote'
  state.md.block.tokenize(state, startLine, endLine)
  ;[state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine], state.blkIndent, state.parentType] = saved as [
    number,
    number,
    number,
    number,
    string,
  ]
  open.map = [startLine, state.line]
  state.push('footnote_close', '', -1)
  return true
}

function reference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 91 || state.src.charCodeAt(state.pos + 1) !== CARET) return false
  LABEL.lastIndex = state.pos
  const label = LABEL.exec(state.src)?.[1]
  // A link has no other within.
  if (label === undefined || state.linkLevel > 0 || !labelsOf(state.env).has(label)) return false
  if (!silent) state.push('footnote_ref', '', 0).meta = { label }
  state.pos += label.length + 3
  return true
}

/** The tokens of a text with its footnotes at the end, in the order in which the text refers to them. */
function gathered(tokens: readonly Token[], make: typeof Token): Token[] {
  const { body, texts } = taken(tokens)
  const notes = new Map<string, Note>()
  number(body, notes, texts)
  if (notes.size === 0) return body
  body.push(new make('footnotes_open', 'section', 1))
  // A footnote may refer to another: the map grows while it is gone through.
  for (const note of notes.values()) {
    const text = texts.get(note.label) ?? []
    number(text, notes, texts)
    const open = new make('footnote_item_open', 'li', 1)
    open.meta = { note, id: `fn-${note.number}` }
    body.push(open)
    const last = text.at(-1)
    const back = new make('footnote_back', '', 0)
    back.meta = { note }
    const isParagraph = last?.type === 'paragraph_close'
    for (const token of isParagraph ? text.slice(0, -1) : text) body.push(token)
    body.push(back)
    if (isParagraph) body.push(last)
    body.push(new make('footnote_item_close', 'li', -1))
  }
  body.push(new make('footnotes_close', 'section', -1))
  return body
}

/** Parts the texts of footnotes from the rest. One within another is not part of that. */
function taken(tokens: readonly Token[]): { body: Token[]; texts: Map<string, Token[]> } {
  const body: Token[] = []
  const texts = new Map<string, Token[]>()
  const open: Token[][] = []
  for (const token of tokens) {
    if (token.type === 'footnote_open') {
      const label = String(token.meta?.label)
      const text: Token[] = []
      if (!texts.has(label)) texts.set(label, text)
      open.push(text)
    } else if (token.type === 'footnote_close') open.pop()
    else (open.at(-1) ?? body).push(token)
  }
  return { body, texts }
}

function number(tokens: readonly Token[], notes: Map<string, Note>, texts: ReadonlyMap<string, unknown>): void {
  for (const { children } of tokens)
    for (const child of children ?? []) {
      if (child.type !== 'footnote_ref') continue
      const label = String(child.meta?.label)
      if (!texts.has(label)) continue
      const note = notes.get(label) ?? { number: notes.size + 1, label, references: 0 }
      notes.set(label, note)
      const nth = ++note.references
      child.meta = { note, id: `fnref-${note.number}${nth > 1 ? `-${nth}` : ''}` }
    }
}

function addRenderers(md: Parser, words: Words): void {
  const rules = md.renderer.rules
  rules.footnote_ref = (tokens, index) => {
    const token = tokens[index]
    if (token?.meta?.id === undefined) return ''
    const { number } = noteOf(token)
    return `<sup class="footnote-ref"><a href="#fn-${number}" id="${token.meta.id}">${number}</a></sup>`
  }
  rules.footnotes_open = () => `<section class="footnotes" aria-label="${md.utils.escapeHtml(words.footnotes)}">\n<ol>\n`
  rules.footnotes_close = () => '</ol>\n</section>\n'
  rules.footnote_item_open = (tokens, index) => {
    const value = tokens[index]?.attrGet('value')
    return `<li id="${tokens[index]?.meta?.id}"${value ? ` value="${value}"` : ''}>\n`
  }
  rules.footnote_item_close = () => '</li>\n'
  rules.footnote_back = (tokens, index) => {
    const note = noteOf(tokens[index])
    const label = md.utils.escapeHtml(words.back)
    const link = (nth: number) => {
      const [number, sup] = nth > 1 ? [`${note.number}-${nth}`, `<sup>${nth}</sup>`] : [`${note.number}`, '']
      return ` <a class="footnote-back" href="#fnref-${number}" aria-label="${label} ${number}">↩${sup}</a>`
    }
    return Array.from({ length: note.references }, (_, n) => link(n + 1)).join('')
  }
}

function noteOf(token: Token | undefined): Note {
  return token?.meta?.note as Note
}
