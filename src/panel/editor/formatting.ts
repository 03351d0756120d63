import { syntaxTree } from '@codemirror/language'
import { type ChangeSpec, EditorSelection, type EditorState, type Line, type SelectionRange } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { longestRun } from './markdown-text.ts'

/** The start of a line that belongs to blocks it is in: indentation and quotes. */
const OUTER = /^\s*(?:>\s?)*/

/** A mark of a list or heading after it. */
const INNER = /^(?:#{1,6}(?:\s+|$)|(?:[-*+]|\d{1,9}[.)])(?:\s+(?:\[[ xX]\](?:\s+|$))?|$))/

/** Kinds of lines that a prefix makes. */
export type LineKind = 'bullets' | 'numbers' | 'tasks' | 'quote'

/** Returns a command that sets what is selected between marks, or takes these away. */
export function toggleInline(mark: string, name: string): Command {
  return (view) => {
    const { state } = view
    const update = state.changeByRange((range) => {
      const node = enclosing(state, range, name)
      return node ? unwrapped(node, range, state) : wrapped(state, range, mark)
    })
    view.dispatch(state.update(update, { scrollIntoView: true, userEvent: 'input.format' }))
    return true
  }
}

/** Returns whether the main selection is within a kind of node. */
export function isWithin(state: EditorState, name: string | RegExp): boolean {
  return enclosing(state, state.selection.main, name) !== undefined
}

/** Finds the nearest node of a name around a range. */
export function enclosing(
  state: EditorState,
  { from, to }: Pick<SelectionRange, 'from' | 'to'>,
  name: string | RegExp,
): SyntaxNode | undefined {
  const isNamed = (node: SyntaxNode): boolean => (typeof name === 'string' ? node.name === name : name.test(node.name))
  for (const side of [1, -1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side)
    for (; node; node = node.parent) if (isNamed(node) && node.from <= from && node.to >= to) return node
  }
  return undefined
}

interface Changed {
  readonly changes: ChangeSpec
  readonly range: SelectionRange
}

function unwrapped(node: SyntaxNode, range: SelectionRange, state: EditorState): Changed {
  const ends = [node.firstChild, node.lastChild].flatMap((mark) => (mark ? [{ from: mark.from, to: mark.to }] : []))
  return { changes: ends, range: range.map(state.changes(ends)) }
}

function wrapped(state: EditorState, range: SelectionRange, mark: string): Changed {
  const word = range.empty ? state.wordAt(range.head) : null
  const isAtCursor = range.empty && (!word || word.from === range.head || word.to === range.head)
  if (isAtCursor) {
    return { changes: { from: range.from, insert: mark + mark }, range: EditorSelection.cursor(range.from + mark.length) }
  }
  const parts = partsOf(state, word ?? range)
  const changes = parts.flatMap(({ from, to }) => [
    { from, insert: mark },
    { from: to, insert: mark },
  ])
  const set = state.changes(changes)
  if (range.empty) return { changes, range: EditorSelection.cursor(range.head + mark.length) }
  const [first, last] = [parts[0]?.from ?? range.from, parts.at(-1)?.to ?? range.to]
  return { changes, range: EditorSelection.range(set.mapPos(first, 1), set.mapPos(last, -1)) }
}

/** The words of each line in a range: a mark goes over no end of a block, and has no space within. */
function partsOf(state: EditorState, { from, to }: { from: number; to: number }): { from: number; to: number }[] {
  return linesOf(state, from, to).flatMap((line) => {
    const start = Math.max(from, line.from + prefixOf(line.text).length)
    const text = state.sliceDoc(start, Math.max(start, Math.min(to, line.to)))
    const [left, right] = [text.length - text.trimStart().length, text.trimEnd().length]
    return left < right ? [{ from: start + left, to: start + right }] : []
  })
}

function linesOf({ doc }: EditorState, from: number, to: number): Line[] {
  const lines: Line[] = []
  for (let at = from; at <= to; at = (lines.at(-1)?.to ?? at) + 1) lines.push(doc.lineAt(at))
  return lines
}

function prefixOf(text: string): string {
  const [outer = ''] = OUTER.exec(text) ?? []
  const [inner = ''] = INNER.exec(text.slice(outer.length)) ?? []
  return outer + inner
}

function selectedLines(state: EditorState): Line[] {
  const lines = state.selection.ranges.flatMap(({ from, to }) => linesOf(state, from, to))
  return [...new Map(lines.map((line) => [line.from, line])).values()]
}

/** The cursor stays behind what is put before it, or the next word would be typed before the mark. */
function change(view: EditorView, changes: ChangeSpec): true {
  const set = view.state.changes(changes)
  const selection = view.state.selection.map(set, 1)
  view.dispatch({ changes: set, selection, scrollIntoView: true, userEvent: 'input.format' })
  return true
}

/** Returns a command that makes headings of the selected lines; of level 0, paragraphs. */
export function setHeading(level: number): Command {
  return (view) =>
    change(
      view,
      selectedLines(view.state).map((line) => {
        const [outer = ''] = OUTER.exec(line.text) ?? []
        const isSame = level > 0 && line.text.startsWith(`${'#'.repeat(level)} `, outer.length)
        const insert = level === 0 || isSame ? '' : `${'#'.repeat(level)} `
        return { from: line.from + outer.length, to: line.from + prefixOf(line.text).length, insert }
      }),
    )
}

/** Returns a command that makes a list or a quote of the selected lines, or paragraphs where they are that. */
export function toggleLines(kind: LineKind): Command {
  return (view) => {
    const all = selectedLines(view.state)
    const filled = all.filter((line) => line.text.trim() !== '')
    const lines = filled.length > 0 ? filled : all
    const isOn = lines.every(({ text }) => isKind(text, kind))
    const changes = lines.map((line, index) => {
      const [outer = ''] = OUTER.exec(line.text) ?? []
      if (kind === 'quote') {
        const [indent = ''] = /^\s*/.exec(line.text) ?? []
        const length = isOn ? (/^>\s?/.exec(line.text.slice(indent.length))?.[0].length ?? 0) : 0
        return { from: line.from + indent.length, to: line.from + indent.length + length, insert: isOn ? '' : '> ' }
      }
      const insert = isOn ? '' : { bullets: '- ', numbers: `${index + 1}. `, tasks: '- [ ] ' }[kind]
      return { from: line.from + outer.length, to: line.from + prefixOf(line.text).length, insert }
    })
    return change(view, changes)
  }
}

function isKind(text: string, kind: LineKind): boolean {
  const [outer = ''] = OUTER.exec(text) ?? []
  const rest = text.slice(outer.length)
  if (kind === 'quote') return outer.includes('>')
  if (kind === 'numbers') return /^\d{1,9}[.)]\s/.test(rest)
  const isTask = /^[-*+]\s+\[[ xX]\](?:\s|$)/.test(rest)
  return kind === 'tasks' ? isTask : /^[-*+]\s/.test(rest) && !isTask
}

/** Ticks the tasks of the selected lines, or says that there is none. */
export const toggleTask: Command = (view) => {
  const changes = selectedLines(view.state).flatMap((line) => {
    const [, before, mark] = /^(\s*(?:>\s?)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])\]/.exec(line.text) ?? []
    if (before === undefined) return []
    const from = line.from + before.length
    return [{ from, to: from + 1, insert: mark === ' ' ? 'x' : ' ' }]
  })
  return changes.length > 0 && change(view, changes)
}

/** Sets the selected lines as a block of code. */
export const wrapInFence: Command = (view) => {
  const { state } = view
  const lines = selectedLines(state)
  const [first, last] = [lines[0], lines.at(-1)]
  if (!first || !last) return false
  const fence = '`'.repeat(Math.max(3, longestRun(state.sliceDoc(first.from, last.to)) + 1))
  const set = state.changes([
    { from: first.from, insert: `${fence}\n` },
    { from: last.to, insert: `\n${fence}` },
  ])
  // What was selected is the code; its end stays before the closing fence.
  const ranges = state.selection.ranges.map(({ from, to }) =>
    EditorSelection.range(set.mapPos(from, 1), Math.max(set.mapPos(from, 1), set.mapPos(to, -1))),
  )
  view.dispatch({ changes: set, selection: EditorSelection.create(ranges), scrollIntoView: true, userEvent: 'input.format' })
  return true
}
