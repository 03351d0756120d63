import { Lexer } from 'yaml'
import { MAX_DEPTH } from './fault.ts'

const SCALAR = '\u001f'
const BOM = '\ufeff'

/**
 * The offset at which YAML text is nested more than MAX_DEPTH levels, or -1. To be asked before `yaml` parses: it goes
 * down a level of the stack for each level of nesting, and 900 of them end the process where nothing can catch it.
 */
export function tooDeepAt(text: string): number {
  return mayBeDeep(text) ? lexedDepth(text) : -1
}

/** A cheap look that errs to the side of "yes": brackets and dashes in quotes and texts count too. */
function mayBeDeep(text: string): boolean {
  let open = 0
  let marks = 0
  let indent = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 91 || code === 123) open++
    else if (code === 10) {
      indent = Math.max(indent, marks)
      marks = 0
    } else if (code === 32 || code === 45 || code === 63) marks++
  }
  return open > MAX_DEPTH || Math.max(indent, marks) > MAX_DEPTH
}

/**
 * Returns the nesting depth by the lexer, which keeps no stack: counts brackets, and the columns at which lines and their dashes
 * begin.
 */
function lexedDepth(text: string): number {
  const columns: number[] = []
  let offset = 0
  let column = 0
  let flow = 0
  let atStart = true
  let scalar = false
  for (const token of new Lexer().lex(text)) {
    if (token === SCALAR || token === '\u0002' || token === '\u0018') {
      scalar = token === SCALAR
      continue
    }
    const isSpace = !scalar && /^[ \t\r\n]+$|^#/.test(token)
    if (!isSpace && atStart && flow === 0) enter(columns, column)
    if (!scalar) flow = flowAfter(token, flow)
    if (!isSpace) atStart = !scalar && (token === '-' || token === '?')
    if (columns.length + flow > MAX_DEPTH) return offset
    offset += token === BOM ? 1 : token.length
    const line = token.lastIndexOf('\n')
    column = line < 0 ? column + token.length : token.length - line - 1
    if (line >= 0) atStart = true
    scalar = false
  }
  return -1
}

function flowAfter(token: string, flow: number): number {
  if (token === '[' || token === '{') return flow + 1
  return token === ']' || token === '}' ? Math.max(0, flow - 1) : flow
}

function enter(columns: number[], column: number): void {
  while (columns.length > 0 && (columns.at(-1) ?? 0) >= column) columns.pop()
  columns.push(column)
}
