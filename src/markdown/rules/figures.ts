import type { MarkdownIt as Parser, Token } from 'markdown-it'

/** Adds captions: a picture with a title, alone in its paragraph or in a link there, becomes a figure with that caption. */
export function addFigures(md: Parser): void {
  md.core.ruler.push('figures', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'inline' || tokens[index - 1]?.type !== 'paragraph_open' || tokens[index - 1]?.hidden) continue
      const picture = onlyPicture(token.children ?? [])
      const title = picture && String(picture.attrGet('title') ?? '').trim()
      if (!picture || !title) continue
      picture.attrs = (picture.attrs ?? []).filter(([name]) => name !== 'title')
      for (const end of [tokens[index - 1], tokens[index + 1]]) {
        if (!end) continue
        end.type = end.nesting > 0 ? 'figure_open' : 'figure_close'
        end.tag = 'figure'
        end.meta = { caption: title }
      }
    }
  })
  md.renderer.rules.figure_close = (tokens, index) =>
    `<figcaption>${md.utils.escapeHtml(String(tokens[index]?.meta?.caption ?? ''))}</figcaption></figure>\n`
}

function onlyPicture(children: readonly Token[]): Token | undefined {
  const inner = children[0]?.type === 'link_open' && children.at(-1)?.type === 'link_close' ? children.slice(1, -1) : children
  return inner.length === 1 && inner[0]?.type === 'image' ? inner[0] : undefined
}
