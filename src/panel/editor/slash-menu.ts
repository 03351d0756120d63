import { type Completion, type CompletionContext, type CompletionResult, pickedCompletion } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import { COMMANDS, type EditorCommand, keyLabel } from './commands.ts'
import { isWithin } from './formatting.ts'

/** Offers the commands after a `/` that begins a word, by their names and other words for them. */
export function slashMenu(context: CompletionContext): CompletionResult | null {
  const found = context.matchBefore(/(?:^|\s)\/(?:\p{L}[\p{L}\d ]{0,30})?/u)
  if (!found || isWithin(context.state, /Code|HTML|^URL$/)) return null
  const from = found.from + found.text.indexOf('/')
  const query = found.text.trimStart().slice(1).toLowerCase()
  const options = COMMANDS.map((command) => ({ command, rank: rank(command, query) }))
    .filter(({ rank }) => rank < 3)
    .sort((one, other) => one.rank - other.rank)
    .map(({ command }) => option(command))
  return options.length === 0 ? null : { from, options, filter: false }
}

/** Ranks a command by how a query finds it: by its name, by a word of it, by another word; 3 where it does not. */
function rank({ name, words }: EditorCommand, query: string): number {
  if (words === undefined) return 3
  const title = name.toLowerCase()
  if (title.startsWith(query)) return 0
  return [title, words].findIndex((text) => ` ${text}`.includes(` ${query}`)) + 1 || 3
}

function option({ name, key, run }: EditorCommand): Completion {
  return {
    label: name,
    ...(key !== undefined && { detail: keyLabel(key) }),
    apply: (view: EditorView, completion: Completion, from: number, to: number) => {
      view.dispatch({ changes: { from, to }, annotations: pickedCompletion.of(completion), userEvent: 'delete.complete' })
      run(view)
    },
  }
}
