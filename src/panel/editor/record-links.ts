import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { pickedCompletion } from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import type { RecordLink } from './options.ts'
import { settings } from './settings.ts'

/** Offers the site's records after `[[`, and links to the one that is chosen. */
export async function recordLinks(context: CompletionContext): Promise<CompletionResult | null> {
  const { records, say } = context.state.facet(settings)
  const found = context.matchBefore(/\[\[[^[\]]{0,80}/)
  if (!found || !records) return null
  const controller = new AbortController()
  context.addEventListener('abort', () => controller.abort(), { onDocChange: true })
  try {
    const links = await records(found.text.slice(2).trim(), controller.signal)
    return links.length === 0 ? null : { from: found.from, options: links.map(option), filter: false }
  } catch (error) {
    if (!context.aborted) say(`Records could not be searched: ${error instanceof Error ? error.message : String(error)}`)
    return null
  }
}

function option({ title, url }: RecordLink): Completion {
  return {
    label: title || url,
    detail: url,
    apply: (view: EditorView, completion: Completion, from: number, to: number) => {
      const end = view.state.sliceDoc(to, to + 2) === ']]' ? to + 2 : to
      const insert = linkTo(title || url, url)
      view.dispatch({
        changes: { from, to: end, insert },
        selection: { anchor: from + insert.length },
        annotations: pickedCompletion.of(completion),
        userEvent: 'input.complete',
      })
    },
  }
}

/** Returns a link in Markdown. */
export function linkTo(words: string, url: string): string {
  const address = /[\s()<>]/.test(url) ? `<${url.replaceAll(/[<>\n]/g, encodeURIComponent)}>` : url
  return `[${words.replaceAll(/[[\]\\]/g, '\\$&')}](${address})`
}
