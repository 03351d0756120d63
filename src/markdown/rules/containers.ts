import type { MarkdownIt as Parser, StateBlock } from 'markdown-it'
import { boxEnd, boxKind, boxTokens } from './boxes.ts'

const COLON = 58
const FENCE = /^(`{3,}|~{3,})/
const HEAD = /^:{3,}[ \t]*(\{[^{}]*\}|[a-z][\w-]{0,60})[ \t]*(.*)$/i
const LONGEST_HEAD = 500

/**
 * Adds containers: `:::tip A title` to its line of colons alone, or to the end of what they are in. The kinds that are
 * known become boxes, `details` folds; of any other, the content is shown without a box.
 */
export function addContainers(md: Parser): void {
  md.block.ruler.before('fence', 'container', container, { alt: ['paragraph', 'reference', 'blockquote', 'list'] })
  md.renderer.rules.container_open = () => '<div>\n'
  md.renderer.rules.container_close = () => '</div>\n'
}

/** Reads the first line of a container: its name, and its title, which may stand in brackets or be an attribute. */
export function containerHead(line: string): { name: string; title: string } | undefined {
  const [, word = '', rest = ''] = line.length > LONGEST_HEAD ? [] : (HEAD.exec(line.trimEnd()) ?? [])
  if (word === '') return undefined
  const name = word.startsWith('{') ? (/\.([\w-]+)/.exec(word)?.[1] ?? '') : word
  const bracketed = /^\[(.*)\]\s*(?:\{.*\})?$/.exec(rest)?.[1]
  const attribute = /^\{.*\btitle="([^"]*)".*\}$/.exec(rest)?.[1]
  return { name, title: bracketed ?? attribute ?? rest.replace(/^\{[^{}]*\}$/, '').replace(/[\s:]+$/, '') }
}

function container(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const count = colonsAt(state, startLine)
  if (count < 3 || (state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false
  const head = containerHead(lineOf(state, startLine))
  if (!head) return false
  if (silent) return true
  const { last, next } = endOf(state, startLine, endLine, count)
  const kind = boxKind(head.name)
  const folds = kind?.look === 'details' ? 'closed' : undefined
  const { Token } = state
  const [open, ...title] = kind
    ? boxTokens(kind, { title: head.title, folds, map: [startLine, last] }, Token)
    : [new Token('container_open', 'div', 1)]
  if (!open) return false
  open.map = [startLine, last]
  if (!kind) open.meta = { name: head.name }
  push(state, open)
  for (const token of title) push(state, token)
  const { parentType, lineMax } = state
  state.parentType = 'container'
  // So that a paragraph does not go on past the end.
  state.lineMax = last
  state.md.block.tokenize(state, startLine + 1, last)
  state.parentType = parentType
  state.lineMax = lineMax
  const close = kind ? boxEnd(open, Token) : new Token('container_close', 'div', -1)
  push(state, close)
  state.line = next
  return true
}

function push(state: StateBlock, token: InstanceType<StateBlock['Token']>): void {
  if (token.nesting < 0) state.level--
  token.level = state.level
  if (token.nesting > 0) state.level++
  state.tokens.push(token)
}

/** The line after the text of a container, and the one to go on from. Lines of code end none. */
function endOf(state: StateBlock, startLine: number, endLine: number, count: number): { last: number; next: number } {
  const open = new OpenContainers(count)
  let fence = ''
  for (let line = startLine + 1; line < endLine; line++) {
    const isEmpty = state.isEmpty(line)
    if (!isEmpty && (state.sCount[line] ?? 0) < state.blkIndent) return { last: line, next: line }
    const first = state.src.charCodeAt((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0))
    if (first === 96 || first === 126) {
      const mark = FENCE.exec(lineOf(state, line).slice(0, 200))?.[1] ?? ''
      if (fence === '') fence = mark
      else if (mark.startsWith(fence)) fence = ''
    } else if (fence === '' && first === COLON) {
      const colons = colonsAt(state, line)
      if (colons < 3) continue
      if (!isBare(state, line)) {
        if (containerHead(lineOf(state, line))) open.begin(colons)
      } else if (open.end(colons)) return { last: line, next: line + 1 }
    }
  }
  return { last: endLine, next: endLine }
}

/** The containers that are open at a line, by their numbers of colons. */
class OpenContainers {
  readonly #counts: number[] = []
  readonly #held = new Map<number, number>()

  constructor(count: number) {
    this.begin(count)
  }

  begin(count: number): void {
    this.#counts.push(count)
    this.#held.set(count, (this.#held.get(count) ?? 0) + 1)
  }

  /** Ends the last one of so many colons, or else the last one where it has fewer. Returns whether none is open then. */
  end(count: number): boolean {
    const isExact = (this.#held.get(count) ?? 0) > 0
    if (!isExact && (this.#counts.at(-1) ?? 0) > count) return false
    for (let last = this.#counts.pop(); last !== undefined; last = this.#counts.pop()) {
      this.#held.set(last, (this.#held.get(last) ?? 0) - 1)
      if (!isExact || last === count) break
    }
    return this.#counts.length === 0
  }
}

function isBare(state: StateBlock, line: number): boolean {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return state.skipSpaces(state.skipChars(start, COLON)) >= (state.eMarks[line] ?? 0)
}

function colonsAt(state: StateBlock, line: number): number {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0)
  return Math.min(state.skipChars(start, COLON), state.eMarks[line] ?? 0) - start
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}
