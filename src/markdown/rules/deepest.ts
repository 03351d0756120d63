import type { MarkdownIt as Parser } from 'markdown-it'

/** The level from which on a text is not taken apart any more: a list has two of them, a quote one. At 100 markdown-it stops reading. */
const DEEPEST = 96

/** Shows what is nested too deep as it was written: markdown-it leaves it out, and below a list all that follows. */
export function addDeepest(md: Parser): void {
  md.block.ruler.before('table', 'deepest', (state, start, end, silent) => {
    if (state.level < DEEPEST || silent) return false
    let next = start + 1
    // A line below zero goes on with the paragraph of a quote without its sign.
    while (next < end && !state.isEmpty(next) && ((state.sCount[next] ?? 0) < 0 || (state.sCount[next] ?? 0) >= state.blkIndent))
      next++
    state.line = next
    state.push('paragraph_open', 'p', 1).map = [start, next]
    const inline = state.push('inline', '', 0)
    inline.content = state.getLines(start, next, state.blkIndent, false).trim()
    inline.map = [start, next]
    inline.children = []
    state.push('paragraph_close', 'p', -1)
    return true
  })
}
