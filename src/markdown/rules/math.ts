import type { MarkdownIt as Parser, StateBlock, StateInline } from 'markdown-it'

const DOLLAR = 36
const WORD = /[\p{L}\p{N}$]/u
/** A formula over more lines is none: looking for its end stays bounded. */
const MOST_LINES = 200

/**
 * Adds formulas: `$…$` and `$$…$$` stay as they are written, in an element with the class `math`, for what draws them. A sum of
 * money is none: a formula has no space within its signs, and no letter or digit outside them.
 */
export function addMath(md: Parser): void {
  md.inline.ruler.before('escape', 'math', inline)
  md.block.ruler.before('fence', 'math', block, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  const { escapeHtml } = md.utils
  md.renderer.rules.math_inline = (tokens, index) =>
    `<span class="math inline">${escapeHtml(tokens[index]?.content ?? '')}</span>`
  md.renderer.rules.math_display = (tokens, index) =>
    `<span class="math display">${escapeHtml(tokens[index]?.content ?? '')}</span>`
  md.renderer.rules.math_block = (tokens, index) =>
    `<div class="math display">${escapeHtml(tokens[index]?.content ?? '')}</div>\n`
}

function inline(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state
  if (src.charCodeAt(pos) !== DOLLAR) return false
  const signs = src.charCodeAt(pos + 1) === DOLLAR ? 2 : 1
  const start = pos + signs
  if (WORD.test(src.charAt(pos - 1)) || (signs === 1 && /^\s?$/.test(src.charAt(start)))) return false
  const close = closing(src, start, state.posMax)
  const end = close + signs
  if (close <= start || !src.startsWith('$'.repeat(signs), close) || WORD.test(src.charAt(end))) return false
  if (signs === 1 && /\s/.test(src.charAt(close - 1))) return false
  if (!silent) state.push(signs === 1 ? 'math_inline' : 'math_display', '', 0).content = src.slice(pos, end)
  state.pos = end
  return true
}

/** Returns the offset of the next dollar that is not escaped, or −1. */
function closing(src: string, from: number, max: number): number {
  for (let at = from; at < max; at++) {
    const code = src.charCodeAt(at)
    if (code === DOLLAR) return at
    if (code === 92) at++
  }
  return -1
}

function block(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0)
  if (!state.src.startsWith('$$', start) || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const most = Math.min(endLine, startLine + MOST_LINES)
  for (let line = startLine; line < most; line++) {
    if (line > startLine && (state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent)) return false
    const from = line === startLine ? start + 2 : (state.bMarks[line] ?? 0)
    const text = state.src.slice(from, state.eMarks[line]).trimEnd()
    const at = text.indexOf('$$')
    if (at < 0) continue
    // What stands behind the signs makes it a paragraph with a formula.
    if (at !== text.length - 2 || (line === startLine && text === '$$')) return false
    if (silent) return true
    const token = state.push('math_block', 'div', 0)
    token.map = [startLine, line + 1]
    token.content = state.getLines(startLine, line + 1, state.blkIndent, false).trim()
    state.line = line + 1
    return true
  }
  return false
}
