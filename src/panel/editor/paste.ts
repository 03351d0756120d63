import type { EditorState, Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { isWithin } from './formatting.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { settings } from './settings.ts'
import { uploadFiles } from './uploads.ts'

/** The longest HTML that is turned into Markdown; of what is longer, the text is taken. */
const LONGEST = 1_000_000

/** Takes what is pasted or dropped: files are uploaded, rich text becomes Markdown; with Shift, and in code, the text alone. */
export function pasting(): Extension {
  let isShifted = false
  return EditorView.domEventHandlers({
    keydown(event) {
      isShifted = event.shiftKey
    },
    paste(event, view) {
      const data = event.clipboardData
      if (!data) return false
      const html = data.getData('text/html')
      // Programs of tables and texts bring a picture of what they copy along.
      if (isPictureAlone(html) && takeFiles(view, data, view.state.selection.main.head)) return true
      if (isShifted || isWithin(view.state, /^(?:FencedCode|CodeBlock|InlineCode)$/)) return false
      return insert(view, html, data)
    },
    drop(event, view) {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false)
      return event.dataTransfer !== null && takeFiles(view, event.dataTransfer, at)
    },
  })
}

/** Returns whether HTML says no more than that there is a picture, as browsers do when one is copied. */
function isPictureAlone(html: string): boolean {
  return (
    html.length < 5000 &&
    /^(?:<img\b[^<>]*>)?$/i.test(html.replaceAll(/<!--\w+-->|<\/?(?:html|head|body|meta)\b[^<>]*>|\s+$|^\s+/gi, ''))
  )
}

function takeFiles(view: EditorView, data: DataTransfer, at: number): boolean {
  const files = [...data.files]
  if (files.length === 0 || !view.state.facet(settings).upload) return false
  uploadFiles(view, files, at)
  return true
}

function insert(view: EditorView, html: string, data: DataTransfer): boolean {
  const text = data.getData('text/plain').trim()
  const { state } = view
  const { from, to, empty } = state.selection.main
  const isLink = !empty && /^https?:\/\/\S+$/.test(text) && state.doc.lineAt(from).to >= to
  const markdown = isLink ? `[${state.sliceDoc(from, to)}](${text})` : converted(html, text, data)
  if (markdown === undefined) return false
  const isApart = /^(?:#{1,6} |[-+*] |\d+\. |> |\||`{3}|---$)/.test(markdown) && !isAtStart(state, from)
  view.dispatch({
    ...state.replaceSelection(isApart ? `\n\n${markdown}` : markdown),
    scrollIntoView: true,
    userEvent: 'input.paste',
  })
  return true
}

/** The Markdown of HTML; undefined where it says no more than the text beside it. */
function converted(html: string, text: string, data: DataTransfer): string | undefined {
  if (html === '' || html.length > LONGEST || data.types.includes('vscode-editor-data')) return undefined
  const markdown = htmlToMarkdown(html)
  const bare = markdown.replaceAll(/\\([^\w\s])/g, '$1').replaceAll(/\\?\s+/g, ' ')
  return markdown === '' || bare === text.replaceAll(/\s+/g, ' ') ? undefined : markdown
}

function isAtStart(state: EditorState, at: number): boolean {
  const { from } = state.doc.lineAt(at)
  return /^\s*(?:>\s?)*$/.test(state.sliceDoc(from, at))
}
