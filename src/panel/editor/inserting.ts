import { startCompletion } from '@codemirror/autocomplete'
import { EditorSelection } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { settings } from './settings.ts'
import { uploadFiles } from './uploads.ts'
import { element } from './widgets.ts'

/** Puts a block on a line of its own, after a blank one, and selects a part of it. */
export function insertBlock(
  view: EditorView,
  text: string,
  selected: readonly [number, number] = [text.length, text.length],
): true {
  const { state } = view
  const line = state.doc.lineAt(state.selection.main.head)
  const isEmpty = line.text.trim() === ''
  const before = isEmpty ? (line.number > 1 && state.doc.line(line.number - 1).text.trim() !== '' ? '\n' : '') : '\n\n'
  const next = line.number < state.doc.lines ? state.doc.line(line.number + 1).text.trim() : ''
  const [from, to] = [isEmpty ? line.from : line.to, line.to]
  const start = from + before.length
  view.dispatch({
    changes: { from, to, insert: before + text + (next === '' ? '' : '\n') },
    selection: EditorSelection.range(start + selected[0], start + selected[1]),
    scrollIntoView: true,
    userEvent: 'input.insert',
  })
  return true
}

/** Inserts a table with its first heading selected. */
export const insertTable: Command = (view) => insertBlock(view, '| Column | Column |\n| --- | --- |\n|  |  |', [2, 8])

/** Inserts a line across. */
export const insertRule: Command = (view) => insertBlock(view, '---\n\n')

/** Makes a link of what is selected, with its address to be typed; of nothing, a search for a record. */
export const insertLink: Command = (view) => {
  const { state } = view
  const { from, to, empty } = state.selection.main
  if (empty && state.facet(settings).records) {
    view.dispatch({ changes: { from, insert: '[[' }, selection: { anchor: from + 2 }, userEvent: 'input.type' })
    return startCompletion(view)
  }
  const words = empty ? 'words' : state.sliceDoc(from, to)
  const address = from + words.length + 3
  view.dispatch({
    changes: { from, to, insert: `[${words}](https://)` },
    selection: empty ? { anchor: from + 1, head: from + 1 + words.length } : { anchor: address, head: address + 8 },
    scrollIntoView: true,
    userEvent: 'input.insert',
  })
  return true
}

/** Asks for a picture and uploads it, or, where nothing takes one, inserts the syntax for its address. */
export const insertPicture: Command = (view) => {
  if (!view.state.facet(settings).upload) return insertBlock(view, '![](https://)', [4, 12])
  const chooser = element('input')
  chooser.type = 'file'
  chooser.accept = 'image/*'
  chooser.multiple = true
  chooser.addEventListener('change', () => {
    uploadFiles(view, [...(chooser.files ?? [])], view.state.selection.main.head)
    view.focus()
  })
  chooser.click()
  return true
}
