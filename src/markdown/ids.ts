import type { Token } from 'markdown-it'

const ID = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi

/** Matches what a link within a page may lead to: an id, or a name. */
export const ID_OR_NAME = /\s(?:id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi

/** Returns the ids that a text has beside those of its headings: those of its raw HTML, and of its footnotes. */
export function idsOf(tokens: readonly Token[], pattern = ID): string[] {
  const ids: string[] = []
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') {
      for (const [, double, single, bare] of token.content.matchAll(pattern)) ids.push(double ?? single ?? bare ?? '')
    }
    if (token.meta?.id !== undefined) ids.push(String(token.meta.id))
    if (token.children) for (const id of idsOf(token.children, pattern)) ids.push(id)
  }
  return ids
}
