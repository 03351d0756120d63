import type { Token } from 'markdown-it'
import { plainText, Unread } from '../text.ts'
import { idOf } from './headings.ts'

/**
 * Returns the tokens of the part of a text that begins with a heading, by its id or by what GitHub makes of its words, up to the next
 * heading of its level or above, with the footnotes that it refers to. None where there is no such heading that a reader sees.
 */
export function partOf(tokens: readonly Token[], id: string): Token[] {
  const begin = tokens.findIndex((token, index) => token.type === 'heading_open' && isNamed(token, tokens[index + 1], id))
  const heading = tokens[begin]
  if (!heading || isUnread(tokens.slice(0, begin))) return []
  const isEnd = (token: Token) =>
    token.level < heading.level || token.type === 'footnotes_open' || (token.type === 'heading_open' && token.tag <= heading.tag)
  const length = tokens.slice(begin + 1).findIndex(isEnd)
  const part = tokens.slice(begin, length < 0 ? undefined : begin + 1 + length)
  const own = new Set(part)
  // The end of a shortcode that begins before.
  const whole = part.filter(({ meta }) => meta?.begin === undefined || own.has(meta.begin as Token))
  return [...whole, ...footnotesOf(part, tokens.slice(begin + part.length))]
}

function isNamed(heading: Token, text: Token | undefined, id: string): boolean {
  return heading.attrGet('id') === id || idOf(plainText(text)) === id
}

/** Returns whether what follows these tokens is in an element that a page does not show. */
function isUnread(tokens: readonly Token[]): boolean {
  const unread = new Unread()
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') unread.pass(token.content)
    for (const child of token.children ?? []) if (child.type === 'html_inline') unread.pass(child.content)
  }
  return unread.isWithin
}

/** The footnotes that a part refers to, and that those refer to, of the rest of its text. */
function footnotesOf(part: readonly Token[], rest: readonly Token[]): Token[] {
  const from = rest.findIndex(({ type }) => type === 'footnotes_open')
  const referred = notesIn(part)
  if (from < 0 || referred.size === 0) return []
  const made: Token[] = []
  let isShown = true
  for (const token of rest.slice(from)) {
    const note = token.type === 'footnote_item_open' ? token.meta?.note : undefined
    if (note !== undefined) {
      isShown = referred.has(note)
      if (isShown) token.attrSet('value', String((note as { number: number }).number))
    }
    if (isShown) made.push(token)
    if (isShown && token.type === 'inline') for (const note of notesIn([token])) referred.add(note)
    if (token.type === 'footnote_item_close') isShown = true
  }
  return made
}

function notesIn(tokens: readonly Token[]): Set<unknown> {
  return new Set(
    tokens.flatMap(({ children }) => (children ?? []).flatMap(({ meta, type }) => (type === 'footnote_ref' ? [meta?.note] : []))),
  )
}
