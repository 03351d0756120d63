import { markdownOf } from '../html/markdown.ts'

/** Names of shortcodes that WordPress itself or most of its sites have. */
const SHORTCODE = /\[\/?([a-z][\w-]{0,60})(?=[\s\]/])[^[\]]{0,2000}\]/gi
const CAPTION = /\[caption\b([^[\]]{0,1000})\]/gi
const CAPTION_END = '[/caption]'
const GALLERY = /\[gallery\b([^[\]]{0,2000})\]/gi
const EMBED = /\[embed\b[^[\]]{0,500}\]\s*(https?:\/\/[^\s[\]<>"]{1,1000})\s*\[\/embed\]/gi
const LONE_ADDRESS = /^[ \t]*(https?:\/\/[^\s<>"[\]]{1,1000})[ \t]*$/gm
const FILM = /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com\/watch\?(?:[^#]{0,200}&)?v=|youtu\.be\/)([\w-]{5,20})/
const VIMEO = /^https?:\/\/(?:www\.)?vimeo\.com\/(\d{3,15})/

/** A text of WordPress as Markdown, and the names of the shortcodes that stay in it. */
export interface Body {
  readonly body: string
  readonly shortcodes: readonly string[]
}

/** Returns the pictures of a gallery by the numbers of their attachments. */
export type Gallery = (ids: readonly string[]) => readonly { readonly src: string; readonly alt: string }[]

/** Returns a text of WordPress, of its block editor or before it, as Markdown. */
export function bodyOf(html: string, gallery: Gallery): Body {
  const isOfBlocks = html.includes('<!-- wp:')
  const found = new Set<string>()
  const plain = captioned(html)
    .replace(GALLERY, (_, args: string) => picturesOf(args, gallery))
    .replace(EMBED, (_, address: string) => `\n\n${frame(address)}\n\n`)
    .replace(LONE_ADDRESS, (_, address: string) => frame(address))
    .replace(/<!--more.{0,200}?-->|<!--nextpage-->/g, '')
  for (const [, name = ''] of plain.matchAll(SHORTCODE)) found.add(name)
  return { body: markdownOf(plain, { breaks: !isOfBlocks }), shortcodes: [...found] }
}

/** `[caption]<img> text[/caption]` as a figure. */
function captioned(html: string): string {
  let [made, from] = ['', 0]
  for (const match of html.matchAll(CAPTION)) {
    if (match.index < from) continue
    const start = match.index + match[0].length
    const end = html.indexOf(CAPTION_END, start)
    if (end < 0) break
    const inner = html.slice(start, end)
    const said = /caption="([^"]*)"/.exec(match[1] ?? '')?.[1]
    const at =
      said === undefined ? /^\s*(?:<a\b[^>]{0,2000}>\s*)?<img\b[^>]{0,5000}>(?:\s*<\/a>)?/.exec(inner)?.[0].length : inner.length
    const [picture, text] = at === undefined ? [inner, ''] : [inner.slice(0, at), said ?? inner.slice(at)]
    made += `${html.slice(from, match.index)}<figure>${picture}<figcaption>${text.trim()}</figcaption></figure>`
    from = end + CAPTION_END.length
  }
  return made + html.slice(from)
}

function picturesOf(args: string, gallery: Gallery): string {
  const ids = (/\bids\s*=\s*["']?([\d,\s]{1,2000})/.exec(args)?.[1] ?? '').split(',').map((id) => id.trim())
  return gallery(ids.filter(Boolean))
    .map(({ src, alt }) => `<p><img src="${attribute(src)}" alt="${attribute(alt)}"></p>`)
    .join('\n')
}

/** An address alone on its line is shown as what it leads to. */
function frame(address: string): string {
  const plain = address.replaceAll('&amp;', '&')
  const film = FILM.exec(plain)?.[1]
  if (film !== undefined) return `<iframe src="https://www.youtube.com/embed/${film}"></iframe>`
  const other = VIMEO.exec(plain)?.[1]
  return other === undefined ? address : `<iframe src="https://player.vimeo.com/video/${other}"></iframe>`
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
