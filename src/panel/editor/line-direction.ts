import { RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/** Letters that are written from right to left: Hebrew, Arabic and the scripts beside them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

const byItself = Decoration.line({ attributes: { dir: 'auto' } })

/** Has each line that is seen, and has such letters, go the way of its first word. */
export const lineDirection = ViewPlugin.define(
  (view) => ({
    lines: linesOf(view),
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.lines = linesOf(update.view)
    },
  }),
  { decorations: ({ lines }) => lines },
)

function linesOf({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const lines = new RangeSetBuilder<Decoration>()
  let done = -1
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at)
      if (line.from > done && RIGHT_TO_LEFT.test(line.text)) lines.add(line.from, line.from, byItself)
      done = line.from
      at = line.to + 1
    }
  }
  return lines.finish()
}
