import type { Analyser } from './analyser.ts'

/** A stretch of a plain text with what was looked for marked, as HTML. */
export function excerptOf(text: string, stems: ReadonlySet<string>, analyser: Analyser): string {
  let html = ''
  let at = 0
  const part = text.slice(0, 240)
  analyser.read(part, ({ stem }, start, end) => {
    if (!stems.has(stem) || start < at) return
    html += `${escaped(part.slice(at, start))}<mark>${escaped(part.slice(start, end))}</mark>`
    at = end
  })
  return html + escaped(part.slice(at))
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
