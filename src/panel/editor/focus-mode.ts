import { StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView } from '@codemirror/view'

const set = StateEffect.define<boolean>()

/** Says whether only the text is to be seen. Pages hide what is beside it while `<html>` has `data-focus`. */
export const focusMode = StateField.define<boolean>({
  create: () => false,
  update: (isOn, { effects }) => effects.reduce((now, effect) => (effect.is(set) ? effect.value : now), isOn),
  provide: (field) =>
    EditorView.editorAttributes.compute(
      [field],
      (state): Record<string, string> => (state.field(field) ? { class: 'is-focus' } : {}),
    ),
})

/** Hides all but the text, or shows it again. */
export const toggleFocusMode: Command = (view) => {
  const isOn = !view.state.field(focusMode)
  view.dispatch({ effects: [set.of(isOn), EditorView.scrollIntoView(view.state.selection.main.head, { y: 'center' })] })
  document.documentElement.toggleAttribute('data-focus', isOn)
  view.focus()
  return true
}

/** Leaves the mode, where it is on. */
export const leaveFocusMode: Command = (view) => view.state.field(focusMode) && toggleFocusMode(view)
