import type { Token } from 'markdown-it'

const TAGS =
  /<(\/?)(script|style|template|noscript|noembed|noframes|textarea|title|svg|math|iframe|object|option|xmp|plaintext)\b/gi

/**
 * Follows tags through a text: what stands within a script, a style and their like is removed from the page, and read by nobody.
 */
export class Unread {
  #within: string | undefined

  get isWithin(): boolean {
    return this.#within !== undefined
  }

  /** Takes note of the tags of a piece of HTML. */
  pass(html: string): void {
    for (const [, close, name = ''] of html.matchAll(TAGS)) {
      const tag = name.toLowerCase()
      if (close && this.#within === tag) this.#within = undefined
      else if (!close) this.#within ??= tag
    }
  }
}

/** Returns the text of an inline token as a reader sees it: without marks, tags, notes and what `unread` knows to be hidden. */
export function plainText(token: Token | undefined, unread = new Unread()): string {
  const text = (token?.children ?? []).map((child) => {
    if (child.type === 'html_inline') unread.pass(child.content)
    if (unread.isWithin) return ''
    if (SHOWN.has(child.type)) return child.content
    return child.type === 'softbreak' || child.type === 'hardbreak' ? ' ' : ''
  })
  return text.join('').replace(/\s+/g, ' ').trim()
}

const SHOWN: ReadonlySet<string> = new Set(['text', 'code_inline', 'text_special', 'math_inline', 'math_display'])

/** At most `length` characters of a text, cut at a word, with an ellipsis where something is left out. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const part = text.slice(0, length + 1)
  const end = part.lastIndexOf(' ')
  return `${part.slice(0, end > length / 2 ? end : length).replace(/[\s,;:.–—-]+$/, '')}…`
}
