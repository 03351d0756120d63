import { insertNewlineContinueMarkupCommand } from '@codemirror/lang-markdown'
import type { EditorState, Line, StateCommand } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { isWithin } from './formatting.ts'

/** An item or quote in which nothing is written yet. */
const EMPTY_BLOCK = /^(?:(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s*)?|>\s*)$/

/** A row of a table in which nothing is written yet. */
const EMPTY_ROW = /^\s*\|(?:\s*\|)*\s*$/

const continueMarkup: StateCommand = insertNewlineContinueMarkupCommand({ nonTightLists: false })

/**
 * Goes on with the list, quote or table that the cursor is at the end of; where nothing was written since, ends it with a blank line,
 * without which what follows would belong to it.
 */
export const continueBlock: Command = (view) => {
  const { state } = view
  const { main } = state.selection
  if (!main.empty) return continueMarkup(view)
  const line = state.doc.lineAt(main.head)
  if (isEnd(state, line)) return splice(view, line.from, line.to, '\n', 1)
  const cells = cellsOf(state, line, main.head)
  if (cells === 0) return continueMarkup(view)
  return splice(view, line.to, line.to, `\n|${'  |'.repeat(cells)}`, 3)
}

function isEnd(state: EditorState, line: Line): boolean {
  if (line.number === 1 || state.doc.line(line.number - 1).text.trim() === '' || isWithin(state, /Code/)) return false
  return EMPTY_BLOCK.test(line.text) || (EMPTY_ROW.test(line.text) && isWithin(state, 'Table'))
}

/** The cells of the row that the cursor is at the end of; 0 elsewhere. A table's rows begin below its row of dashes. */
function cellsOf(state: EditorState, line: Line, head: number): number {
  if (!/^\s*\|?\s*$/.test(line.text.slice(head - line.from)) || !line.text.trimStart().startsWith('|')) return 0
  if (!isWithin(state, 'TableRow') && !/^[\s|:-]*-[\s|:-]*$/.test(line.text)) return 0
  if (!isWithin(state, 'Table')) return 0
  return Math.max(0, line.text.replaceAll(/\\\||`[^`]*`/g, '').split('|').length - (/\|\s*$/.test(line.text) ? 2 : 1))
}

function splice(view: EditorView, from: number, to: number, insert: string, cursor: number): true {
  const changes = { from, to, insert }
  view.dispatch({ changes, selection: { anchor: from + cursor }, scrollIntoView: true, userEvent: 'input' })
  return true
}
