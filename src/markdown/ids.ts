import type { Token } from 'markdown-it'

const OWN_ID = /\sid\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi

/** Returns the ids that a text has beside those of its headings: those of its raw HTML, and of its footnotes. */
export function idsOf(tokens: readonly Token[]): string[] {
  const ids: string[] = []
  for (const token of tokens) {
    if (token.type === 'html_block' || token.type === 'html_inline') {
      for (const [, double, single, bare] of token.content.matchAll(OWN_ID)) ids.push(double ?? single ?? bare ?? '')
    }
    if (token.meta?.id !== undefined) ids.push(String(token.meta.id))
    if (token.children) for (const id of idsOf(token.children)) ids.push(id)
  }
  return ids
}
