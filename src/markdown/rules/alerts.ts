import type { MarkdownIt as Parser, Token } from 'markdown-it'
import { boxEnd, boxKind, boxTokens } from './boxes.ts'

const HEAD = /^\[!([a-z]{1,30})\]([+-]?)(?:[ \t]+([^\n]*))?(?:\n|$)/i

/**
 * Adds GitHub's alerts, quotes that begin with `[!NOTE]`, and Obsidian's titles and folding of them: `[!tip]- A title`. Those of
 * an unknown kind stay quotes.
 */
export function addAlerts(md: Parser): void {
  md.core.ruler.after('block', 'alerts', (state) => {
    if (!state.src.includes('[!')) return
    state.tokens = withAlerts(state.tokens, state.Token)
  })
}

function withAlerts(tokens: readonly Token[], make: typeof Token): Token[] {
  const made: Token[] = []
  /** The box that each open quote became, if it did. */
  const open: (Token | undefined)[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (!token) continue
    if (token.type === 'blockquote_close') {
      const box = open.pop()
      made.push(box ? boxEnd(box, make) : token)
    } else if (token.type !== 'blockquote_open') made.push(token)
    else {
      const text = tokens[index + 1]?.type === 'paragraph_open' ? tokens[index + 2] : undefined
      const box = text && boxOf(text, token, make)
      open.push(box?.[0])
      made.push(...(box ?? [token]))
      // A paragraph of the head alone is gone with it.
      if (box && text?.content === '') index += 3
    }
  }
  return made
}

/** The tokens that begin the box which a quote is; its head is taken from its first paragraph. */
function boxOf(text: Token, quote: Token, make: typeof Token): Token[] | undefined {
  const [head, name = '', fold = '', title = ''] = HEAD.exec(text.content) ?? []
  const kind = head === undefined ? undefined : boxKind(name)
  if (head === undefined || !kind) return undefined
  text.content = text.content.slice(head.length)
  const folds = fold === '' ? (kind.look === 'details' ? 'closed' : undefined) : fold === '+' ? 'open' : 'closed'
  return boxTokens(kind, { title: title.trim(), folds, map: quote.map }, make)
}
