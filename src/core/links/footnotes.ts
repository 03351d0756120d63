import MarkdownIt, { type MarkdownIt as Parser } from 'markdown-it'

const CARET = 94

/**
 * Has a parser take `[^1]: word` for the text of a footnote, as `[^1]: two words` is taken, and not for the definition of a link.
 */
export function leaveFootnotes(md: Parser): void {
  const other = new MarkdownIt()
  other.block.ruler.enableOnly(['reference'])
  const [reference] = other.block.ruler.getRules('')
  if (!reference) throw new Error('The parser has no rule for definitions of links.')
  md.block.ruler.at('reference', (state, startLine, endLine, silent) => {
    const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
    return state.src.charCodeAt(start + 1) === CARET ? false : reference(state, startLine, endLine, silent)
  })
}
