import { EditorView } from '@codemirror/view'

/**
 * Replaces what is selected by what is typed, in the place of the browser: it would join lines by giving them inline styles, which
 * the panel's Content-Security-Policy reports.
 */
export const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || !data || view.composing || view.state.selection.main.empty) return false
    view.dispatch({ ...view.state.replaceSelection(data), scrollIntoView: true, userEvent: 'input.type' })
    event.preventDefault()
    return true
  },
})
