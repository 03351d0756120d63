const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A piece of a page that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A value that can be put into a template. */
export type Piece = Html | string | number | undefined | false | readonly Piece[]

/** HTML of a template: what is put into it is text, and escaped, unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(parts.map((part, i) => (i === 0 ? part : textOf(values[i - 1]) + part)).join(''))
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (typeof piece === 'object') return piece.map(textOf).join('')
  return String(piece).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}

/** Prose: what stands between backticks is code, an empty line begins a paragraph. */
export function prose(text: string | undefined): Html {
  const paragraphs = (text ?? '').split(/\n{2,}/).filter((paragraph) => paragraph !== '')
  return html`${paragraphs.map((paragraph) => html`<p>${inline(paragraph)}</p>`)}`
}

/** A line of prose. */
export function inline(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
