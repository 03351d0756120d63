import type { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { enclosing } from './formatting.ts'
import { settings } from './settings.ts'

/** Opens a link that is clicked with Control or Command, in a tab that knows nothing of this one. */
export const followingLinks = EditorView.domEventHandlers({
  mousedown(event, view) {
    if (event.button !== 0 || !(event.ctrlKey || event.metaKey)) return false
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
    const address = at === null ? undefined : addressAt(view.state, at)
    if (address === undefined) return false
    event.preventDefault()
    open(address, '_blank', 'noopener')
    return true
  },
})

/** The address of the link at a position; undefined where there is none that a browser may be led to. */
function addressAt(state: EditorState, at: number): string | undefined {
  const node = enclosing(state, { from: at, to: at }, /^(?:Link|Autolink|URL)$/)
  const url = node?.name === 'URL' ? node : node?.getChild('URL')
  if (!url) return undefined
  const written = state.sliceDoc(url.from, url.to).replace(/^<(.*)>$/, '$1')
  const base = new URL(state.facet(settings).base ?? '', document.baseURI).href
  const address = /^www\./i.test(written) ? `https://${written}` : written
  if (!URL.canParse(address, base)) return undefined
  const { href, protocol } = new URL(address, base)
  return /^(?:https?|mailto):$/.test(protocol) ? href : undefined
}
