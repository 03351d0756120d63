import { autocompletion } from '@codemirror/autocomplete'
import { history, historyKeymap, indentLess, indentMore, moveLineDown, moveLineUp, standardKeymap } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { commandKeys } from './commands.ts'
import { reachableCompletions } from './completion-list.ts'
import { focusMode, leaveFocusMode } from './focus-mode.ts'
import { followingLinks } from './following-links.ts'
import { lineDirection } from './line-direction.ts'
import { colouredSource, markdown } from './markdown.ts'
import type { Mode } from './options.ts'
import { pasting } from './paste.ts'
import { preview } from './preview.ts'
import { recordLinks } from './record-links.ts'
import { type Settings, settings } from './settings.ts'
import { slashMenu } from './slash-menu.ts'
import { toolbar } from './toolbar.ts'
import { typingOverSelection } from './typing.ts'
import { uploads } from './uploads.ts'
import { wordCount } from './word-count.ts'

const look = new Compartment()

/** Pixels that what sticks to the top of a page may cover. */
const COVERED = 96

/** CodeMirror's words, as the panel writes its own. */
const PHRASES: Readonly<Record<string, string>> = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Pattern',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
}

/** Returns all that an editor is made of. Tab is not bound: it leaves. */
export function extensionsOf(given: Settings, mode: Exclude<Mode, 'plain'>, text: Text, words: HTMLElement): Extension {
  return [
    settings.of(given),
    history(),
    look.of(lookOf(mode)),
    markdown(text),
    keymap.of([
      ...commandKeys,
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
      { key: 'Alt-ArrowUp', run: moveLineUp },
      { key: 'Alt-ArrowDown', run: moveLineDown },
      ...searchKeymap,
      { key: 'Escape', run: (view) => leaveFocusMode(view) || leave(view) },
      ...historyKeymap,
      ...standardKeymap,
    ]),
    search({ top: true }),
    EditorState.phrases.of(PHRASES),
    autocompletion({ override: [slashMenu, recordLinks], icons: false }),
    reachableCompletions(),
    indentUnit.of('  '),
    EditorState.tabSize.of(4),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    lineDirection,
    EditorView.scrollMargins.of(coveredOf),
    pasting(),
    typingOverSelection,
    followingLinks,
    uploads,
    focusMode,
    wordCount(words),
    given.toolbar ? toolbar(given.toolbar) : [],
  ]
}

/** The margins of a text that is scrolled to. A menu would not be shown in them: the line that it is at is in sight already. */
function coveredOf({ dom }: EditorView): { top: number; bottom: number } | null {
  return dom.querySelector('.cm-tooltip') ? null : { top: COVERED, bottom: COVERED }
}

/** Leaves the text, as Escape leaves every field of the panel. Tab goes on from there. */
function leave(view: EditorView): true {
  view.contentDOM.blur()
  return true
}

/** Shows a text in another mode. */
export function switchLook(view: EditorView, mode: Exclude<Mode, 'plain'>): void {
  view.dispatch({ effects: look.reconfigure(lookOf(mode)) })
}

function lookOf(mode: Exclude<Mode, 'plain'>): Extension {
  return mode === 'rich' ? preview : colouredSource
}
