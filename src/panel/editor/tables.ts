import type { SyntaxNodeRef } from '@lezer/common'
import type { Drawing } from './drawing.ts'

/**
 * Draws a row of a table: its line is a row and each cell runs from its bar to the next, so that each character is in one and the
 * browser aligns them. Neighbouring rows are one table, as in any document.
 */
export function drawRow(drawing: Drawing, node: SyntaxNodeRef): void {
  const { from, to } = drawing.state.doc.lineAt(node.from)
  drawing.line(from, node.name === 'TableHeader' ? 'md-row md-head-row' : 'md-row')
  const bars: number[] = []
  for (let child = node.node.firstChild; child; child = child.nextSibling) {
    if (child.name === 'TableDelimiter') bars.push(child.from)
  }
  drawCells(drawing, from, to, bars, alignments(drawing, node))
  for (const bar of bars) drawing.syntax(bar, bar + 1)
}

/** Draws the row of dashes as a thin row, for without it the table would be two. */
export function drawRule(drawing: Drawing, node: SyntaxNodeRef): void {
  const line = drawing.state.doc.lineAt(node.from)
  drawing.line(line.from, drawing.isActive(node.from) ? 'md-row' : 'md-row md-thin-row')
  const bars = [...line.text].flatMap((character, at) => (character === '|' ? [line.from + at] : []))
  drawCells(drawing, line.from, line.to, bars, [])
  drawing.mark(node.from, node.to, 'md-mark')
}

function drawCells(drawing: Drawing, from: number, to: number, bars: readonly number[], classes: readonly string[]): void {
  const isBlank = (start = from, end = to): boolean => /^[\s>]*$/.test(drawing.state.doc.sliceString(start, end))
  const inner = bars.slice(isBlank(from, bars[0]) ? 1 : 0)
  const last = inner.at(-1)
  if (last !== undefined && isBlank(last + 1, to)) inner.pop()
  const ends = [...inner, to]
  for (const [column, end] of ends.entries())
    drawing.cell(ends[column - 1] ?? from, end, `md-cell ${classes[column] ?? ''}`.trim())
}

/** The classes of a table's columns, as its row of dashes says. */
function alignments(drawing: Drawing, { node }: SyntaxNodeRef): string[] {
  const rule = node.parent?.getChild('TableDelimiter')
  if (!rule) return []
  const text = drawing.state.doc.sliceString(rule.from, Math.min(rule.to, rule.from + 2000))
  return text
    .replace(/^\s*\|/, '')
    .split('|')
    .map((dashes) => dashes.trim())
    .map((dashes) => (dashes.endsWith(':') ? (dashes.startsWith(':') ? 'md-center' : 'md-right') : ''))
}
