import { completionStatus } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** Has Tab reach the list of what can be inserted, where it is scrolled with the keys; Escape leads back to the text. */
export function reachableCompletions(): Extension {
  return EditorView.updateListener.of(({ view, state }) => {
    if (completionStatus(state) !== 'active') return
    view.requestMeasure({
      key: 'completion-list',
      read: () => view.dom.querySelector<HTMLElement>('.cm-tooltip-autocomplete > ul:not([tabindex])'),
      write: (list) => {
        if (!list) return
        list.tabIndex = 0
        list.addEventListener('keydown', (event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          view.focus()
        })
      },
    })
  })
}
