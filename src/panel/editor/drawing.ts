import type { EditorState, Range, SelectionRange } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView } from '@codemirror/view'

/** Decorations of the part of a text that is seen. */
export interface Drawn {
  readonly inside: DecorationSet
  /** Cells of tables, which hold what is inside them. */
  readonly cells: DecorationSet
}

/** Marks that are always the same, by their classes. */
const marks = new Map<string, Decoration>()
const hidden = Decoration.replace({})

/** Collects decorations: classes of lines, marks, replacements within a line. Never blocks, which only the state may give. */
export class Drawing {
  readonly state: EditorState
  readonly #touched: readonly SelectionRange[]
  readonly #inside: Range<Decoration>[] = []
  readonly #cells: Range<Decoration>[] = []
  readonly #lines = new Map<number, Set<string>>()

  constructor(view: EditorView) {
    this.state = view.state
    this.#touched = view.hasFocus ? view.state.selection.ranges : []
  }

  /** Returns whether the line of a position is touched by a selection, so that it shows its syntax. */
  isActive(position: number): boolean {
    if (this.#touched.length === 0) return false
    const { from, to } = this.state.doc.lineAt(position)
    return this.#touched.some((range) => range.from <= to && range.to >= from)
  }

  /** Gives a class to each line that begins or lies between two positions. */
  lines(from: number, to: number, name: string): void {
    for (let at = from; at <= to; ) {
      const line = this.state.doc.lineAt(at)
      this.line(line.from, name)
      at = line.to + 1
    }
  }

  line(start: number, name: string): void {
    const names = this.#lines.get(start)
    if (names) names.add(name)
    else this.#lines.set(start, new Set([name]))
  }

  mark(from: number, to: number, name: string): void {
    if (from < to) this.#inside.push(markOf(name).range(from, to))
  }

  cell(from: number, to: number, name: string): void {
    // Inclusive, so that a bar that is hidden at its edge is in it.
    if (from < to) this.#cells.push(Decoration.mark({ class: name, inclusive: true }).range(from, to))
  }

  /** Hides syntax, and shows it in grey on the lines that a selection touches. */
  syntax(from: number, to: number): void {
    for (let at = from; at < to; ) {
      const end = Math.min(to, this.state.doc.lineAt(at).to)
      if (at < end) this.#inside.push((this.isActive(at) ? markOf('md-mark') : hidden).range(at, end))
      at = end + 1
    }
  }

  /** Puts a replacement in the place of a text within one line. */
  replace(from: number, to: number, replacement: Decoration): void {
    this.#inside.push(replacement.range(from, to))
  }

  after(position: number, widget: Decoration): void {
    this.#inside.push(widget.range(position))
  }

  finish(): Drawn {
    const lines = [...this.#lines].map(([start, names]) => lineOf([...names].join(' ')).range(start))
    return { inside: Decoration.set([...lines, ...this.#inside], true), cells: Decoration.set(this.#cells, true) }
  }
}

function markOf(name: string): Decoration {
  const known = marks.get(name)
  if (known) return known
  const made = Decoration.mark({ class: name, ...(isCode(name) && { attributes: { spellcheck: 'false' } }) })
  marks.set(name, made)
  return made
}

function lineOf(name: string): Decoration {
  return Decoration.line({ class: name, ...(isCode(name) && { attributes: { spellcheck: 'false' } }) })
}

function isCode(name: string): boolean {
  return /\bmd-(?:code|html|mark)\b/.test(name)
}
