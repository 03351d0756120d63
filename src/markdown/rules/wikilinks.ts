import type { MarkdownIt as Parser, StateInline, Token } from 'markdown-it'
import { idOf } from './headings.ts'

/** The markup of the tokens of links in double brackets. */
export const WIKILINK = 'wikilink'

/** The class of a link in double brackets that leads nowhere: it is shown as text. */
const MISSING = 'wikilink-missing'

const LINK = /(!?)\[\[([^[\]|#\n]{0,500})(?:#([^[\]|\n]{0,500}))?(?:\|([^[\]\n]{0,1000}))?\]\]/y
/** A name with a scheme is none of a file. */
const PICTURE = /^[^:]*\.(?:avif|gif|jpe?g|png|svg|webp)$/i
const FILE = /^[^:]*\.(?:avif|csv|gif|jpe?g|mp3|mp4|pdf|png|svg|txt|webm|webp|zip)$/i
const SIZE = /^(\d{1,5})(?:x(\d{1,5}))?$/

/** Returns whether a name in double brackets is that of a file, by its ending, and of no record. */
export function isFileName(name: string): boolean {
  return FILE.test(name)
}

/**
 * Adds links in double brackets: `[[Page]]`, `[[Page#Heading|text]]`, and `![[cat.png|300]]` for a picture beside the text. What is
 * no picture is linked to, be it with `!` or not: `withEmbeds` tells which texts are meant to be taken in.
 */
export function addWikilinks(md: Parser): void {
  md.inline.ruler.before('link', WIKILINK, wikilink)
  md.renderer.rules.wikilink_open = () => `<span class="${MISSING}">`
  md.renderer.rules.wikilink_close = () => '</span>'
}

/**
 * Has the links in double brackets lead where `pageOf` says that a name does, and to the part that a heading names. Those that it does
 * not know become text.
 */
export function resolveWikilinks(tokens: readonly Token[], pageOf: (name: string) => string | undefined): void {
  for (const { children } of tokens) {
    let isMissing = false
    for (const token of children ?? []) {
      if (token.markup !== WIKILINK || token.type === 'image') continue
      if (token.type === 'link_open' && token.meta?.name !== undefined) {
        const name = String(token.meta.name)
        const page = name === '' ? '' : pageOf(name)
        isMissing = page === undefined
        token.attrSet('href', `${page ?? ''}${token.meta.part}`)
      }
      if (isMissing) token.type = token.type === 'link_open' ? 'wikilink_open' : 'wikilink_close'
      if (token.nesting < 0) isMissing = false
    }
  }
}

function wikilink(state: StateInline, silent: boolean): boolean {
  LINK.lastIndex = state.pos
  const [whole, embed, target = '', heading, label] = LINK.exec(state.src) ?? []
  const name = target.trim()
  if (whole === undefined || (name === '' && !heading) || state.pos + whole.length > state.posMax) return false
  if (!silent) {
    if (embed && PICTURE.test(name)) addPicture(state, name, label)
    else addLink(state, { name, heading, label, isEmbed: embed !== '' })
  }
  state.pos += whole.length
  return true
}

function addPicture(state: StateInline, name: string, label: string | undefined): void {
  const [, width, height] = SIZE.exec(label?.trim() ?? '') ?? []
  const token = state.push('image', 'img', 0)
  token.markup = WIKILINK
  token.content = width === undefined ? (label ?? '').trim() : ''
  token.attrs = [
    ['src', addressOf(state, name)],
    ['alt', ''],
  ]
  if (width !== undefined) token.attrs.push(['width', width])
  if (height !== undefined) token.attrs.push(['height', height])
  token.children = textOf(state, token.content)
  token.meta = { name }
}

/** The parts of a link in double brackets, as it is written. */
interface Written {
  readonly name: string
  readonly heading: string | undefined
  readonly label: string | undefined
  readonly isEmbed: boolean
}

function addLink(state: StateInline, { name, heading, label, isEmbed }: Written): void {
  const open = state.push('link_open', 'a', 1)
  open.markup = WIKILINK
  const isFile = isFileName(name)
  const part = partOf(state, heading)
  open.attrs = [['href', isFile ? addressOf(state, name) : part]]
  const own = label?.trim()
  open.meta = isFile ? {} : { name: name.replace(/\.(?:md|markdown|mdx)$/i, ''), part, label: own }
  // A block is not known, and what is on the same page is there already.
  if (isEmbed && !isFile && name !== '' && (part !== '' || heading === undefined)) open.meta.isEmbed = true
  const shown = own || [name, ...(heading === undefined ? [] : heading.split('#'))].filter((text) => text !== '').join(' > ')
  for (const text of textOf(state, shown)) state.push('text', '', 0).content = text.content
  state.push('link_close', 'a', -1).markup = WIKILINK
}

/** The last of several headings counts; one of a block (`^id`) stands for the page. */
function partOf(state: StateInline, heading: string | undefined): string {
  const last = heading?.split('#').at(-1)?.trim() ?? ''
  return last === '' || last.startsWith('^') ? '' : state.md.normalizeLink(`#${idOf(last)}`)
}

function addressOf(state: StateInline, name: string): string {
  return state.md.normalizeLink(name).replaceAll('?', '%3F')
}

function textOf(state: StateInline, text: string): Token[] {
  if (text === '') return []
  const token = new state.Token('text', '', 0)
  token.content = text
  return [token]
}
